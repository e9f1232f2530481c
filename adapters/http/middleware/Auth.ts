/**
 * Who may call: a guard for each group of endpoints, which runs before anything else of a request
 * is read (rules W3, W8, W10 and W13). `HostAuth` has the guards of a host that authenticates by
 * itself.
 *
 * - An API key names the organization that calls. Its scope is checked, and the request is taken
 *   from its rate limit, in the order 401, 403, 429.
 * - Bearer tokens are for the management API (`OperatorAuth`) and for the telco. Those that the
 *   server was started with are compared in constant time. An API whose token is not configured
 *   does not exist: every request to it is 404.
 *
 * Guessing is limited: wrong keys and tokens are counted by the client's address, and one that has
 * sent too many gets 429 for them. A right key or token is never refused for the wrong ones of
 * others behind the same address: a key is wrong only once it was looked up. Look-ups of unknown
 * keys have a bound of their own, which addresses share by turns: guesses delay guesses of the same
 * address first, then those of others, and never a known key. A client whose address is unknown is
 * not limited.
 */
import { Effect, Redacted, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ApiKeys, FairSlots, RequestContext } from "simplan"
import { ActivationCode, type ApiKey, Clocks, type Operator, type Sim } from "simplan/ports"
import { createHash, timingSafeEqual } from "node:crypto"
import type * as Roles from "../api/Roles.ts"
import * as Errors from "../wire/Errors.ts"
import * as KeyLimits from "./KeyLimits.ts"
import * as RateLimit from "./RateLimit.ts"
import * as Requests from "./Requests.ts"

/** What a guard reads. */
export interface Credentials {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Whether the endpoint changes anything. */
  readonly writes: boolean
  /** What the endpoint needs of an operator; undefined if it is none of the management API. */
  readonly need: Roles.Need | undefined
  /** The organization that the path names; undefined if it names none. */
  readonly organizationId: string | undefined
}

/** A caller that acts for an organization. */
export interface Tenant {
  readonly organizationId: string
  /** Whether activation codes are shortened for it; they are not if it is absent. */
  readonly hidesCodes?: boolean
  /** The name of the operator that acts for it; absent if it acts itself. */
  readonly operator?: string
  /** What that operator may do; absent if it acts itself. */
  readonly role?: Operator.Role
  /** Who acts for it, as the host says; absent if that is no host's, or an operator. */
  readonly actor?: string
}

/** Who calls. */
export interface Admitted<Caller> {
  readonly caller: Caller
  /** Who that is in audit entries (rule W11). */
  readonly actor: string
  /** The caller's limits; null if it has none. */
  readonly limited: KeyLimits.Limited | null
  /**
   * What is checked after the path and the query, which are refused first; nothing if it is
   * absent.
   */
  readonly check?: Effect.Effect<void, Errors.Failure>
}

/** Finds out who calls, or refuses the request. */
export type Guard<Caller> = (credentials: Credentials) => Effect.Effect<Admitted<Caller>, Errors.Failure>

/** A caller of whom no more is known than this. */
export const known = (actor: string): Admitted<undefined> => ({ caller: undefined, actor, limited: null })

/** The guard of endpoints that anybody may call. */
export const anybody: Guard<undefined> = () => Effect.succeed(known("anyone"))

/** How many wrong keys and tokens an address may send if no other rate is set. */
export const failureRate: RateLimit.Rate = { requests: 100, window: "10 seconds" }

/** How many unknown keys are looked up at a time. */
const SLOTS = 8

/** How many look-ups of one address wait: as many as it has connections. */
const WAITING = 1_000

/** How long a look-up waits, in milliseconds. */
const WAIT_LIMIT = 10_000

export interface FailedAuthentication {
  /** Runs the check of a key: if the key is unknown, when it is the turn of its address. */
  readonly guarded: <A, E>(check: Effect.Effect<A, E>, isKnown: () => boolean) => Effect.Effect<A, E | Errors.Problem>
  /** Counts a failed attempt. It fails with the problem, or with 429. */
  readonly count: (problem: Errors.Problem) => Effect.Effect<never, Errors.Problem>
}

const limited = (message: string, seconds: number): Errors.Problem =>
  new Errors.Problem({ code: "rate_limited", message, headers: Errors.retryAfter(seconds) })

const tooManyWaiting = Effect.fail(limited("Too many unknown keys from this address wait to be looked up", 1))

