/**
 * Sign-in to the console by an OpenID Connect provider (rule W14): the code flow with PKCE. `/admin/v1/sign-in` leads a browser to the
 * provider, and the provider leads it back to `/admin/v1/signed-in`, which begins a session of the operator that the claims name.
 *
 * What a sign-in has to remember stands encrypted in a cookie of ten minutes, so any process takes the way back. The provider is asked
 * for its configuration with the first sign-in; until it answers nobody signs in so, and everything else goes on.
 */
import { Clock, Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestContext } from "simplan"
import { Operator, TextLimit } from "simplan/ports"
import type * as OpenIdClient from "openid-client"
import type * as RateLimit from "./RateLimit.ts"
import * as Errors from "../wire/Errors.ts"
import * as Sessions from "./Sessions.ts"

/** The provider, and how its claims are read. */
export interface Provider {
  /** Where the provider's configuration is found. Only one of the same machine may be without TLS. */
  readonly issuer: URL
  readonly clientId: string
  /** Null: the client is public, and PKCE is all that it shows. */
  readonly clientSecret: Redacted.Redacted | null
  /** The address of `/admin/v1/signed-in` as browsers reach it, as it is registered with the provider. */
  readonly redirectUrl: URL
  /** The scopes that are asked for, apart by spaces. */
  readonly scope: string
  /** The claim with the role, or with a list that has it; dots lead into objects. The highest role counts. */
  readonly roleClaim: string
  /** The claim with the only organization that the operator sees. Without it, the operator sees all. */
  readonly organizationClaim: string
  /** The claim with the name that audit entries have, after `oidc:`; the subject where it is absent. */
  readonly nameClaim: string
}

const SIGN_IN = "/admin/v1/sign-in"
const SIGNED_IN = "/admin/v1/signed-in"

/** What the paths of the routes look like. */
export const paths = [SIGN_IN, SIGNED_IN] as const

const COOKIE = "simplan_sign_in"

/** How long a sign-in may take, in seconds. */
const LASTS = 600

/** How long the provider may take for an answer, in seconds. */
const TIMEOUT = 10

/** Why nobody is signed in. The console has a sentence for each. */
export type Refusal = "expired" | "refused" | "no_role" | "unreachable"

type Claims = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Claims => typeof value === "object" && value !== null

const claimOf = (claims: Claims, path: string): unknown =>
  // A claim whose name has dots comes first: some providers name theirs by URLs.
  path in claims
    ? claims[path]
    : path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), claims)

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Whom the claims name; null where they give no role, or an organization that is none. */
export const operatorOf = (claims: Claims, provider: Provider): Sessions.Identity | null => {
  const given = claimOf(claims, provider.roleClaim)
  const roles: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const role = Operator.roles.findLast((one) => roles.includes(one))
  const organization = claimOf(claims, provider.organizationClaim)
  const organizationId = textOf(organization) ?? null
  if (role === undefined || (organization !== undefined && organization !== null && organizationId === null))
    return null
  const name = textOf(claimOf(claims, provider.nameClaim)) ?? textOf(claims["sub"]) ?? ""
  return { name: `${Operator.OPEN_ID}${name}`.slice(0, TextLimit.NAME), role, organizationId }
}

interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Time of the machine, in milliseconds. */
  readonly endsAt: number
}

const begunOf = (text: string): Begun | null => {
  const [state, nonce, verifier, endsAt]: ReadonlyArray<unknown> = JSON.parse(text)
  return typeof state === "string" &&
    typeof nonce === "string" &&
    typeof verifier === "string" &&
    typeof endsAt === "number"
    ? { state, nonce, verifier, endsAt }
    : null
}

interface Client {
  readonly library: typeof OpenIdClient
  readonly config: OpenIdClient.Configuration
}

// An optional dependency. Bundlers let a package be missing that is imported in a `try`.
const loadLibrary = async () => {
  try {
    return await import("openid-client")
  } catch (error) {
    throw new Error("The package openid-client is not installed where the service runs", { cause: error })
  }
}

const discover = async ({ clientId, clientSecret, issuer }: Provider): Promise<Client> => {
  const library = await loadLibrary()
  const authentication =
    clientSecret === null ? library.None() : library.ClientSecretBasic(Redacted.value(clientSecret))
  const config = await library.discovery(issuer, clientId, undefined, authentication, {
    timeout: TIMEOUT,
    ...(issuer.protocol === "http:" && { execute: [library.allowInsecureRequests] })
  })
  return { library, config }
}

