/**
 * The plan of a run of several processes, as plain data: it survives JSON, and every part that is
 * left out leaves a plan that makes sense.
 */
import type { Commands } from "../../../src/testing/index.ts"

/** `process` names one of the processes, modulo how many there are. */
export type Fault =
  /**
   * At its nth call of a port from now on, before it or after it, the process dies. Another one
   * starts a while later. With `of` only calls to the telco count, each as it begins and as it
   * ends.
   */
  | {
      readonly _tag: "Die"
      readonly process: number
      readonly calls: number
      readonly downtime: number
      readonly of?: "telco"
    }
  /** At its nth call of a port the process freezes for so many milliseconds. */
  | { readonly _tag: "Freeze"; readonly process: number; readonly calls: number; readonly millis: number }
  /** The nth call of the process that writes to storage fails; what it asked for is done or not. */
  | { readonly _tag: "LoseAnswer"; readonly process: number; readonly writes: number; readonly isDone: boolean }
  /** The next calls of the process to storage take up to so many milliseconds each. */
  | { readonly _tag: "SlowStorage"; readonly process: number; readonly times: number; readonly millis: number }
  /** Storage fails whatever it is asked, for so many milliseconds. */
  | { readonly _tag: "Outage"; readonly millis: number }
  /** The process misses the next notifications of what other processes have committed. */
  | { readonly _tag: "LoseNotifications"; readonly process: number; readonly times: number }
  /** The process is asked to stop, and another one starts when it has stopped. */
  | { readonly _tag: "Stop"; readonly process: number }
  /** So many calls to the telco meet this fault, once so many others have passed unharmed. */
  | {
      readonly _tag: "Telco"
      readonly fault: "refuse" | "unavailable" | "unreachable" | "answer lost" | "slow"
      readonly after: number
      readonly times: number
    }
  /**
   * The receiver answers the next webhooks with 500, with 429 or 503 and a pause that it asks for,
   * not at all, or after 14 s.
   */
  | { readonly _tag: "Receiver"; readonly fault: "error" | "busy" | "no answer" | "slow"; readonly times: number }

/**
 * One step of a plan. A `Wait` passes virtual time, in milliseconds; a `Fault` strikes while later
 * steps run.
 */
export type Step =
  /** Requests that are made at once, each of one of the processes. */
  | {
      readonly _tag: "Requests"
      readonly requests: ReadonlyArray<{ readonly process: number; readonly command: Commands.Command }>
    }
  | { readonly _tag: "Wait"; readonly millis: number }
  | { readonly _tag: "Fault"; readonly fault: Fault }

/** All that one run follows from. The same plan gives the same history. */
export interface Plan {
  /**
   * Decides what the plan leaves open: who goes next, how long a call takes, every id and every
   * jitter.
   */
  readonly seed: number
  /**
   * By how many milliseconds each process's clock is ahead; there are as many processes as clocks.
   */
  readonly clocks: ReadonlyArray<number>
  /** How many jobs each process has under way at once. */
  readonly concurrency: number
  /**
   * Played one after another. Then all faults end, the rest of the work is done, and probes follow.
   */
  readonly steps: ReadonlyArray<Step>
}

/** Whether the fault may make two processes do the same work. */
export const isDisruptive = ({ _tag }: Fault): boolean =>
  _tag === "Die" ||
  _tag === "Freeze" ||
  _tag === "LoseAnswer" ||
  _tag === "SlowStorage" ||
  _tag === "Outage" ||
  _tag === "Stop"
