/**
 * When the next message may be submitted: at most so many a second, and none for a while after the
 * SMSC has said that there are too many. The pause doubles each time that the first message after
 * it is refused so again, and ends with the first that is taken. The rate of `CallGate` is another
 * thing: it is halved if a telco asks for fewer calls.
 *
 * Times are machine time, in milliseconds.
 */
import type { Turns } from "../telco-calls/index.ts"

export interface PaceOptions {
  /** No limit unless given. */
  readonly messagesPerSecond?: number
  /** The pause after the SMSC has refused too many messages, 0.5 s, which doubles up to 60 s. */
  readonly pauseMillis: number
  /** 60 s. */
  readonly longestPauseMillis: number
}

export interface Pace extends Turns.Pace {
  /** The SMSC has said that there are too many messages. */
  readonly slowDown: (now: number) => void
  /** The SMSC has taken a message. */
  readonly recover: () => void
}

export const make = ({ longestPauseMillis, messagesPerSecond, pauseMillis }: PaceOptions): Pace => {
  const interval = messagesPerSecond === undefined ? 0 : 1_000 / messagesPerSecond
  let next = 0
  let pausedUntil = 0
  let pause = pauseMillis
  return {
    interval: () => interval,
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