/** Asks for the configuration once, and again where that failed. */
const configured = (provider: Provider): (() => Promise<Client>) => {
  let client: Promise<Client> | undefined
  return () => {
    client ??= discover(provider).catch((error: unknown) => {
      client = undefined
      throw error
    })
    return client
  }
}

/** The claims of the ID token, and where it has no role those of the user's information. */
const claimsOf = async ({ config, library }: Client, url: URL, begun: Begun, roleClaim: string): Promise<Claims> => {
  const tokens = await library.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    idTokenExpected: true
  })
  const claims: Claims = { ...tokens.claims() }
  const subject = textOf(claims["sub"])
  if (claimOf(claims, roleClaim) !== undefined || subject === undefined) return claims
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await library.fetchUserInfo(config, tokens.access_token, subject)), ...claims }
}

/** Where a browser goes, with a cookie that it keeps. The address is relative, so that it holds below any prefix. */
const leadTo = (location: string, cookie?: string) =>
  HttpServerResponse.empty({
    status: 302,
    headers: {
      location,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      ...(cookie !== undefined && { "set-cookie": cookie })
    }
  })

const refuse = (refusal: Refusal) => leadTo(`../console?sign_in=${refusal}`)

/** What asking the provider came to. */
const asked = <A>(ask: () => Promise<A>, refusal: Refusal) =>
  Effect.tryPromise({ try: ask, catch: (error) => error }).pipe(
    Effect.tapError((error) =>
      Effect.logWarning("A sign-in by OpenID Connect failed", error instanceof Error ? error.message : error)
    ),
    Effect.mapError(() => refuse(refusal))
  )

/** Adds the routes, within the limit of the client's address. `secret` encrypts what a sign-in has to remember. */
export const layer = (
  provider: Provider,
  secret: Redacted.Redacted,
  sessions: Sessions.Sessions,
  trustedProxies: number,
  limited: RateLimit.AddressLimit
) => {
  const sealing = Sessions.sealing(secret, "simplan sign-in")
  const configure = configured(provider)

  const signIn = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const client = yield* asked(configure, "unreachable")
    const { config, library } = client
    const now = yield* Clock.currentTimeMillis
    const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()]
    const challenge = yield* Effect.promise(() => library.calculatePKCECodeChallenge(verifier))
    const url = library.buildAuthorizationUrl(config, {
      redirect_uri: provider.redirectUrl.href,
      scope: provider.scope,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state,
      nonce
    })
    const sealed = sealing.seal(JSON.stringify([state, nonce, verifier, now + LASTS * 1_000]))
    // The provider's page leads back: a cookie that is strictly of this site would be missing there.
    return leadTo(
      url.href,
      Sessions.setCookie({ name: COOKIE, value: sealed, seconds: LASTS, sameSite: "Lax" }, request, trustedProxies)
    )
  })

  const signedIn = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const text = sealing.open(Sessions.cookieOf(request, COOKIE) ?? "")
    const begun = text === null ? null : begunOf(text)
    const now = yield* Clock.currentTimeMillis
    if (begun === null || begun.endsAt <= now) return refuse("expired")
    const client = yield* asked(configure, "unreachable")
    const url = new URL(provider.redirectUrl)
    url.search = new URL(request.url, provider.redirectUrl).search
    const claims = yield* asked(() => claimsOf(client, url, begun, provider.roleClaim), "refused")
    const operator = operatorOf(claims, provider)
    if (operator === null) return refuse("no_role")
    const { cookie } = yield* sessions
      .begin({ operator }, request)
      .pipe(Effect.updateService(RequestContext.Current, (current) => ({ ...current, actor: operator.name })))
    return leadTo("../console", cookie)
  })

  const answering = (route: typeof signIn | typeof signedIn) =>
    limited(
      Effect.catch(route, (failure) =>
        HttpServerResponse.isHttpServerResponse(failure) ? Effect.succeed(failure) : Errors.responseTo(failure)
      )
    )

  return HttpRouter.use((router) =>
    Effect.andThen(router.add("GET", SIGN_IN, answering(signIn)), router.add("GET", SIGNED_IN, answering(signedIn)))
  )
}
