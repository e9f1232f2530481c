/**
 * Faults: what goes wrong with which of the next calls. Pure: a call takes what applies to it and leaves the rest.
 */
import { Duration } from "effect"

/** The calls that a fault may befall. */
export const kinds = [
  "createPackage",
  "suspendPackage",
  "cancelPackage",
  "sendSms",
  "releaseProfile",
  "setMobilePlan"
] as const

/** The calls of the telco port. */
export type Kind = (typeof kinds)[number]

/** A call of the port, as faults see it. */
export interface Call {
  /** The operation of the port. */
  readonly kind: Kind
  /** What the call is idempotent by. */
  readonly key: string
  /** The SIM that it is about. */
  readonly iccid: string
}

/** Which calls a fault befalls: all of them, unless narrowed. */
interface Target {
  readonly on?: Kind
  readonly when?: (call: Call) => boolean
  /** How many calls in all; every one where absent. */
  readonly times?: number
}

/**
 * - `refuse`: the telco refuses for good, and again when the same call comes back.
 * - `unavailable`: the call never reaches the telco, which may say when to ask again.
 * - `answer lost`: the telco does the work, and the caller is told `Unavailable`.
 * - `slow`: the call takes `delay` of machine time to reach the telco, and reaches it even if its caller gives up.
 */
export type Fault = Target &
  (
    | { readonly fault: "refuse"; readonly message?: string }
    | { readonly fault: "unavailable"; readonly retryAfterSeconds?: number }
    | { readonly fault: "answer lost" }
    | { readonly fault: "slow"; readonly delay: Duration.Input }
  )

/** What befalls one call. */
export interface Fate {
  /** Machine time before the call reaches the telco; zero: at once. */
  readonly delay: Duration.Duration
  /** What the telco says; null: it does not refuse. */
  readonly refusal: string | null
  /** The call does not reach the telco. */
  readonly unavailable: boolean
  /** Null where the telco does not say. */
  readonly retryAfterSeconds: number | null
  /** The work is done, and the caller is told `Unavailable`. */
  readonly answerLost: boolean
}

/**
 * The fate of a call, and the faults that are left. The first fault that applies is taken; a slow one may come before
 * another.
 */
export const take = (faults: ReadonlyArray<Fault>, call: Call): readonly [Fate, ReadonlyArray<Fault>] => {
  const slow = faults.find((fault) => fault.fault === "slow" && befalls(fault, call))
  const other = faults.find((fault) => fault.fault !== "slow" && befalls(fault, call))
  const left = faults.map((fault) =>
    (fault === slow || fault === other) && fault.times !== undefined ? { ...fault, times: fault.times - 1 } : fault
  )
  return [
    {
      delay: slow?.fault === "slow" ? Duration.fromInputUnsafe(slow.delay) : Duration.zero,
      refusal: other?.fault === "refuse" ? (other.message ?? `The telco refuses ${call.kind}`) : null,
      unavailable: other?.fault === "unavailable",
      retryAfterSeconds: other?.fault === "unavailable" ? (other.retryAfterSeconds ?? null) : null,
      answerLost: other?.fault === "answer lost"
    },
    left
  ]
}

const befalls = (fault: Fault, call: Call): boolean =>
  (fault.times ?? 1) > 0 && (fault.on === undefined || fault.on === call.kind) && (fault.when?.(call) ?? true)
