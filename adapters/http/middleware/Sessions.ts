/**
 * Sessions of browsers in the management API (rule W14): an operator's token is exchanged for a cookie, with which the console asks;
 * or an identity provider has named the operator (`OpenId`).
 *
 * A session is stored nowhere. The cookie has the token or the operator, the session's id and its end, encrypted with a key that is made of the token
 * that the server was started with. So every process takes it, a restart keeps it, and it ends with the operator's token, which is
 * looked up as one that was sent. A session that was ended has an audit entry, which is where others see that it has: at once the
 * process that ended it, within 5 s all.
 *
 * The cookie names no path, so that a browser sends it to the management API alone, below whatever prefix it is reached.
 */
import { Clock as MachineClock, Effect, Option, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AuditLog, Clock, Settings, type Time } from "simplan"
import { AuditEntry, Clocks, Operator } from "simplan/ports"
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type * as Errors from "../wire/Errors.ts"
import * as Requests from "./Requests.ts"

/** The name of the cookie. */
export const COOKIE = "simplan_session"

/** How long a session lasts at most, in milliseconds of the machine's clock. */
export const LASTS = 8 * 3_600_000

/** How many sessions are kept that were looked up, and how many that were ended. */
const KEPT = 10_000

/** An operator whom an identity provider has named. */
export interface Identity extends Operator.Acting {
  readonly name: string
}

/** By what the provider is asked again about whom it has named. */
export interface Renewal {
  readonly subject: string
  readonly refreshToken: string
}

/** One whom an identity provider has named, and how it is asked again; null: it is not. */
export interface Named {
  readonly operator: Identity
  readonly renewal: Renewal | null
}

/** Whose a session is: of the operator with the token, or of one whom an identity provider has named. */
export type Holder = { readonly token: string } | Named

/** For how long, in milliseconds of the machine's clock. */
export interface Terms {
  /** At most. */
  readonly lasts: number
  /** After how long the provider has to be asked again; null: never. */
  readonly renewedAfter: number | null
}

/** A session as its cookie has it. */
export interface Session {
  readonly id: string
  readonly holder: Holder
  /** Business time: entries that end it are not from before. */
  readonly begunAt: Time.Instant
  /** Time of the machine. */
  readonly endsAt: number
  /** From this time of the machine on it has to be renewed first; null: never. */
  readonly renewsAt: number | null
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly seconds: number
  readonly sameSite: "Strict" | "Lax"
}

export interface Sessions {
  /** Begins one. Returns it with the value of the header that sets its cookie. */
  readonly begin: (
    holder: Holder,
    request: HttpServerRequest.HttpServerRequest,
    terms?: Terms
  ) => Effect.Effect<{ readonly session: Session; readonly cookie: string }, Errors.Failure>
  /** The value of the header that sets the cookie of a session that goes on. It ends when it was to end, or earlier. */
  readonly renew: (
    session: Session,
    holder: Holder,
    request: HttpServerRequest.HttpServerRequest,
    terms: Terms
  ) => string
  /** Whether a session has to be renewed before anything is done by it. */
  readonly isStale: (session: Session) => boolean
  /** The session of a request; null where it has none that is good. It may have to be renewed first. */
  readonly of: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Session | null, Errors.Failure>
  /** Ends one. Returns the value of the header that removes its cookie. */
  readonly end: (
    session: Session,
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<string, Errors.Failure>
}

const NONCE = 12
const TAG = 16

/** Encrypts texts for a purpose, and reads what it has encrypted; null for anything else. */
export const sealing = (secret: Redacted.Redacted, purpose: string) => {
  const key = new Uint8Array(hkdfSync("sha256", Redacted.value(secret), "", purpose, 32))
  return {
    seal: (text: string): string => {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv("aes-256-gcm", key, nonce)
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
    },
    open: (text: string): string | null => {
      const bytes = Buffer.from(text, "base64url")
      if (bytes.length <= NONCE + TAG) return null
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE))
        decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
        return decipher.update(bytes.subarray(NONCE + TAG), undefined, "utf8") + decipher.final("utf8")
      } catch {
        return null
      }
    }
  }
}

/** The value of a cookie of a request; undefined where it has none. */
export const cookieOf = ({ headers }: HttpServerRequest.HttpServerRequest, name: string = COOKIE): string | undefined =>
  (headers["cookie"] ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** `Requests.forwarded`, or what the last proxy says, where not all of them add to the header; undefined where no proxy is trusted. */
const forwarded = (value: string | undefined, trustedProxies: number): string | undefined =>
  Requests.forwarded(value, trustedProxies) || Requests.forwarded(value, Math.min(1, trustedProxies))

/** Whether the client reaches the server over TLS: as a web request says, or a trusted proxy. */
const isSecure = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number): boolean =>
  request.originalUrl.startsWith("https:") ||
  forwarded(request.headers["x-forwarded-proto"], trustedProxies)?.toLowerCase() === "https"

/**
 * Whether a browser sends a request from a page of the same origin. Where it does not say so, which it does not do without TLS, the
 * host of the page's origin must be the one that the request was sent to.
 */
