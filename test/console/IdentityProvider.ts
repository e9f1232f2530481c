/** A real OpenID Connect provider, with its own pages to sign in; whoever signs in has the claims that the test gives them. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import Provider from "oidc-provider"

export interface IdentityProvider {
  readonly issuer: URL
  /** Knows the client from now on, which may be led back to this address. */
  readonly open: (redirectUrl: string) => void
  /** The claims of users by name. */
  readonly users: Map<string, Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

export const CLIENT = { id: "simplan-console", secret: "the-secret-of-the-console" }

const CLAIMS = ["groups", "simplan_role", "simplan_organization", "email", "email_verified"]

/** Listens on a port of its own; `inToken`: which claims the ID token has. The user's information has all. */
export const start = async (inToken: ReadonlyArray<string> = CLAIMS): Promise<IdentityProvider> => {
  const users = new Map<string, Readonly<Record<string, unknown>>>()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const issuer = new URL(`http://127.0.0.1:${port}`)
  return {
    issuer,
    users,
    open: (redirectUrl) => {
      const provider = new Provider(issuer.href.replace(/\/$/, ""), {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            redirect_uris: [redirectUrl],
            grant_types: ["authorization_code", "refresh_token"]
          }
        ],
        claims: { openid: ["sub", ...inToken], profile: CLAIMS.filter((name) => !inToken.includes(name)) },
        conformIdTokenClaims: true,
        cookies: { keys: ["a key of the test alone"] },
        pkce: { required: () => true },
        findAccount: (_, sub) =>
          users.has(sub) ? { accountId: sub, claims: () => ({ sub, ...users.get(sub) }) } : undefined
      })
      server.on("request", provider.callback())
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
