/**
 * The keys that secrets are encrypted with: the first one encrypts, all of them decrypt. A key has
 * an id, which stands beside what it encrypted and reveals nothing of the key.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Redacted, Result } from "effect"
import * as Arguments from "../connection/Arguments.ts"

/** A key that signing keys and activation codes are encrypted with (rule W6). */
export interface SecretKey {
  /** 16 hexadecimal digits, the same for the same key in every process. */
  readonly id: string
  /** 256 bits, for AES-GCM. */
  readonly key: KeyObject
}

/** What `parse` takes, as the end of the sentence "… must be". */
export const allowed =
  "32 bytes in base64 or hexadecimal, or two of them with a comma between: the new key, the old key"

const HEXADECIMAL = /^[0-9A-Fa-f]{64}$/
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

const bytesOf = (text: string): Buffer | undefined => {
  if (HEXADECIMAL.test(text)) return Buffer.from(text, "hex")
  return BASE64.test(text) ? Buffer.from(text, "base64") : undefined
}

const keyOf = (text: string): SecretKey | undefined => {
  const bytes = bytesOf(text.trim())
  if (bytes === undefined) return undefined
  const id = createHmac("sha256", bytes).update("simplan key id").digest("hex").slice(0, 16)
  return { id, key: createSecretKey(bytes) }
}

/**
 * Reads one key, or a new and an old one with a comma between. The failure shows nothing of the
 * text.
 */
export const parse = (text: Redacted.Redacted): Result.Result<ReadonlyArray<SecretKey>, string> => {
  const parts = Redacted.value(text).split(",")
  const keys = parts.flatMap((part) => keyOf(part) ?? [])
  return keys.length === parts.length && keys.length <= 2 ? Result.succeed(keys) : Result.fail(`must be ${allowed}`)
}

/** Reads what a host has given as `secretKeys`; none if it has given nothing. */
export const given = (
  secretKeys: string | Redacted.Redacted | undefined
): Arguments.Checked<ReadonlyArray<SecretKey>> =>
  secretKeys === undefined
    ? Result.succeed([])
    : Result.flatMap(Arguments.secret("secretKeys", secretKeys, allowed), (text) =>
        Result.mapError(parse(Redacted.make(text)), (problem) => `The secret key ${problem}`)
      )