export const limitFailures = (rate: RateLimit.Rate): Effect.Effect<FailedAuthentication, never, Scope.Scope> =>
  Effect.map(RateLimit.make("failed authentication", rate), (limit): FailedAuthentication => {
    const slots = FairSlots.make({ slots: SLOTS, mostWaiting: WAITING })
    const network = Effect.map(RequestContext.Current, ({ address }) =>
      address === null ? null : Requests.network(address)
    )
    return {
      guarded: <A, E>(check: Effect.Effect<A, E>, isKnown: () => boolean): Effect.Effect<A, E | Errors.Problem> =>
        Effect.suspend(() =>
          isKnown()
            ? check
            : Effect.flatMap(network, (from): Effect.Effect<A, E | Errors.Problem> => {
                const asking = { organizationId: from ?? "", isUrgent: true, waitLimitMillis: WAIT_LIMIT }
                return slots.run(asking, check, tooManyWaiting)
              })
        ),
      count: (problem) =>
        Effect.flatMap(Effect.all([network, Clocks.monotonicNow]), ([from, now]) => {
          const seconds = from === null || limit === null ? 0 : limit.take(from, now)
          return Effect.fail(
            seconds > 0 ? limited("Too many wrong keys or tokens from this address", seconds) : problem
          )
        })
    }
  })

const keyMissing = new Errors.Problem({ code: "key_missing", message: "Unauthorized: API key is missing" })

const keyInvalid = new Errors.Problem({ code: "key_invalid", message: "Unauthorized: API key is not valid" })

const readOnly = new Errors.Problem({ code: "key_read_only", message: "Forbidden: this API key may only read" })

/** The keys that a request carries in its query and its header, each once. */
const keysOf = ({ query, request }: Credentials): ReadonlyArray<string> => {
  const inQuery = query["key"] ?? ""
  const inHeader = request.headers["x-api-key"] ?? ""
  if (inHeader === "" && typeof inQuery === "string") return inQuery === "" ? [] : [inQuery]
  return [...new Set([inQuery, inHeader].flat())].filter((key) => key !== "")
}

/** The guard of endpoints that belong to an organization. */
export const byApiKey = (
  limits: KeyLimits.KeyLimits,
  failed: FailedAuthentication
): Effect.Effect<Guard<ApiKey.ApiKey>, never, ApiKeys.ApiKeys> =>
  Effect.map(ApiKeys.ApiKeys, (apiKeys) => {
    // Keys are cached, and so is the hash of a text that is kept.
    const readers = new WeakMap<ApiKey.ApiKey, KeyLimits.Reader>()
    const readerOf = (caller: ApiKey.ApiKey): KeyLimits.Reader => {
      const known = readers.get(caller)
      if (known !== undefined) return known
      const reader = KeyLimits.reader(caller.apiKeyId, caller.organizationId)
      readers.set(caller, reader)
      return reader
    }
    return (credentials) => {
      const [key, other] = keysOf(credentials)
      if (key === undefined) return Effect.fail(keyMissing)
      if (other !== undefined) return failed.count(keyInvalid)
      const checked = failed.guarded(
        Effect.catchTag(apiKeys.authenticate(key), "KeyRefused", () => failed.count(keyInvalid)),
        () => apiKeys.isKnown(key)
      )
      return Effect.flatMap(checked, (caller) => {
        if (credentials.writes && caller.scope === "read") return Effect.fail(readOnly)
        const reader = readerOf(caller)
        const admitted = { caller, actor: caller.apiKeyId, limited: limits.limited(reader, credentials.request) }
        return Effect.as(limits.admit(reader), admitted)
      })
    }
  })

const challenge = { "www-authenticate": "Bearer" }

const tokenMissing = new Errors.Problem({
  code: "token_missing",
  message: "Unauthorized: bearer token is missing",
  headers: challenge
})

export const tokenInvalid = new Errors.Problem({
  code: "token_invalid",
  message: "Unauthorized: bearer token is not valid",
  headers: challenge
})

/** The refusal of a change that another page has a browser ask for. */
export const fromElsewhere = new Errors.Problem({
  code: "forbidden",
  message: "Forbidden: the request comes from a page of another origin"
})

/** What secrets are compared by, so that the time it takes reveals nothing of them. */
export const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

/** The bearer token of a request. */
export const bearerOf = ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<string, Errors.Problem> => {
  const credential = /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
  return credential === undefined ? Effect.fail(tokenMissing) : Effect.succeed(credential)
}

/** Whether a text is the token, compared in constant time; null if there is no token. */
export const matcher = (token: Redacted.Redacted | undefined): ((text: string) => boolean) | null => {
  if (token === undefined) return null
  const expected = digest(Redacted.value(token))
  return (text) => timingSafeEqual(expected, digest(text))
}

/**
 * A token of fewer bits can be guessed by who has something to try it on (RFC 6750, section 5.3,
 * and RFC 6749, section 10.10).
 */
const STRONG = 128

/**
 * Kinds of characters, and how many there are of each; hexadecimal digits if there are no other
 * letters.
 */
const kinds = [
  [/[g-z]/, 26],
  [/^[^g-z]*[a-f][^g-z]*$/, 6],
  [/[G-Z]/, 26],
  [/^[^G-Z]*[A-F][^G-Z]*$/, 6],
  [/\d/, 10]
] as const

