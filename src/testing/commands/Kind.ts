/**
 * What a kind of command is: how often and how it is drawn, what it comes to when it runs, and how
 * that is done. Whatever comes of a request is an outcome: a refusal, a process that was killed in
 * the middle, and what should never be.
 */
import { Cause, Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import * as Refusal from "../../domain/Refusal.ts"
import { DAY } from "../../domain/Time.ts"
import type { StorageError } from "../../ports/Storage.ts"
import type { Services } from "../../Services.ts"
import * as Arbitraries from "../Arbitraries.ts"
import type { Simulated } from "../Simulated.ts"
import type { Answer, Asked, Command, Commands, Outcome, Side, Tag } from "./Command.ts"
import type { Session } from "./Session.ts"

/** How large runs get, and the plans in them. */
export interface Bounds extends Arbitraries.PlanBounds {
  /** The longest span by which the clock is advanced at once, in milliseconds. */
  readonly advance: number
  /** How many commands a run has at most. */
  readonly commands: number
}

/** What a run of a few milliseconds can hold. */
export const modest: Bounds = { ...Arbitraries.modestPlans, advance: 3 * 365 * DAY, commands: 24 }

/** What a command comes to at the moment at which it runs. */
export interface Resolved {
  readonly asked: Asked
  /** Does it. */
  readonly outcome: Effect.Effect<Outcome>
}

/** One kind of command. */
export interface Kind<Name extends Tag> {
  /** How often it is drawn, in proportion to the others. */
  readonly weight: number
  /** Draws its fields. */
  readonly fields: (bounds: Bounds) => fc.Arbitrary<Commands[Name]>
  readonly resolve: (session: Session, command: Command<Name>) => Effect.Effect<Resolved, StorageError>
}

/** A place among those there are, the first ones most often. */
export const place: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.nat(1) },
  { weight: 1, arbitrary: fc.nat(7) }
)

/** Who asks. */
export const by: fc.Arbitrary<Side> = fc.oneof(
  { weight: 7, arbitrary: fc.constant(0 as const) },
  { weight: 1, arbitrary: fc.constant(1 as const) }
)

/** True once in so many times; shrinks to false. */
export const rarely = (once: number): fc.Arbitrary<boolean> => fc.nat(once - 1).map((drawn) => drawn === once - 1)

/** Every answer without a body of its own. */
export const done: Answer = { kind: "Done" }

/** The request was taken. */
export const answered = (answer: Answer): Outcome => ({ _tag: "Answered", answer })

/** It ended as nothing may. */
export const broken = (cause: unknown): Outcome => ({ _tag: "Broken", message: String(cause) })

/** What may go wrong with a request. A refusal that is replayed (rule W2) is plain data already. */
export type Failure = Refusal.Plain | StorageError

const failed = (cause: Cause.Cause<Failure>): Outcome => {
  const error = Cause.findErrorOption(cause)
  if (error._tag === "None" || error.value._tag === "StorageError") return broken(Cause.squash(cause))
  return {
    _tag: "Refused",
    refusal: Refusal.isRefusal(error.value) ? Refusal.toPlain(error.value) : error.value
  }
}

/** Runs it in the present process; if that is killed meanwhile, another one is started. */
const attempt = (simulated: Simulated, effect: Effect.Effect<Answer, Failure, Services>): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(simulated.use(effect))
    const exit = yield* Effect.raceFirst(Fiber.await(fiber), Effect.as(simulated.killed, null))
    if (exit !== null) return Exit.isSuccess(exit) ? answered(exit.value) : failed(exit.cause)
    yield* Effect.orDie(simulated.restart)
    return { _tag: "Killed" }
  })

/** There is nothing that the command could be about. */
export const nothing: Resolved = { asked: { _tag: "Nothing" }, outcome: Effect.succeed(answered(done)) }

/** Whatever the telco does to a request, no preview foresees. */
const isOfTelco = ({ _tag }: Refusal.Plain): boolean => _tag === "TelcoRefused" || _tag === "TelcoUnavailable"

/** What a request may be refused with that awaits a purchase. */
const ofPurchases = new Set(["EsimsIssuing", "SoldOut", "NoBalance"])

/** Rule S9: what came of a request has to be what its preview foresaw. */
const agreed = (refusal: Refusal.Plain | null, outcome: Outcome): Outcome => {
  if (outcome._tag !== "Answered" && outcome._tag !== "Refused") return outcome
  const actual = outcome._tag === "Refused" ? outcome.refusal : null
  if (actual !== null && isOfTelco(actual)) return outcome
  // What is not in stock is bought, and nobody foresees what comes of that (rule I15).
  const mayBuy = refusal === null || refusal._tag === "EsimsIssuing"
  if (mayBuy && (actual === null || ofPurchases.has(actual._tag))) return outcome
  return actual?._tag === refusal?._tag
    ? outcome
    : broken(`The preview foresaw ${refusal?._tag ?? "no refusal"}, and the request had ${actual?._tag ?? "none"}`)
}

/** The refusal that a preview foresees, null for none. */
const foreseenBy = (preview: Effect.Effect<unknown, Failure, Services>) =>
  Effect.matchEffect(preview, {
    onSuccess: () => Effect.succeed(null),
    onFailure: (error) => (error._tag === "StorageError" ? Effect.fail(error) : Effect.succeed(error))
  })

/** How a request is made. */
export interface Making<A> {
  readonly make: Effect.Effect<A, Failure, Services>
  /** `Done` if absent. */
  readonly answer?: (value: A) => Answer
  /** It is made first, if there is one and nothing else happens meanwhile (rule S9). */
  readonly preview?: Effect.Effect<unknown, Failure, Services>
}

/** A request of the service. */
export const request = <A>(
  { isAlone, simulated }: Session,
  asked: Asked,
  { answer = () => done, make, preview }: Making<A>
): Resolved => {
  const outcome = attempt(simulated, Effect.map(make, answer))
  if (preview === undefined || !isAlone) return { asked, outcome }
  const previewed = Effect.matchCauseEffect(simulated.use(foreseenBy(preview)), {
    onFailure: (cause) => Effect.succeed(broken(Cause.squash(cause))),
    onSuccess: (refusal) => Effect.map(outcome, (outcome) => agreed(refusal, outcome))
  })
  return { asked, outcome: previewed }
}
