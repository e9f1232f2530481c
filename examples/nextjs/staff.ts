// Stands for the login that the shop has: its staff know STAFF_PASSWORD, which browsers ask for (HTTP Basic).
import * as Secret from "./secret"

/** The name of one of the staff; null for everybody else. */
export const nameOf = (headers: Headers) => {
  const [, given = ""] = /^Basic (.+)$/.exec(headers.get("authorization") ?? "") ?? []
  const [, name, password] = /^([^:]+):(.*)$/.exec(Buffer.from(given, "base64").toString()) ?? []
  if (name === undefined || password === undefined) return null
  return Secret.isSame(password, Secret.of("STAFF_PASSWORD")) ? name : null
}

/** The answer that has a browser ask. */
export const challenge = () =>
  new Response(null, { status: 401, headers: { "www-authenticate": 'Basic realm="staff", charset="UTF-8"' } })
