/**
 * The sessions of operators' browsers (rule W14): they begin, are renewed and end in the storage,
 * so that all processes go by the same, and a restart changes nothing. What a cookie has in it is
 * the affair of whoever makes it.
 */
import { Clock as MachineClock, Context, Data, Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Base64 from "effect/encoding/Base64"
import { type Action, SERVICE } from "../../domain/AuditEntry.ts"
import * as Session from "../../domain/Session.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock, monotonicNow } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Settings } from "../Settings.ts"

/** A cookie of a session. */
export interface Cookie {
  /** Of which session it is. */
  readonly sessionId: string
  /** Which of its cookies it is, counted from 0. */
  readonly renewals: number
}

/** Another process is finding out whether the session goes on, and has not done so in time. */
export class RenewalUnderWay extends Data.TaggedError("RenewalUnderWay")<{}> {}

/** What came of a renewal: another cookie, or null, if the session is over. */
export type Renewed = string | null

/** Keeps the present cookie in another form, unless the session was ended or renewed meanwhile. */
export type Keep = (cookie: string) => Effect.Effect<void, StorageError>

/** Keeps sessions (rule W14). */
export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /**
     * The key that cookies are sealed with, in base64: the same for all processes on the storage.
     * It makes one if there is none.
     */
    readonly key: Effect.Effect<string, StorageError>
    /** Begins one, which is over at that instant of the machine's clock. */
    readonly begin: (of: { readonly sessionId: string; readonly endsAt: Instant }) => Effect.Effect<void, StorageError>
    /**
     * What a cookie is to its session. This process knows at once what it has changed, all others
     * within 5 s.
     */
    readonly standing: (cookie: Cookie) => Effect.Effect<ReturnType<typeof Session.standing>, StorageError>
    /**
     * Has a cookie renewed once, in whichever process. `ask` finds out whether the session goes on,
     * and by which cookie; null: it does not, and is ended. If it fails, the same cookie may be
     * renewed again, by what was kept of it last; null: nothing was since it is the first one.
     */
    readonly renew: <E>(
      cookie: Cookie,
      ask: (kept: string | null, keep: Keep) => Effect.Effect<Renewed, E>
    ) => Effect.Effect<Renewed, E | RenewalUnderWay | StorageError>
    /** Ends it, if it is not over. */
    readonly end: (of: Pick<Cookie, "sessionId">) => Effect.Effect<void, StorageError>
  }
>()("simplan/OperatorSessions") {}

/** How many sessions are remembered that were read, and how many that were ended here. */
const REMEMBERED = 10_000

/**
 * How often the storage is asked what another process has found out, and for how long, in
 * milliseconds.
 */
const POLL = 100
const WAIT_LIMIT = 12_000

/**
 * The implementation that `Services.layer` provides. It remembers for 5 s what it has read, for
 * speed alone.
 */
export const layer: Layer.Layer<
  OperatorSessions,
  never,
  Storage | BusinessClock | Commits | SecureRandom.SecureRandom
