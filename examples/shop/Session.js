// Stands for the login that a shop has: who signs up is known by a signed cookie from then on.
import { createHmac, timingSafeEqual } from "node:crypto"

const sign = (id, secret) => createHmac("sha256", secret).update(id).digest("hex")

/** The cookie of a customer. No other site can send it along with a form. */
export const cookieOf = (id, secret) => `shop=${id}.${sign(id, secret)}; HttpOnly; SameSite=Lax; Path=/`

/** The customer's id; undefined if nobody is signed in. */
export const customerOf = (cookies, secret) => {
  const [, id, given] = /(?:^|; )shop=([\w-]+)\.([0-9a-f]{64})(?:;|$)/.exec(cookies ?? "") ?? []
  if (id === undefined) return undefined
  return timingSafeEqual(Buffer.from(given), Buffer.from(sign(id, secret))) ? id : undefined
}
