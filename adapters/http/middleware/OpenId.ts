/**
 * Sign-in to the console by an OpenID Connect provider (rule W14): the code flow with PKCE.
 * `/admin/v1/sign-in` leads a browser to the provider, and the provider leads it back to
 * `/admin/v1/signed-in`, which begins a session of the operator that the claims name.
 *
 * What a sign-in has to remember stands encrypted in a cookie of ten minutes, so any process takes
 * the way back. The provider is asked for its configuration with the first sign-in; until it
 * answers nobody signs in so, and everything else goes on.
 *
 * What the claims say holds for a while. If the provider gives a refresh token, which the
 * session's cookie has, the provider is asked again by it: `/admin/v1/renewed-session`, which the
 * console calls when its session is refused. Whoever has no role any more is signed out by that.
 * Without a refresh token the session is a short one.
 */
import { Clock, Effect, Redacted, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestContext } from "simplan"
import type * as OpenIdClient from "openid-client"
import type * as RateLimit from "./RateLimit.ts"
import * as Errors from "../wire/Errors.ts"
import * as Auth from "./Auth.ts"
import * as Claims from "./Claims.ts"
import * as OperatorAuth from "./OperatorAuth.ts"
import * as Sessions from "./Sessions.ts"

/** The provider, and how its claims are read. */
export interface Provider extends Claims.Names {
  /**
   * Where the provider's configuration is found. Only one of the same machine may be without TLS.
   */
  readonly issuer: URL
  readonly clientId: string
  /** Null: the client is public, and PKCE is all that it shows. */
  readonly clientSecret: Redacted.Redacted | null
  /**
   * The address of `/admin/v1/signed-in` as browsers reach it, as it is registered with the
   * provider.
   */
  readonly redirectUrl: URL
  /** The scopes that are asked for, apart by spaces. */
  readonly scope: string
  /** After how many milliseconds the provider is asked again, if it gives a refresh token. */
  readonly renewalMillis: number
  /** How many milliseconds a session lasts if it gives none. */
  readonly sessionMillis: number
}

const SIGN_IN = "/admin/v1/sign-in"
const SIGNED_IN = "/admin/v1/signed-in"
// Beside the others: a cookie that names no path goes to the folder of the address that sets it.
const RENEW = "/admin/v1/renewed-session"

/** The methods and paths of the routes. */
export const routes = [
  { method: "GET", path: SIGN_IN },
  { method: "GET", path: SIGNED_IN },
  { method: "POST", path: RENEW }
] as const

const COOKIE = "simplan_sign_in"

/** The cookie of a sign-in, by its state: two tabs may each be led to the provider. */
const cookieNameOf = (state: string | null): string =>
  state !== null && /^[\w-]{8,}$/.test(state) ? `${COOKIE}_${state.slice(0, 8)}` : COOKIE

/** How long a sign-in may take, in seconds. */
const LASTS = 600

/** How long the provider may take for an answer, in seconds. */
const TIMEOUT = 10

/** Why nobody is signed in. The console has a sentence for each. */
export type Refusal = "expired" | "refused" | "no_role" | "unreachable"

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

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

/** Asks for the configuration once, and again if that failed. */
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

type Tokens = OpenIdClient.TokenEndpointResponse & OpenIdClient.TokenEndpointResponseHelpers

/** What the provider has given for a code or a refresh token. */
interface Given {
  /** Of the ID token; none if none came. */
  readonly claims: Claims.Claims
  readonly subject: string | undefined
  readonly accessToken: string
  readonly renewal: Sessions.Renewal | null
}

/** Checks it. `before`: how the provider was asked, if it is asked again. */
const givenBy = (tokens: Tokens, provider: Provider, before: Sessions.Renewal | null): Given => {
  const claims: Claims.Claims = { ...tokens.claims() }
  const subject = before?.subject ?? textOf(claims["sub"])
  // A token that comes again is of the same user (OpenID Connect, section 12.2).
  if (claims["sub"] !== undefined && claims["sub"] !== subject) throw new Error("The ID token is of another user")
  // Whoever may have asked for it (OpenID Connect, section 3.1.3.7): the library looks only if it
  // is meant for several clients.
  const { clientId } = provider
  if ((claims["azp"] ?? clientId) !== clientId) throw new Error("The ID token was asked for by another client")
  // A provider may let the same token go on.
  const refreshToken = tokens.refresh_token ?? before?.refreshToken
  const isRoleInToken = Claims.haveRole(claims, provider) || (before !== null && before.isRoleInToken !== false)
  const renewal = subject === undefined || refreshToken === undefined ? null : { subject, refreshToken, isRoleInToken }
  return { claims, subject, accessToken: tokens.access_token, renewal }
}