/** The pairs of letters that words have most. */
const PAIRS: ReadonlySet<string> = new Set(
  (
    "th he in er an re nd on en at ou ed ha to or it is hi es ng ea ti st as nt al te ve le se " +
    "ar ro me de ll ra ne ri ic li co ma om ur io ch ns el ta la ce ca ec us pl ss ho wh wi ct " +
    "di da si un no so il lo ad ac pe mi mo wa ge em pr ol ee ke et po ow tr am id ut tt ot ay " +
    "ai su fo wo ie op pa ck ok ba ry we be sh vi my ey br"
  ).split(" ")
)

/**
 * How many characters follow from those before: they go on by a step, in up to three turns, or
 * three of them come again.
 */
const following = (token: string): number => {
  const step = (at: number, lag: number) => token.charCodeAt(at) - token.charCodeAt(at - lag)
  const isStep = (at: number, lag: number) => Math.abs(step(at, lag)) <= 1 && step(at, lag) === step(at - lag, lag)
  return Array.from(
    token,
    (_, at) => [1, 2, 3].some((lag) => isStep(at, lag)) || token.indexOf(token.slice(at - 2, at + 1)) < at - 2
  ).filter(Boolean).length
}

/**
 * Whether a token has fewer than 128 bits. It counts as random, as if each of its characters were
 * chosen among all of its kinds, unless it has more order, or more of words, than one of a million
 * random ones has. Then what follows from the characters before counts nothing, and words count as
 * much as two letters.
 */
export const isGuessable = (token: string): boolean => {
  const isHex = /^(?:[\da-f-]*|[\dA-F-]*)$/.test(token)
  const present = kinds.filter(([kind]) => kind.test(token))
  const others = new Set(token.replaceAll(/[a-z\d]/gi, "")).size
  const alphabet = present.reduce((sum, [, count]) => sum + count, others)
  const ordered = following(token)
  // The third letter of each word or number and those after it, each with the two before.
  const runs = isHex ? [] : (token.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [])
  const more = runs.flatMap((run) => Array.from(run.slice(2), (_, at) => run.slice(at, at + 3).toLowerCase()))
  const spelt = more.filter((three) => PAIRS.has(three.slice(0, 2)) && PAIRS.has(three.slice(1)))
  const separated = isHex ? [] : (token.match(/[a-z]{2}[^a-z\d](?=[a-z\d])/gi) ?? [])
  const likeWords = more.length + 2 * spelt.length + 3 * separated.length
  const isChosen = ordered > 4 + token.length / 5 || likeWords > 14 + token.length / 2
  return isChosen
    ? Math.max(0, token.length - ordered - more.length) * Math.log2(alphabet) < STRONG
    : token.length * Math.log2(isHex || present.length < 2 ? Math.max(1, alphabet) : Math.max(64, alphabet)) < STRONG
}

/** Says so if a token of the settings can be guessed. */
export const warnOf = (token: Redacted.Redacted | undefined, of: string): Effect.Effect<void> =>
  token !== undefined && isGuessable(Redacted.value(token))
    ? Effect.logWarning(
        `The token of ${of} can be guessed, since it has less than ${STRONG} bits: choose a random one, such as openssl rand -hex 32 makes`
      )
    : Effect.void

/** The guard of endpoints that need the token; `actor` is who has it (rule W11). */
export const byBearer = (
  token: Redacted.Redacted | undefined,
  actor: string,
  failed: FailedAuthentication
): Guard<undefined> => {
  const isToken = matcher(token)
  if (isToken === null) return () => Effect.fail(Errors.routeNotFound)
  const admitted = known(actor)
  return ({ request }) =>
    Effect.flatMap(bearerOf(request), (credential) =>
      isToken(credential) ? Effect.succeed(admitted) : failed.count(tokenInvalid)
    )
}

/** What an answer has of the activation code of a SIM, and of the links that install it. */
export interface Installation {
  readonly lpa: (sim: Pick<Sim.Sim, "lpa">) => string | null
  readonly links: (sim: Pick<Sim.Sim, "lpa">) => { readonly install?: ActivationCode.Links | null }
}

const shown: Installation = { lpa: ({ lpa }) => lpa, links: () => ({}) }

const shownWithLinks: Installation = {
  lpa: shown.lpa,
  links: ({ lpa }) => ({ install: lpa === null ? null : ActivationCode.linksOf(lpa) })
}

const shortened: Installation = {
  lpa: ({ lpa }) => (lpa === null ? null : ActivationCode.shortened(lpa)),
  links: () => ({})
}

const shortenedWithLinks: Installation = { lpa: shortened.lpa, links: () => ({ install: null }) }

/** The code as the caller may see it, and the links if the query asks for them (rule I10). */
export const installation = (of: {
  readonly query: { readonly install?: "true" | "false" }
  readonly caller: { readonly hidesCodes?: boolean }
}): Installation => {
  const asks = of.query.install === "true"
  if (of.caller.hidesCodes === true) return asks ? shortenedWithLinks : shortened
  return asks ? shownWithLinks : shown
}
