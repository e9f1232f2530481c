/**
 * Faults: what goes wrong with which of the next calls. A call takes the faults that apply to it
 * and leaves the rest.
 */
import { Duration, type Effect } from "effect"
import { TelcoPorts } from "simplan/ports"

/** The calls that a fault may befall. */
export const kinds = [...TelcoPorts.changes, "listPackages", "readUsage", "buySim", "returnSim"] as const

/** The calls of the telco port. */
export type Kind = (typeof kinds)[number]

/** A call of the port, as faults see it. */
export interface Call {
  /** The operation of the port. */
  readonly kind: Kind
  /** What the call is idempotent by; the ICCID of a read. */
  readonly key: string
  /** The SIM that it is about. */
  readonly iccid: string
}

/** Which calls a fault befalls: all of them, unless narrowed. */
interface Target {
  readonly on?: Kind
  readonly when?: (call: Call) => boolean
  /** How many calls in all; every one if absent. */
  readonly times?: number
  /** How many of those calls pass unharmed before; none if absent. */
  readonly after?: number
}

/**
 * - `refuse`: the telco refuses for good, and again when the same call comes back.
 * - `unavailable`: the call never reaches the telco, which may say when to ask again. With
 *   `isDone: false` the caller is answered so, as when a connection is refused.
 * - `answer lost`: the telco does the work, and the caller gets `Unavailable`.
 * - `slow`: the call takes `delay` of machine time to reach the telco, and reaches it even if its
 *   caller gives up.
 */
export type Fault = Target &
  (
    | { readonly fault: "refuse"; readonly message?: string }
    | {
        readonly fault: "unavailable"
        readonly message?: string
        readonly retryAfterSeconds?: number
        readonly isDone?: false
        readonly isAsked?: false
      }
    | { readonly fault: "answer lost" }
    | { readonly fault: "slow"; readonly delay: Duration.Input }
  )

/** What befalls one call. */
export interface Fate {
  /** Machine time before the call reaches the telco; zero: at once. */
  readonly delay: Duration.Duration
  /** What the telco says; null: it does not refuse. */
  readonly refusal: string | null
  /** What the caller of a call that does not reach the telco is told; null: it reaches it. */
  readonly unavailable: string | null
  /** Null if the telco does not say. */
  readonly retryAfterSeconds: number | null
  /** Whether the caller learns that the call did not reach the telco. */
  readonly isKnown: boolean
  /** Whether the telco was asked: a call that is held back leaves no try behind. */
  readonly isAsked: boolean
  /** The work is done, and the caller gets `Unavailable`. */
  readonly answerLost: boolean
}

/**
 * The fault after a call: one that let the call pass waits for one call less, one that befell it
 * has one time less.
 */
const remaining = (fault: Fault, call: Call, isTaken: boolean): Fault => {
  if (isTaken) return fault.times === undefined ? fault : { ...fault, times: fault.times - 1 }
  return isWaiting(fault) && isMeant(fault, call) ? { ...fault, after: (fault.after ?? 0) - 1 } : fault
}

/** The fate of a call if there are no faults. */
export const none: readonly [Fate, ReadonlyArray<Fault>] = [
  {
    delay: Duration.zero,
    refusal: null,
    unavailable: null,
    retryAfterSeconds: null,
    isAsked: true,
    isKnown: false,
    answerLost: false
  },
  []
]

/**
 * The fate of a call, and the faults that are left. The first fault that applies is taken; a slow
 * one may come before another.
 */
export const take = (faults: ReadonlyArray<Fault>, call: Call): readonly [Fate, ReadonlyArray<Fault>] => {
  const slow = faults.find((fault) => fault.fault === "slow" && befalls(fault, call))
  const other = faults.find((fault) => fault.fault !== "slow" && befalls(fault, call))
  const left = faults.map((fault) => remaining(fault, call, fault === slow || fault === other))
  return [
    {
      delay: slow?.fault === "slow" ? Duration.fromInputUnsafe(slow.delay) : Duration.zero,
      refusal: other?.fault === "refuse" ? (other.message ?? `The telco refuses ${call.kind}`) : null,
      unavailable: other?.fault === "unavailable" ? (other.message ?? "The telco is out of reach") : null,
      retryAfterSeconds: other?.fault === "unavailable" ? (other.retryAfterSeconds ?? null) : null,
      isAsked: other?.fault !== "unavailable" || other.isAsked !== false,
      isKnown: other?.fault === "unavailable" && other.isDone === false,
      answerLost: other?.fault === "answer lost"
    },
    left
  ]
}

const isWaiting = ({ after = 0 }: Fault): boolean => after > 0

const isMeant = (fault: Fault, call: Call): boolean =>
  (fault.on === undefined || fault.on === call.kind) && (fault.when?.(call) ?? true)

const befalls = (fault: Fault, call: Call): boolean =>
  (fault.times ?? 1) > 0 && !isWaiting(fault) && isMeant(fault, call)

/**
 * How many calls of each kind came in since the layer was built, those that never reached the telco
 * included.
 */
export type CallCounts = Readonly<Record<Kind, number>>

/** Counts calls, and makes them go wrong. */
export interface Controls {
  /** Since the simulator was built. */
  readonly calls: Effect.Effect<CallCounts>
  /** Replaces the faults that are left. */
  readonly setFaults: (faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  /** Adds a fault behind those that are left. */
  readonly addFault: (fault: Fault) => Effect.Effect<void>
  /** The calls from now on meet no fault; one that is slow already stays so. */
  readonly clearFaults: Effect.Effect<void>
}
