/**
 * Sessions of browsers in the management API (rule W14): an operator's token is exchanged for a
 * cookie, with which the console asks; or an identity provider has named the operator (`OpenId`).
 *
 * The cookie has the token or the operator, the session's id, which of its cookies it is, and its
 * end. It is encrypted with a key that is made of a random one, which the storage keeps, and of the
 * token that the server was started with: whoever has a cookie cannot guess the token by it, and
 * whoever can read the database makes no cookie. So every process takes it, a restart keeps it, and
 * it ends with the operator's token, which is looked up as one that was sent. Whether the session
 * goes on is in the storage (`OperatorSessions`). The cookie of one whom an identity provider has
 * named is worth nothing once the server asks another provider, or as another client.
 *
 * The cookie names no path, so that a browser sends it to the management API alone, below whatever
 * prefix it is reached.
 */
import { Clock as MachineClock, Effect, Option, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { OperatorSessions } from "simplan"
import { Operator, type Storage } from "simplan/ports"
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type * as Errors from "../wire/Errors.ts"
import * as Requests from "./Requests.ts"

/** The name of the cookie. */
export const COOKIE = "simplan_session"

/** How long a session lasts at most, in milliseconds of the machine's clock. */
export const LASTS = 8 * 3_600_000

/** An operator whom an identity provider has named. */
export interface Identity extends Operator.Acting {
  readonly name: string
}

/** By what the provider is asked again about whom it has named. */
export interface Renewal {
  readonly subject: string
  readonly refreshToken: string
  /**
   * Whether an ID token has ever had the role: then the user's information raises it no more. It is
   * absent in what an earlier release has sealed.
   */
  readonly isRoleInToken?: boolean
}

/** One whom an identity provider has named, and how it is asked again; null: it is not. */
export interface Named {
  readonly operator: Identity
  readonly renewal: Renewal | null
}

/**
 * Whose a session is: of the operator with the token, or of one whom an identity provider has
 * named.
 */
export type Holder = { readonly token: string } | Named

/** For how long, in milliseconds of the machine's clock. */
export interface Terms {
  /** At most. */
  readonly lasts: number
  /** After how long the provider has to be asked again; null: never. */
  readonly renewedAfter: number | null
}

/** Keeps by what the provider is to be asked if this renewal comes to nothing. */
export type Keep = (holder: Named) => Effect.Effect<void, Storage.StorageError>

/** A session as its cookie has it. */
export interface Session {
  readonly id: string
  readonly holder: Holder
  /** Which of the session's cookies it is, counted from 0. */
  readonly renewals: number
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
  /**
   * Renews the cookie of a session that goes on, once. `ask` says for whom and how it does, by whom
   * it was for, as was kept last; null: it does not. It ends when it was to end, or earlier.
   * Returns the value of the header that sets the cookie; null: the session is over.
   */
  readonly renew: <E>(
    session: Session & { readonly holder: Named },
    request: HttpServerRequest.HttpServerRequest,
    ask: (
      holder: Named,
      keep: Keep
    ) => Effect.Effect<{ readonly holder: Named; readonly terms: Terms } | null, E | Storage.StorageError>
  ) => Effect.Effect<string | null, E | OperatorSessions.RenewalUnderWay | Storage.StorageError>
  /** Whether a session has to be renewed before anything is done by it. */
  readonly isStale: (session: Session) => boolean
  /**
   * The session of a request; null if it has none that goes on. It may have to be renewed first:
   * so has one that was.
   */
  readonly of: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Session | null, Errors.Failure>
  /** Ends one. Returns the value of the header that removes its cookie. */
  readonly end: (
    session: Session,
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<string, Errors.Failure>
  /** The value of the header that removes the cookie. */
  readonly removal: (request: HttpServerRequest.HttpServerRequest) => string
  /** Encrypts texts for a purpose. */
  readonly sealing: (purpose: string) => Effect.Effect<Sealing, Storage.StorageError>
}

/** Encrypts texts, and reads what it has encrypted; null for anything else. */
export interface Sealing {
  readonly seal: (text: string) => string
  readonly open: (text: string) => string | null
}

const NONCE = 12
const TAG = 16

const sealingBy = (secret: Redacted.Redacted, stored: string, purpose: string): Sealing => {
  const key = new Uint8Array(hkdfSync("sha256", Redacted.value(secret), Buffer.from(stored, "base64"), purpose, 32))
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

/** The value of a cookie of a request; undefined if it has none. */
export const cookieOf = ({ headers }: HttpServerRequest.HttpServerRequest, name: string = COOKIE): string | undefined =>
  (headers["cookie"] ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/**
 * `Requests.forwarded`, or what the last proxy says, if not all of them add to the header;
 * undefined if no proxy is trusted.
 */
const forwarded = (value: string | undefined, trustedProxies: number): string | undefined =>
  Requests.forwarded(value, trustedProxies) || Requests.forwarded(value, Math.min(1, trustedProxies))

/** Whether the client reaches the server over TLS: as a web request says, or a trusted proxy. */
const isSecure = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number): boolean =>
  request.originalUrl.startsWith("https:") ||
  forwarded(request.headers["x-forwarded-proto"], trustedProxies)?.toLowerCase() === "https"

/**
 * Whether a browser sends a request from a page of the same origin. If it does not say so, which
 * it does not do without TLS, the host of the page's origin must be the one that the request was
 * sent to.
 */
export const isSameOrigin = (
  { headers, originalUrl }: HttpServerRequest.HttpServerRequest,
  trustedProxies: number
): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const origin = headers["origin"]
  if (origin === undefined || !URL.canParse(origin)) return false
  const { host } = new URL(origin)
  // A web request need not have the header.
  const own = headers["host"] ?? (URL.canParse(originalUrl) ? new URL(originalUrl).host : undefined)
  return host === own || host === forwarded(headers["x-forwarded-host"], trustedProxies)
}

/**
 * The value of the header that sets a cookie. It names no path, so that it goes to the management
 * API alone.
 */
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
        renewal: Schema.NullOr(
          Schema.Struct({
            subject: Schema.String,
            refreshToken: Schema.String,
            isRoleInToken: Schema.optionalKey(Schema.Boolean)
          })
        )
      })
    ]),
    renewals: Schema.Number,
    endsAt: Schema.Number,
    renewsAt: Schema.NullOr(Schema.Number)
  })
)

