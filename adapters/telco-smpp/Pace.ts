/**
 * How fast messages are submitted: at most so many a second, and not at all for a while after the SMSC has said that
 * there are too many. The pause doubles each time that the first message after it is refused so again, and ends with the
 * first that is taken.
 *
 * `CallRate` of `telco-calls` is another thing: it halves the rate where a telco asks for fewer calls, and limits how many are
 * under way. An SMSC that throttles gets nothing for a while, and its window is the limit of what is under way.
 *
 * Times are machine time, in milliseconds.
 */
export interface Options {
  /** No limit unless given. */
  readonly messagesPerSecond?: number
  /** The first pause. */
  readonly pauseMillis: number
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

export const make = ({ longestPauseMillis, messagesPerSecond, pauseMillis }: Options): Pace => {
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
