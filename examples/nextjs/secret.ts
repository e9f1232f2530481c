// Secrets of the environment.
import { createHash, timingSafeEqual } from "node:crypto"

/** A secret by its name. Throws where it is missing. */
export const of = (name: string): string => {
  const secret = process.env[name]
  if (!secret) throw new Error(`${name} is missing in the environment`)
  return secret
}

const hash = (text: string) => createHash("sha256").update(text).digest()

/** Takes the same time for every wrong guess. */
export const isSame = (given: string, secret: string): boolean => timingSafeEqual(hash(given), hash(secret))
