/**
 * Sessions of operators' browsers as they are stored (rule W14): which cookie of a session is good,
 * and what renewing it comes to.
 *
 * A session has one cookie at a time, and each is renewed once. Two tabs may do that at the same
 * moment: the same cookie again within seconds has the same answer. Later somebody else has it, so
 * the session ends, whoever has its present cookie (RFC 9700, section 4.14.2). Cookies are counted
 * from 0. All instants are of the machine's clock. If it is set back, neither goes on for longer:
 * an instant that is ahead by more than such a time counts as one that is past by more.
 */
import { SECOND, type Instant } from "./Time.ts"

/** A session as it is stored. */
export interface Session {
  /** Names it in its cookies, and in audit entries. */
  readonly sessionId: string
  /** From then on it is over, and may be forgotten. */
  readonly endsAt: Instant
  /** Before its end: when somebody has ended it. Null: nobody has. */
  readonly endedAt: Instant | null
  /** The number of its present cookie: how often it was renewed. */
  readonly renewals: number
  /** When the present cookie was made; null while it is the first one. */
  readonly renewedAt: Instant | null
  /**
   * The present cookie, sealed, as it was kept last: the browser may have it as it was before. Null
   * while it is the first one, and as the browser has it.
   */
  readonly cookie: string | null
  /**
   * Since when a process finds out by the present cookie whether the session goes on; null: none
   * does.
   */
  readonly askedAt: Instant | null
  /** Rises by one with each commit that writes it; 0 while it is not stored. */
  readonly version: number
}

/** For how long after a renewal the cookie before it is good, in milliseconds. */
export const OVERLAP = 5 * SECOND

/**
 * After how long somebody else may find out whether the session goes on, since the first process
 * has died meanwhile.
 */
export const ASKING = 40 * SECOND

/** A session that begins. */
export const begun = (of: Pick<Session, "sessionId" | "endsAt">): Session => ({
  ...of,
  endedAt: null,
  renewals: 0,
  renewedAt: null,
  cookie: null,
  askedAt: null,
  version: 0
})

/** Whether it goes on, by whichever cookie. */
export const isLive = ({ endedAt, endsAt }: Session, now: Instant): boolean => endedAt === null && now < endsAt

/** Whether it was less than a time ago, by a clock that may have been set since. */
const isWithin = (span: number, at: Instant | null, now: Instant): boolean => at !== null && Math.abs(now - at) < span

const isBefore = ({ renewals, renewedAt }: Session, cookie: number, now: Instant): boolean =>
  cookie === renewals - 1 && isWithin(OVERLAP, renewedAt, now)

/**
 * What the cookie of that number is to a session. `good`: it is the present one, or was a moment
 * ago. `replaced`: another one has its place. `over`: the session is.
 */
export const standing = (session: Session | null, cookie: number, now: Instant): "good" | "replaced" | "over" => {
  if (session === null || !isLive(session, now) || cookie > session.renewals) return "over"
  return cookie === session.renewals || isBefore(session, cookie, now) ? "good" : "replaced"
}

/** What renewing a session by a cookie comes to. */
export type Renewal =
  /** Whoever asked first has this cookie, and so has whoever asks with the same one. */
  | { readonly _tag: "Renewed"; readonly cookie: string }
  /**
   * This process finds out whether the session goes on; the session says so to the others once it
   * is stored.
   */
  | { readonly _tag: "Asking"; readonly session: Session }
  /** Another process finds that out. */
  | { readonly _tag: "Wait" }
  /**
   * The cookie was renewed long ago: it is not its owner who sends it. The session ends once this
   * is stored.
   */
  | { readonly _tag: "Reused"; readonly session: Session }
  /** It is over already. */
  | { readonly _tag: "Over" }

/** Decides what renewing by the cookie of that number comes to. */
export const renewal = (session: Session | null, cookie: number, now: Instant): Renewal => {
  if (session === null || standing(session, cookie, now) === "over") return { _tag: "Over" }
  if (cookie === session.renewals) {
    return isWithin(ASKING, session.askedAt, now)
      ? { _tag: "Wait" }
      : { _tag: "Asking", session: { ...session, askedAt: now } }
  }
  return isBefore(session, cookie, now) && session.cookie !== null
    ? { _tag: "Renewed", cookie: session.cookie }
    : { _tag: "Reused", session: ended(session, now) }
}

/** It goes on with another cookie. */
export const renewed = (session: Session, cookie: string, now: Instant): Session => ({
  ...session,
  cookie,
  renewals: session.renewals + 1,
  renewedAt: now,
  askedAt: null
})

/**
 * What is kept of the present cookie while a process finds out whether the session goes on: what it
 * asks by next, should it find out nothing.
 */
export const kept = (session: Session, cookie: string): Session => ({ ...session, cookie })

/** Nothing was found out: the present cookie may ask again. */
export const unanswered = (session: Session): Session => ({ ...session, askedAt: null })

/** Ended for good. Ended again, it keeps the instant of the first time. */
export const ended = (session: Session, now: Instant): Session => ({ ...session, endedAt: session.endedAt ?? now })
