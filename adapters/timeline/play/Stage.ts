/**
 * What a scenario is played on, and how a call to the service becomes a line of its history.
 */
import { Effect, Result } from "effect"
import { type Plan, Plans, Refusal, type Services, type Storage } from "simplan"
import type { Simulated } from "simplan/testing"
import * as Catalogue from "./Catalogue.ts"
import type { Course, Entry } from "./History.ts"
import * as Mistake from "../scenario/Mistake.ts"
import * as PlanTerms from "../scenario/PlanTerms.ts"
import type * as Problem from "../scenario/Problem.ts"
import * as Refusals from "./Refusals.ts"
import type * as Rules from "./Rules.ts"
import type * as Scenario from "../scenario/Scenario.ts"

export interface Stage {
  readonly simulated: Simulated.Simulated
  readonly scenario: Scenario.Playable
  readonly organizationId: string
  readonly plan: Plan.Plan
  /** The attachments that were seen, in the order in which they were made. */
  readonly courses: () => ReadonlyArray<Course>
  /** The SIM that the story is about: the subscribed one, before that the first of the inventory. */
  iccid: string
}

/** What a step comes to. */
export type Line = Pick<Entry, "kind" | "what" | "rules">

export const done = (what: string, ...rules: ReadonlyArray<Rules.Rule>): Line => ({ kind: "step", what, rules })

/** What the service said no to. `period` is the rule by which an active period is judged. */
export const refused = (what: string, refusal: Refusal.Refusal, period: Rules.Rule | null = null): Line => {
  const told = Refusals.inWords(Refusal.toPlain(refusal), period)
  return { kind: "refused", what: `${what} refused: ${told.what}`, rules: told.rule === null ? [] : [told.rule] }
}

/** The outcome of a call, refusals included: they are part of the story. */
export const ask = <A, E extends Refusal.Refusal>(
  { simulated }: Pick<Stage, "simulated">,
  call: Effect.Effect<A, E | Storage.StorageError, Services.Services>
): Effect.Effect<Result.Result<A, E>> =>
  simulated.use(call).pipe(
    Effect.catchIf(Refusals.isBroken, (broken) => Effect.die(broken)),
    Effect.result
  )

/** Creates a plan. Terms that the service refuses are a mistake of the scenario, at the field that it names. */
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
    Plans.Plans.use((of) => of.create({ organizationId, terms: request }))
  )
  if (Result.isSuccess(created)) return created.success
  const { failure } = created
  if (failure._tag === "NotFound") return yield* Effect.die(failure)
  return yield* Mistake.at(source, [...path, PlanTerms.toWire(failure.field)], failure.message)
})

/** The attachment of that number, counted from 1; the mistake is at `path`. */
export const courseOf = (stage: Stage, number: number, path: Problem.Path): Effect.Effect<Course, Mistake.Mistake> => {
  const courses = stage.courses()
  const course = courses[number - 1]
  if (course !== undefined) return Effect.succeed(course)
  const allowed =
    courses.length === 0
      ? "there is no attachment by then"
      : courses.length === 1
        ? "must be 1: there is one attachment by then"
        : `must be from 1 to ${courses.length}, in the order in which attachments were made`
  return Mistake.at(stage.scenario.source, path, allowed)
}