export const isSameOrigin = ({ headers }: HttpServerRequest.HttpServerRequest, trustedProxies: number): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const origin = headers["origin"]
  if (origin === undefined || !URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === headers["host"] || host === forwarded(headers["x-forwarded-host"], trustedProxies)
}

/** The value of the header that sets a cookie. It names no path, so that it goes to the management API alone. */
export const setCookie = (
  { name, sameSite, seconds, value }: Cookie,
  request: HttpServerRequest.HttpServerRequest,
  trustedProxies: number
): string =>
  `${name}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${isSecure(request, trustedProxies) ? "; Secure" : ""}`

const Contents = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    holder: Schema.Union([
      Schema.Struct({ token: Schema.String }),
      Schema.Struct({
        operator: Schema.Struct({
          name: Schema.String,
          role: Schema.Literals(Operator.roles),
          organizationId: Schema.NullOr(Schema.String)
        }),
        renewal: Schema.NullOr(Schema.Struct({ subject: Schema.String, refreshToken: Schema.String }))
      })
    ]),
    begunAt: Schema.Number,
    endsAt: Schema.Number,
    renewsAt: Schema.NullOr(Schema.Number)
  })
)

const contentsOf = Schema.decodeUnknownOption(Contents)

/** Sessions of a server that was started with the token. */
export const make = (
  secret: Redacted.Redacted,
  trustedProxies: number
): Effect.Effect<Sessions, never, AuditLog.AuditLog | Clock.Clock> =>
  Effect.gen(function* () {
    const log = yield* AuditLog.AuditLog
    const business = yield* Clock.Clock
    const machine = yield* MachineClock.Clock
    const { auditRetentionMillis, cacheMillis } = yield* Settings.Settings
    const { open, seal } = sealing(secret, "simplan session")
    // The entry that ends a session is kept no longer than others.
    const longest = Math.min(LASTS, auditRetentionMillis)
    const ended = new Set<string>()
    const goodUntil = new Map<string, number>()

    const recorded = (session: Session, action: "session.create" | "session.delete") =>
      log.record({ organizationId: AuditEntry.SERVICE, action, resourceId: session.id, iccid: null })

    const header = (value: string, seconds: number, request: HttpServerRequest.HttpServerRequest): string =>
      setCookie({ name: COOKIE, value, seconds, sameSite: "Strict" }, request, trustedProxies)

    /** Whether it was ended, in any process. */
    const isEnded = Effect.fnUntraced(function* ({ begunAt, id }: Session) {
      if (ended.has(id)) return true
      const now = yield* Clocks.monotonicNow
      if ((goodUntil.get(id) ?? Number.NEGATIVE_INFINITY) > now) return false
      const asked = { organizationId: AuditEntry.SERVICE, from: begunAt, to: null, actor: null, resourceId: id }
      const { items } = yield* log.page({ ...asked, action: "session.delete", after: null, limit: 1 })
      if (items.length > 0 || ended.has(id)) return true
      if (goodUntil.size >= KEPT) goodUntil.clear()
      goodUntil.set(id, now + cacheMillis)
      return false
    })

    /** The session from now on, and its cookie. It ends when it was to end, or earlier. */
    const going = (
      before: Omit<Session, "renewsAt">,
      { lasts, renewedAfter }: Terms,
      request: HttpServerRequest.HttpServerRequest
    ) => {
      const now = machine.currentTimeMillisUnsafe()
      const endsAt = Math.min(before.endsAt, now + Math.min(lasts, longest))
      const session: Session = { ...before, endsAt, renewsAt: renewedAfter === null ? null : now + renewedAfter }
      const seconds = Math.max(0, Math.floor((endsAt - now) / 1_000))
      return { session, cookie: header(seal(JSON.stringify(session)), seconds, request) }
    }

    return {
      begin: Effect.fnUntraced(function* (holder, request, terms = { lasts: longest, renewedAfter: null }) {
        const { now: begunAt } = yield* business.read
        const id = randomBytes(16).toString("hex")
        const begun = going({ id, holder, begunAt, endsAt: Number.POSITIVE_INFINITY }, terms, request)
        yield* recorded(begun.session, "session.create")
        return begun
      }),
      renew: (session, holder, request, terms) => going({ ...session, holder }, terms, request).cookie,
      isStale: ({ renewsAt }) => renewsAt !== null && renewsAt <= machine.currentTimeMillisUnsafe(),
      of: Effect.fnUntraced(function* (request) {
        const text = open(cookieOf(request) ?? "")
        const session = text === null ? null : Option.getOrNull(contentsOf(text))
        if (session === null || session.endsAt <= machine.currentTimeMillisUnsafe()) return null
        return (yield* isEnded(session)) ? null : session
      }),
      end: Effect.fnUntraced(function* (session, request) {
        yield* recorded(session, "session.delete")
        // Those that are kept no longer are looked up again.
        if (ended.size >= KEPT) ended.clear()
        ended.add(session.id)
        goodUntil.delete(session.id)
        return header("", 0, request)
      })
    }
  })
