// Stands for the sessions that the shop has: a cookie that names an organization, signed with SESSION_SECRET.
import { createHmac } from "node:crypto"
import * as Secret from "./secret"

const NAME = "session"

const sign = (organizationId: string) =>
  createHmac("sha256", Secret.of("SESSION_SECRET")).update(organizationId).digest("hex")

/** The header `Set-Cookie` of a new session. */
export const cookie = (organizationId: string) =>
  `${NAME}=${organizationId}.${sign(organizationId)}; Path=/; HttpOnly; Secure; SameSite=Strict`

/** Whose session the headers name; null where they name none that was signed here. */
export const read = (headers: Headers) => {
  const cookies = headers.get("cookie")?.split("; ") ?? []
  const session = cookies.find((text) => text.startsWith(`${NAME}=`))?.slice(NAME.length + 1)
  const [organizationId, signature] = session?.split(".") ?? []
  if (organizationId === undefined || signature === undefined) return null
  return Secret.isSame(signature, sign(organizationId)) ? { organizationId, actor: "shop" } : null
}
