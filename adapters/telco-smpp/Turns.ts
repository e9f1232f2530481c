/**
 * When the next message is submitted, and whose it is (rule W13). Organizations take turns twice,
 * by `FairSlots`: for a place in the window of requests that wait for a response, and then for the
 * next instant that the pace allows. So the messages that one organization has waiting, however
 * many, delay another one's by two intervals of the pace at most: of the one whose turn it is, and
 * of one more.
 *
 * A message that could not come to its turn in time is refused at once. No turn is taken while
 * there is no session.
 *
 * The pace is at most so many messages a second, and none for a while after the SMSC has said that
 * there are too many. The pause doubles each time that the first message after it is refused so
 * again, and ends with the first that is taken. `CallRate` of `telco-calls` is another thing: it
 * halves the rate where a telco asks for fewer calls, and limits how many are under way. An SMSC
 * that throttles gets nothing for a while, and its window is the limit of what is under way.
 *
 * Times are machine time, in milliseconds.
 */
import { Effect } from "effect"
import { FairSlots } from "simplan"
import { Clocks, Telco } from "simplan/ports"

export interface PaceOptions {
  /** No limit unless given. */
  readonly messagesPerSecond?: number
  /** The pause after the SMSC has refused too many messages, 0.5 s, which doubles up to 60 s. */
  readonly pauseMillis: number
  /** 60 s. */
  readonly longestPauseMillis: number
}

export interface Pace {
  /** From one message to the next; 0 without a limit. */
  readonly interval: number
  /** When the next message may be submitted, at `now` or later. */
  readonly at: (now: number) => number
  /** A message is submitted at an instant that `at` has given. */
  readonly start: (at: number) => void
  /** The SMSC has said that there are too many messages. */
  readonly slowDown: (now: number) => void
  /** The SMSC has taken a message. */
  readonly recover: () => void
}

export const makePace = ({ longestPauseMillis, messagesPerSecond, pauseMillis }: PaceOptions): Pace => {
  const interval = messagesPerSecond === undefined ? 0 : 1_000 / messagesPerSecond
  let next = 0
  let pausedUntil = 0
  let pause = pauseMillis
  return {
    interval,
    at: (now) => Math.max(now, next, pausedUntil),
    start: (at) => {
      next = at + interval
    },
    slowDown: (now) => {
      // All messages that were under way are refused so at once: one pause for them.
      if (now < pausedUntil) return
      pausedUntil = now + pause
      pause = Math.min(pause * 2, longestPauseMillis)
    },
    recover: () => {
      pause = pauseMillis
    }
  }
}

export interface Options {
  /** The most requests that wait for a response at once. */
  readonly window: number
  /** How long a message waits for its turn, in milliseconds. */
  readonly waitMillis: number
  readonly pace: Pace
}

/** What a turn is taken for. */
export interface Turn<S, A, E, E2> {
  /** Waits until there is a session. */
  readonly ready: Effect.Effect<S>
  readonly use: (session: S) => Effect.Effect<A, E>
  /** Where no turn comes in time; after so many milliseconds there may be one. */
  readonly tooLate: (waitMillis: number) => Effect.Effect<never, E2>
}

export interface Turns {
  /** Takes a turn of the organization of `Telco.Caller`. */
  readonly take: <S, A, E, E2>(turn: Turn<S, A, E, E2>) => Effect.Effect<A, E | E2>
}

/** How many messages of one organization may wait, where the pace has no limit. */
const MOST_WAITING = 1_000

export const make = ({ pace, waitMillis, window }: Options): Turns => {
  const places = FairSlots.make({ slots: window, mostWaiting: MOST_WAITING })
  const instants = FairSlots.make({ slots: 1, mostWaiting: MOST_WAITING })
  /** By organization: how many messages wait. */
  const waiting = new Map<string, number>()

  const count = (organizationId: string, more: number): void => {
    const counted = (waiting.get(organizationId) ?? 0) + more
    if (counted === 0) waiting.delete(organizationId)
    else waiting.set(organizationId, counted)
  }

  /**
   * How long a new message of the organization waits for the pace: for its own ones, and as many of
   * each other one.
   */
  const expectedWait = (organizationId: string, now: number): number => {
    const own = waiting.get(organizationId) ?? 0
    let before = own
    for (const [id, count] of waiting) if (id !== organizationId) before += Math.min(count, own + 1)
    return pace.at(now) - now + before * pace.interval
  }

  /** The session, at the next instant that the pace allows. One message at a time waits for it. */
  const paced = <S>(ready: Effect.Effect<S>) =>
    Effect.gen(function* () {
      while (true) {
        yield* ready
        const at = pace.at(yield* Clocks.monotonicNow)
        yield* Effect.sleep(Math.max(0, at - (yield* Clocks.monotonicNow)))
        const session = yield* ready
        // A pause may have begun, and the session may have come late.
        if (pace.at(at) !== at) continue
        pace.start(at)
        return session
      }
    })

  return {
    take: <S, A, E, E2>({ ready, tooLate, use }: Turn<S, A, E, E2>): Effect.Effect<A, E | E2> =>
      Effect.gen(function* () {
        const caller = yield* Telco.Caller
        const now = yield* Clocks.monotonicNow
        const organizationId = caller?.organizationId ?? ""
        const expected = expectedWait(organizationId, now)
        if (expected > waitMillis) return yield* tooLate(expected)
        const asking = { organizationId, isUrgent: caller?.isAwaited === true, waitLimitMillis: waitMillis }
        const late = Effect.flatMap(Clocks.monotonicNow, (then) => tooLate(expectedWait(organizationId, then)))
        let isWaiting = true
        const begin = (): void => {
          if (isWaiting) count(organizationId, -1)
          isWaiting = false
        }
        count(organizationId, 1)
        const mine = places.run(
          asking,
          Effect.gen(function* () {
            const session = yield* instants.run(asking, paced(ready), late)
            begin()
            return yield* use(session)
          }),
          late
        )
        const timeout = Effect.andThen(
          Effect.sleep(waitMillis),
          Effect.suspend(() => (isWaiting ? late : Effect.never))
        )
        return yield* Effect.ensuring(Effect.raceFirst(mine, timeout), Effect.sync(begin))
      })
  }
}