/** The claims of the ID token, and those of the user's information unless the token has all. */
const placesOf = async (
  { config, library }: Client,
  { accessToken, claims, subject }: Given,
  provider: Provider
): Promise<ReadonlyArray<Claims.Claims>> => {
  const isWhole = subject === undefined || config.serverMetadata().userinfo_endpoint === undefined
  if (isWhole || Claims.areComplete(claims, provider)) return [claims]
  return [claims, { ...(await library.fetchUserInfo(config, accessToken, subject)) }]
}

/** What the provider gives for whom it has led back. */
const signedInBy = async (client: Client, url: URL, begun: Begun, provider: Provider): Promise<Given> => {
  const tokens = await client.library.authorizationCodeGrant(client.config, url, {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    idTokenExpected: true
  })
  return givenBy(tokens, provider, null)
}

/** What the provider gives now; null if it says that the sign-in is over. */
const askedAgain = async (client: Client, before: Sessions.Renewal, provider: Provider): Promise<Given | null> => {
  try {
    const tokens = await client.library.refreshTokenGrant(client.config, before.refreshToken)
    return givenBy(tokens, provider, before)
  } catch (error) {
    if (error instanceof client.library.ResponseBodyError && error.error === "invalid_grant") return null
    throw error
  }
}

/** Whom claims name; null, and a line in the log, if they name nobody. */
const named = (operator: Result.Result<Sessions.Identity, string>) =>
  // Failure: nobody is signed in, or goes on being so.
  Effect.catch(Effect.fromResult(operator), (reason) =>
    Effect.as(Effect.logWarning(`A sign-in by OpenID Connect is refused: ${reason}`), null)
  )

/** Browsers keep no cookie of more than 4,096 bytes; encrypted, this many are 3,600. */
const MOST_KEPT = 2_600

/** How the session of an operator goes on, by what the provider has answered. */
const held = (
  operator: Sessions.Identity,
  given: Sessions.Renewal | null,
  { renewalMillis, sessionMillis }: Provider
): { readonly holder: Sessions.Named; readonly terms: Sessions.Terms } => {
  const fits = given !== null && Buffer.byteLength(JSON.stringify([operator, given])) <= MOST_KEPT
  return fits
    ? { holder: { operator, renewal: given }, terms: { lasts: Sessions.LASTS, renewedAfter: renewalMillis } }
    : { holder: { operator, renewal: null }, terms: { lasts: sessionMillis, renewedAfter: null } }
}

/**
 * Where a browser goes, with a cookie that it keeps. The address is relative, so that it holds
 * below any prefix.
 */
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
const learnt = <A>(ask: () => Promise<A>, what: string) =>
  Effect.tryPromise({ try: ask, catch: (error) => error }).pipe(
    Effect.tapError((error) =>
      Effect.logWarning(`${what} by OpenID Connect failed`, error instanceof Error ? error.message : error)
    )
  )

const asked = <A>(ask: () => Promise<A>, refusal: Refusal) =>
  Effect.mapError(learnt(ask, "A sign-in"), () => refuse(refusal))

const silent = new Errors.Problem({
  code: "identity_provider_unavailable",
  message: "The identity provider gives no answer, so that nothing says what the operator may do; try again"
})