const contentsOf = Schema.decodeUnknownOption(Contents)

/**
 * Sessions of a server that was started with the token. `provider` tells the identity provider and
 * its client from others; null: there is none.
 */
export const make = (
  secret: Redacted.Redacted,
  trustedProxies: number,
  provider: string | null = null
): Effect.Effect<Sessions, never, OperatorSessions.OperatorSessions> =>
  Effect.gen(function* () {
    const stored = yield* OperatorSessions.OperatorSessions
    const machine = yield* MachineClock.Clock
    let key: string | undefined

    const sealing: Sessions["sealing"] = Effect.fnUntraced(function* (purpose) {
      key ??= yield* stored.key
      return sealingBy(secret, key, purpose)
    })
    const byToken = sealing("simplan session")
    const byProvider = sealing(`simplan session ${JSON.stringify(provider)}`)

    const header = (value: string, seconds: number, request: HttpServerRequest.HttpServerRequest): string =>
      setCookie({ name: COOKIE, value, seconds, sameSite: "Strict" }, request, trustedProxies)

    const removal = (request: HttpServerRequest.HttpServerRequest): string => header("", 0, request)

    const secondsTo = (endsAt: number, now: number): number => Math.max(0, Math.floor((endsAt - now) / 1_000))

    /** The session from now on. It ends when it was to end, or earlier. */
    const going = (before: Omit<Session, "renewsAt">, { lasts, renewedAfter }: Terms, now: number): Session => {
      const endsAt = Math.min(before.endsAt, now + lasts)
      return { ...before, endsAt, renewsAt: renewedAfter === null ? null : now + renewedAfter }
    }

    const opened = ({ open }: Sealing, text: string): Session | null => {
      const contents = open(text)
      return contents === null ? null : Option.getOrNull(contentsOf(contents))
    }

    const ofCookie = ({ id: sessionId, renewals }: Session): OperatorSessions.Cookie => ({ sessionId, renewals })

    return {
      begin: Effect.fnUntraced(function* (holder, request, terms = { lasts: LASTS, renewedAfter: null }) {
        const id = randomBytes(16).toString("hex")
        const now = machine.currentTimeMillisUnsafe()
        const session = going({ id, holder, renewals: 0, endsAt: Number.POSITIVE_INFINITY }, terms, now)
        const { seal } = yield* "token" in holder ? byToken : byProvider
        yield* stored.begin({ sessionId: id, endsAt: session.endsAt })
        return { session, cookie: header(seal(JSON.stringify(session)), secondsTo(session.endsAt, now), request) }
      }),
      renew: Effect.fnUntraced(function* (session, request, ask) {
        const sealed = yield* byProvider
        const value = yield* stored.renew(ofCookie(session), (kept, keep) => {
          const last = kept === null ? null : opened(sealed, kept)
          const holder = last === null || "token" in last.holder ? session.holder : last.holder
          const asked = ask(holder, (holder) => keep(sealed.seal(JSON.stringify({ ...session, holder }))))
          return Effect.map(asked, (found) => {
            if (found === null) return null
            const { holder, terms } = found
            const now = machine.currentTimeMillisUnsafe()
            return sealed.seal(
              JSON.stringify(going({ ...session, holder, renewals: session.renewals + 1 }, terms, now))
            )
          })
        })
        const next = value === null ? null : opened(sealed, value)
        return value === null || next === null
          ? null
          : header(value, secondsTo(next.endsAt, machine.currentTimeMillisUnsafe()), request)
      }),
      isStale: ({ renewsAt }) => renewsAt !== null && renewsAt <= machine.currentTimeMillisUnsafe(),
      of: Effect.fnUntraced(function* (request) {
        const text = cookieOf(request) ?? ""
        const session = opened(yield* byToken, text) ?? opened(yield* byProvider, text)
        if (session === null || session.endsAt <= machine.currentTimeMillisUnsafe()) return null
        switch (yield* stored.standing(ofCookie(session))) {
          case "good":
            return session
          case "replaced":
            return { ...session, renewsAt: 0 }
          case "over":
            return null
        }
      }),
      end: (session, request) => Effect.as(stored.end({ sessionId: session.id }), removal(request)),
      removal,
      sealing
    }
  })