> = Layer.effect(
  OperatorSessions,
  Effect.gen(function* () {
    const { commit, sessionKey, sessions } = yield* Storage
    const clock = yield* BusinessClock
    const { currentTimeMillis: machineNow } = yield* MachineClock.Clock
    const commits = yield* Commits
    const { randomBytes } = yield* SecureRandom.SecureRandom
    const { cacheMillis } = yield* Settings
    const read = new Map<string, { readonly session: Session.Session | null; readonly until: number }>()
    const ended = new Set<string>()

    /**
     * The session of a cookie. One that is newer than what was read shows that this is out of date.
     */
    const sessionOf = Effect.fnUntraced(function* ({ renewals, sessionId }: Cookie) {
      const now = yield* monotonicNow
      const known = read.get(sessionId)
      if (known !== undefined && known.until > now && renewals <= (known.session?.renewals ?? renewals)) {
        return known.session
      }
      const session = yield* sessions.get(sessionId)
      if (read.size >= REMEMBERED) read.clear()
      read.set(sessionId, { session, until: now + cacheMillis })
      return session
    })

    const write = (session: Session.Session) =>
      Effect.tap(commit({ sessions: [session] }), () => Effect.sync(() => read.delete(session.sessionId)))

    const audited = Effect.fnUntraced(function* (session: Session.Session, action: Action) {
      const change = { organizationId: SERVICE, action, resourceId: session.sessionId, iccid: null }
      yield* commits.write(yield* commits.audited({ sessions: [session] }, change, yield* clock.now))
    })

    const writeEnd = Effect.fnUntraced(function* (session: Session.Session) {
      yield* audited(session, "session.delete")
      // Those that are remembered no longer are read again.
      if (ended.size >= REMEMBERED) ended.clear()
      ended.add(session.sessionId)
      read.delete(session.sessionId)
    })

    const end = ({ sessionId }: Pick<Cookie, "sessionId">) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const session = yield* sessions.get(sessionId)
          const now = yield* machineNow
          if (session !== null && Session.isLive(session, now)) yield* writeEnd(Session.ended(session, now))
        })
      )

    /**
     * Writes what became of a session that this process asks about. One that was ended or renewed
     * meanwhile stays so.
     */
    const settle = (
      { renewals, sessionId }: Cookie,
      settled: (session: Session.Session, now: Instant) => Session.Session
    ) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const session = yield* sessions.get(sessionId)
          const now = yield* machineNow
          if (session?.renewals !== renewals || !Session.isLive(session, now)) return false
          yield* write(settled(session, now))
          return true
        })
      )

    const keep =
      (cookie: Cookie): Keep =>
      (value) =>
        Effect.asVoid(settle(cookie, (session) => Session.kept(session, value)))

    /** The decision about a renewal, as it is stored. */
    const decided = (cookie: Cookie) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const session = yield* sessions.get(cookie.sessionId)
          const renewal = Session.renewal(session, cookie.renewals, yield* machineNow)
          if (renewal._tag === "Asking") yield* write(renewal.session)
          if (renewal._tag === "Reused") yield* writeEnd(renewal.session)
          return renewal
        })
      )

    /** Finds out whether the session goes on, and writes it. */
    const answered = Effect.fnUntraced(function* <E>(cookie: Cookie, ask: Effect.Effect<Renewed, E>) {
      // Failure: the cookie may be renewed again after a while.
      const free = Effect.ignore(settle(cookie, Session.unanswered))
      const renewed = yield* Effect.tapCause(ask, () => free)
      if (renewed === null) yield* end(cookie)
      else yield* settle(cookie, (session, now) => Session.renewed(session, renewed, now))
    })

    return OperatorSessions.of({
      key: Effect.flatMap(randomBytes(32), (bytes) => sessionKey(Base64.encode(bytes))),
      begin: (of) => audited(Session.begun(of), "session.create").pipe(commits.retryOnConflict),
      standing: Effect.fnUntraced(function* (cookie) {
        const session = ended.has(cookie.sessionId) ? null : yield* sessionOf(cookie)
        // It may have been ended while it was read.
        return ended.has(cookie.sessionId) ? "over" : Session.standing(session, cookie.renewals, yield* machineNow)
      }),
      renew: Effect.fnUntraced(function* (cookie, ask) {
        const until = (yield* monotonicNow) + WAIT_LIMIT
        for (;;) {
          const renewal = yield* decided(cookie)
          switch (renewal._tag) {
            case "Renewed":
              return renewal.cookie
            case "Over":
              return null
            case "Reused":
              yield* Effect.logWarning("A cookie that was renewed before is sent again: its session is ended", {
                session: cookie.sessionId
              })
              return null
            case "Asking":
              // A client that goes away meanwhile may ask again with the same cookie.
              yield* Effect.uninterruptible(answered(cookie, ask(renewal.session.cookie, keep(cookie))))
              break
            case "Wait":
              if ((yield* monotonicNow) >= until) return yield* new RenewalUnderWay()
              yield* Effect.sleep(POLL)
          }
        }
      }),
      end
    })
  })
)