/** Adds the routes, within the limit of the client's address. */
export const layer = (
  provider: Provider,
  sessions: Sessions.Sessions,
  trustedProxies: number,
  limited: RateLimit.AddressLimit
) => {
  const sealing = sessions.sealing("simplan sign-in")
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
      nonce,
      // What OpenID Connect (section 11) asks for.
      ...(provider.scope.split(" ").includes("offline_access") && { prompt: "consent" })
    })
    const { seal } = yield* sealing
    const sealed = seal(JSON.stringify([state, nonce, verifier, now + LASTS * 1_000]))
    // The provider's page leads back: a cookie that is strictly of this site would be missing
    // there.
    return leadTo(
      url.href,
      Sessions.setCookie(
        { name: cookieNameOf(state), value: sealed, seconds: LASTS, sameSite: "Lax" },
        request,
        trustedProxies
      )
    )
  })

  /** The address that the provider led back to, whatever proxies are between. */
  const returned = (request: HttpServerRequest.HttpServerRequest): URL => {
    const url = new URL(provider.redirectUrl)
    url.search = new URL(request.url, provider.redirectUrl).search
    return url
  }

  const signedIn = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { open } = yield* sealing
    const url = returned(request)
    const text = open(Sessions.cookieOf(request, cookieNameOf(url.searchParams.get("state"))) ?? "")
    const begun = text === null ? null : begunOf(text)
    const now = yield* Clock.currentTimeMillis
    if (begun === null || begun.endsAt <= now) return refuse("expired")
    const client = yield* asked(configure, "unreachable")
    const given = yield* asked(() => signedInBy(client, url, begun, provider), "refused")
    const places = yield* asked(() => placesOf(client, given, provider), "refused")
    const operator = yield* named(Claims.operatorOf(places, provider))
    if (operator === null) return refuse("no_role")
    const { holder, terms } = held(operator, given.renewal, provider)
    const { cookie } = yield* sessions
      .begin(holder, request, terms)
      .pipe(Effect.updateService(RequestContext.Current, (current) => ({ ...current, actor: operator.name })))
    return leadTo("../console", cookie)
  })

  const answeredBy = <A>(ask: () => Promise<A>) => Effect.mapError(learnt(ask, "A renewal"), () => silent)

  /** For whom a session goes on, and how, by what the provider says now; null: it does not. */
  const askedFor = Effect.fnUntraced(function* ({ operator, renewal }: Sessions.Named, keep: Sessions.Keep) {
    if (renewal === null) return null
    const client = yield* answeredBy(configure)
    const given = yield* answeredBy(() => askedAgain(client, renewal, provider))
    if (given === null) return null
    // The one before may be good no more (RFC 6749, section 6), and the rest may get no answer.
    if (given.renewal?.refreshToken !== renewal.refreshToken) yield* keep({ operator, renewal: given.renewal })
    const places = yield* answeredBy(() => placesOf(client, given, provider))
    const mayRise = renewal.isRoleInToken === false || Claims.haveRole(given.claims, provider)
    const now = yield* named(
      Result.flatMap(Claims.operatorOf(places, provider), (said) => Claims.renewed(operator, said, mayRise))
    )
    return now === null ? null : held(now, given.renewal, provider)
  })

  const renew = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!Sessions.isSameOrigin(request, trustedProxies)) return yield* Auth.fromElsewhere
    const session = yield* sessions.of(request)
    if (session === null || "token" in session.holder || session.holder.renewal === null) {
      return yield* OperatorAuth.sessionEnded
    }
    const { operator } = session.holder
    const cookie = yield* sessions.renew({ ...session, holder: session.holder }, request, askedFor).pipe(
      Effect.catchTag("RenewalUnderWay", () => Effect.fail(silent)),
      Effect.updateService(RequestContext.Current, (current) => ({ ...current, actor: operator.name }))
    )
    return cookie === null
      ? HttpServerResponse.setHeader(
          yield* Errors.responseTo(OperatorAuth.sessionEnded),
          "set-cookie",
          sessions.removal(request)
        )
      : HttpServerResponse.empty({ status: 204, headers: { "cache-control": "no-store", "set-cookie": cookie } })
  })

  const answered = (route: typeof signIn | typeof signedIn | typeof renew) =>
    Effect.catch(route, (failure) =>
      HttpServerResponse.isHttpServerResponse(failure) ? Effect.succeed(failure) : Errors.responseTo(failure)
    )

  /**
   * One way back for each sign-in: whatever has come of it, its state and its verifier are good for
   * no other.
   */
  const forgetting = (answer: HttpServerResponse.HttpServerResponse) =>
    Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      HttpServerResponse.expireCookieUnsafe(answer, cookieNameOf(returned(request).searchParams.get("state")), {
        httpOnly: true,
        sameSite: "lax"
      })
    )

  return HttpRouter.use((router) =>
    Effect.all(
      [
        router.add("GET", SIGN_IN, limited(answered(signIn))),
        router.add("GET", SIGNED_IN, limited(Effect.flatMap(answered(signedIn), forgetting))),
        router.add("POST", RENEW, limited(answered(renew)))
      ],
      { discard: true }
    )
  )
}
