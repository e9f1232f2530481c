/**
 * A real OpenID Connect provider, with its own pages to sign in; whoever signs in has the claims
 * that the test gives them. And one without pages, which forges answers that no real one gives.
 */
import { generateKeyPairSync, sign } from "node:crypto"
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

/**
 * Listens on a port of its own; `inToken`: which claims the ID token has. The user's information
 * has all.
 */
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

export interface Forger {
  readonly issuer: URL
  /**
   * What the next answers have: the ID token's claims, made of those that are right, or null for no
   * token, and the user's information, or null for an error in its place.
   */
  answer: {
    idToken: ((right: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) | null
    userInfo: Readonly<Record<string, unknown>> | null
    /** Whether each refresh token is good once. */
    rotates: boolean
  }
  /** How many codes and refresh tokens were exchanged. */
  readonly exchanged: () => number
  readonly close: () => Promise<void>
}

/**
 * A provider that says whatever the test has it say, signed as it should be. `nonce`: of the
 * sign-in that is under way.
 */
export const forging = async (nonce: () => string): Promise<Forger> => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const signed = (claims: unknown) => {
    const text = `${part({ alg: "RS256", kid: "1" })}.${part(claims)}`
    return `${text}.${sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url")}`
  }
  let exchanged = 0
  const answer: Forger["answer"] = { idToken: (right) => right, userInfo: { sub: "ada" }, rotates: false }
  const server = createServer(async (request, response) => {
    const of = new URL(request.url ?? "/", "http://127.0.0.1").pathname
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const now = Math.floor(Date.now() / 1_000)
    const right = () => ({ iss: issuer, sub: "ada", aud: CLIENT.id, nonce: nonce(), iat: now, exp: now + 300 })
    const sent = new URLSearchParams(Buffer.concat(await request.toArray()).toString()).get("refresh_token")
    const bodies: Readonly<Record<string, () => unknown>> = {
      "/.well-known/openid-configuration": () => ({
        ...{ issuer, jwks_uri: `${issuer}/jwks`, authorization_endpoint: `${issuer}/auth` },
        ...{ token_endpoint: `${issuer}/token`, userinfo_endpoint: `${issuer}/me`, response_types_supported: ["code"] }
      }),
      "/jwks": () => ({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256" }] }),
      "/me": () => answer.userInfo,
      "/token": () => {
        if (answer.rotates && sent !== null && sent !== `r${exchanged}`) return "invalid_grant"
        exchanged += 1
        const tokens = { access_token: "a", token_type: "Bearer", expires_in: 300, refresh_token: `r${exchanged}` }
        return answer.idToken === null ? tokens : { ...tokens, id_token: signed(answer.idToken(right())) }
      }
    }
    const body = bodies[of]?.() ?? null
    response.setHeader("content-type", "application/json")
    if (body === null) response.statusCode = 500
    if (body === "invalid_grant") response.statusCode = 400
    response.end(JSON.stringify(body === "invalid_grant" ? { error: body } : body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    issuer: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    answer,
    exchanged: () => exchanged,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
