// Stands for the login that the shop has: its staff know STAFF_PASSWORD, which browsers ask for (HTTP Basic).
import { createHash, timingSafeEqual } from "node:crypto"

const hash = (text) => createHash("sha256").update(text).digest()

/** The header that has a browser ask. */
export const CHALLENGE = 'Basic realm="staff", charset="UTF-8"'

/** The name of one of the staff, by the header `Authorization`; null for everybody else. */
export const nameOf = (authorization) => {
  const [, given = ""] = /^Basic (.+)$/.exec(authorization ?? "") ?? []
  const [, name, password] = /^([^:]+):(.*)$/.exec(Buffer.from(given, "base64").toString()) ?? []
  const expected = process.env.STAFF_PASSWORD
  return expected && name && timingSafeEqual(hash(password), hash(expected)) ? name : null
}

/** Lets nobody else through. */
export const only = (request, response, next) => {
  if (nameOf(request.headers.authorization)) return next()
  response.writeHead(401, { "www-authenticate": CHALLENGE }).end()
}

/** The console, whose operators are the staff. */
export const http = {
  groups: ["v3", "docs", "console"],
  authenticateOperator: async ({ headers }) => {
    const actor = nameOf(headers.get("authorization"))
    return actor && { role: "admin", actor }
  }
}
