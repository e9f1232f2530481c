/**
 * How a profile is made available for a new download: which function of ES2+ is called next, after
 * which answer. Pure.
 *
 * The states of a profile at an SM-DP+ (SGP.22 section 3.1.6), and what a release makes of each:
 *
 * | state | meaning | a release |
 * |---|---|---|
 * | Available | in the inventory, without an order | orders it |
 * | Allocated | reserved, no EID | cancels that order, and orders it anew |
 * | Linked | reserved for an EID | the same |
 * | Confirmed | has its matching id | the same |
 * | Released | may be downloaded | the same, so that an order of an earlier customer ends |
 * | Downloaded | handed to a device | refused: it is bound to that device |
 * | Installed | on a device | refused |
 * | Error | the download has failed for good | as the SM-DP+ allows its order to be cancelled, else refused |
 * | Unavailable | never again | refused |
 * | none | the SM-DP+ does not know the ICCID | refused: an operator has to see which of both inventories is wrong |
 *
 * The calls are `cancelOrder` (to Available), `downloadOrder`, `confirmOrder` with the matching id
 * of the SIM's activation code, so that the code stays valid, and `releaseProfile` if the
 * confirmation does not release. ES2+ has no function that reports the state, and SM-DP+s differ in
 * how they refuse `cancelOrder` if there is no order. So a cancellation that the state forbids
 * is passed over: `downloadOrder`, which only an Available profile allows, decides.
 *
 * A call whose outcome is unknown is repeated under the same identifier. A repeated `downloadOrder`
 * that is refused because the profile is reserved was done, if the order before it was cancelled.
 * For a repeated confirmation that is refused it is not known which order has the matching id. That
 * is not guessed: the release begins again with `cancelOrder`, under new identifiers. It ends when
 * all calls of one cycle have answers, or after the last cycle.
 *
 * A late `cancelOrder` would end the new order. So after an unknown outcome of one, the profile is
 * not ordered before the quiet time has passed since that call.
 */
import { Schema } from "effect"

const Step = Schema.Literals(["cancelOrder", "downloadOrder", "confirmOrder", "releaseProfile"])

type Step = typeof Step.Type

/** A release under way. Times are machine time, in milliseconds. */
const Running = Schema.TaggedStruct("Running", {
  step: Step,
  /** How many times the release has begun again. */
  cycle: Schema.Int,
  /** When the step was asked; null: it was not, or certainly not done. */
  askedAt: Schema.NullOr(Schema.Int),
  /** Whether `cancelOrder` has succeeded in this cycle. */
  isCancelled: Schema.Boolean,
  /** Whether the outcome of any call has been unknown. */
  hadUnknown: Schema.Boolean,
  /** Whether a call that releases the profile has had an unknown outcome. */
  mayBeReleased: Schema.Boolean,
  /** The profile is not ordered before; 0: at once. */
  quietUntil: Schema.Int
})

export type Running = typeof Running.Type

/** A release, as the journal keeps it. */
export const Release = Schema.Union([
  Running,
  Schema.TaggedStruct("Released", {}),
  Schema.TaggedStruct("Refused", { message: Schema.String })
])

export type Release = typeof Release.Type

export type Answer =
  | { readonly _tag: "Done" }
  | { readonly _tag: "NotFound"; readonly message: string }
  | { readonly _tag: "WrongState"; readonly message: string }
  | { readonly _tag: "Refused"; readonly message: string }

export interface Options {
  /** Whether `confirmOrder` releases the profile; else `releaseProfile` does. */
  readonly confirmReleases: boolean
  /** How late a call may still take effect, in milliseconds. */
  readonly quietMillis: number
}

/**
 * How often a release begins again before what the SM-DP+ says is final: if an outcome was
 * unknown, and if none was.
 */
const MOST_CYCLES = 10
const CYCLES_WITHOUT_UNKNOWN = 2

export const begin: Running = {
  _tag: "Running",
  step: "cancelOrder",
  cycle: 0,
  askedAt: null,
  isCancelled: false,
  hadUnknown: false,
  mayBeReleased: false,
  quietUntil: 0
}

/** How long to wait before the step is asked, in milliseconds. */
export const wait = ({ quietUntil, step }: Running, now: number): number =>
  step === "downloadOrder" ? Math.max(0, quietUntil - now) : 0

const releases = (step: Step, { confirmReleases }: Options): boolean =>
  step === "releaseProfile" || (step === "confirmOrder" && confirmReleases)

/**
 * The release while its step is being asked. If it was asked before, the outcome of that call is
 * unknown.
 */
export const asking = (release: Running, now: number, options: Options): Running => {
  if (release.askedAt === null) return { ...release, askedAt: now }
  const { askedAt, quietUntil, step } = release
  return {
    ...release,
    askedAt: now,
    hadUnknown: true,
    mayBeReleased: release.mayBeReleased || releases(step, options),
    quietUntil: step === "cancelOrder" ? Math.max(quietUntil, askedAt + options.quietMillis) : quietUntil
  }
}

const at = (release: Running, step: Step): Running => ({ ...release, step, askedAt: null })

/** Begins again after a refusal because of the state. The last cycle's refusal is final. */
const again = (release: Running, message: string): Release =>
  release.cycle < (release.hadUnknown ? MOST_CYCLES : CYCLES_WITHOUT_UNKNOWN)
    ? { ...at(release, "cancelOrder"), cycle: release.cycle + 1, isCancelled: false }
    : { _tag: "Refused", message }

const RELEASED: Release = { _tag: "Released" }

/** The release after the answer to the step that was asked. */
export const answered = (release: Running, answer: Answer, options: Options): Release => {
  if (answer._tag === "Refused") return { _tag: "Refused", message: answer.message }
  if (answer._tag === "NotFound") {
    return { _tag: "Refused", message: `The SM-DP+ does not know the profile: ${answer.message}` }
  }
  const { isCancelled, mayBeReleased, step } = release
  if (step === "cancelOrder") return { ...at(release, "downloadOrder"), isCancelled: answer._tag === "Done" }
  if (answer._tag === "Done") {
    if (step === "downloadOrder") return at(release, "confirmOrder")
    return releases(step, options) ? RELEASED : at(release, "releaseProfile")
  }
  if (step !== "downloadOrder") return again(release, answer.message)
  // Nobody but this release has ordered it since the order was cancelled.
  if (isCancelled) return at(release, "confirmOrder")
  const next = again(release, answer.message)
  // In the last cycle no call is late any more: it was released by one whose answer was lost, and
  // downloaded since.
  return next._tag === "Refused" && mayBeReleased ? RELEASED : next
}
