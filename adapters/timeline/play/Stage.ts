/**
 * The service that a scenario is played on, and the conversion of calls to lines of the history.
 */
import { Effect, Result } from "effect"
import { Plans, Refusal, type Services } from "simplan"
import type { Plan, Storage } from "simplan/ports"
import type { Simulated } from "simplan/testing"
import * as Catalogue from "./Catalogue.ts"
import type { Course, Entry } from "./History.ts"
import * as PlanTerms from "../scenario/PlanTerms.ts"
import * as Problem from "../scenario/Problem.ts"
import * as Refusals from "./Refusals.ts"
import type * as Rules from "./Rules.ts"
import type * as Scenario from "../scenario/Scenario.ts"

export interface Stage {
  readonly simulated: Simulated.Simulated
  readonly scenario: Scenario.Playable
  readonly organizationId: string
  readonly plan: Plan.Plan
  /** The attachments in the order of creation. */
  readonly courses: () => ReadonlyArray<Course>
  /** The subscribed SIM; before the subscription, the first SIM of the inventory. */
  iccid: string
}

/** The line of a step. */
export type Line = Pick<Entry, "kind" | "what" | "rules">

export const done = (what: string, ...rules: ReadonlyArray<Rules.Rule>): Line => ({ kind: "step", what, rules })

/** A refused step. `period` is the rule for an invalid active period. */
export const refused = (what: string, refusal: Refusal.Refusal, period: Rules.Rule | null = null): Line => {
  const reason = Refusals.inWords(Refusal.toPlain(refusal), period)
  return { kind: "refused", what: `${what} refused: ${reason.what}`, rules: reason.rule === null ? [] : [reason.rule] }
}

/** Makes a call. A refusal is a result, because it belongs to the history. */
export const ask = <A, E extends Refusal.Refusal>(
  { simulated }: Pick<Stage, "simulated">,
  call: Effect.Effect<A, E | Storage.StorageError, Services.Services>
): Effect.Effect<Result.Result<A, E>> =>
  simulated.use(call).pipe(
    Effect.catchIf(Refusals.isBroken, (broken) => Effect.die(broken)),
    Effect.result
  )

/** Creates a plan. Refused terms are a mistake of the scenario, at the refused field. */
export const createPlan = Effect.fnUntraced(function* (
  simulated: Simulated.Simulated,
  organizationId: string,
  { source }: Scenario.Playable,
  terms: PlanTerms.PlanTerms,
  path: Problem.Path
) {
  const request = PlanTerms.toRequest(terms, source.title, Catalogue.COVERAGE_ID)
  const created = yield* ask(
    { simulated },
    Effect.flatMap(Effect.fromResult(request), (asked) =>
      Plans.Plans.use((of) => of.create({ organizationId, terms: asked }))
    )
  )
  if (Result.isSuccess(created)) return created.success
  const { failure } = created
  if (failure._tag !== "InvalidField") return yield* Effect.die(failure)
  return yield* Problem.mistake(source, [...path, PlanTerms.toWire(failure.field)], failure.message)
})

/** The attachment with a number, from 1. `path` is the path of the number in the scenario. */
export const courseOf = (stage: Stage, number: number, path: Problem.Path): Effect.Effect<Course, Problem.Mistake> => {
  const courses = stage.courses()
  const course = courses[number - 1]
  if (course !== undefined) return Effect.succeed(course)
  const allowed =
    courses.length === 0
      ? "there is no attachment by then"
      : courses.length === 1
        ? "must be 1: there is one attachment by then"
        : `must be from 1 to ${courses.length}, in the order in which attachments were made`
  return Problem.mistake(stage.scenario.source, path, allowed)
}
