/**
 * Performs the steps of a scenario by calls to the service.
 */
import { Effect, Result } from "effect"
import { Attachments, Plans, type Refusal, type Services, Subscriptions } from "simplan"
import type { Storage } from "simplan/ports"
import type { Mistake } from "../scenario/Problem.ts"
import * as Reporting from "./Reporting.ts"
import * as Rules from "./Rules.ts"
import type * as Scenario from "../scenario/Scenario.ts"
import * as Stage from "./Stage.ts"
import type * as Step from "../scenario/Step.ts"
import * as Subscribing from "./Subscribing.ts"

type Failure = Refusal.Refusal | Storage.StorageError

/** A call whose value is not shown. */
const call = (
  stage: Stage.Stage,
  what: string,
  effect: Effect.Effect<unknown, Failure, Services.Services>,
  ...rules: ReadonlyArray<Rules.Rule>
): Effect.Effect<Stage.Line> =>
  Effect.map(Stage.ask(stage, effect), (asked) =>
    Result.isSuccess(asked) ? Stage.done(what, ...rules) : Stage.refused(what, asked.failure)
  )

const faults = {
  refuse: "refuses",
  unavailable: "cannot be reached for",
  "answer lost": "loses its answer to",
  slow: "takes too long for",
  none: "takes"
} as const satisfies Record<Step.Of<"telco">["fault"], string>

const setFault = ({ simulated }: Stage.Stage, { calls = 1, fault }: Step.Of<"telco">): Effect.Effect<Stage.Line> => {
  const next = fault === "none" ? "all calls again" : calls === 1 ? "the next call" : `the next ${calls} calls`
  return Effect.as(
    simulated.setFault(fault === "none" ? null : fault, calls),
    Stage.done(`the telco ${faults[fault]} ${next}`)
  )
}

/** Performs a step at its instant; null if it has no line in the history. */
export const perform = (
  stage: Stage.Stage,
  { at, index, step }: Scenario.Timed
): Effect.Effect<Stage.Line | null, Mistake> => {
  const { iccid, organizationId, plan } = stage
  const place = index ?? 0
  const ofPlan = { organizationId, planId: plan.planId }
  const changePlan = (what: string, change: (plans: Plans.Plans["Service"]) => Effect.Effect<unknown, Failure>) =>
    call(stage, `the plan is ${what}`, Plans.Plans.use(change), Rules.archived)
  switch (step.do) {
    case "subscribe":
      return Subscribing.subscribe(stage)
    case "top_up":
      return Subscribing.topUp(stage, step, place)
    case "usage":
    case "first_use":
    case "location":
    case "smdp_state":
      return Reporting.report(stage, step, place, at)
    case "suspend":
      return Effect.flatMap(
        Stage.courseOf(stage, step.attachment ?? 1, ["steps", place, "attachment"]),
        ({ attachmentId }) => {
          const suspend = Attachments.Attachments.use((of) => of.suspend({ organizationId, iccid, attachmentId }))
          return call(stage, "suspension", suspend, Rules.suspended)
        }
      )
    case "delete": {
      const remove = Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid }))
      return call(stage, "deletion of the subscription", remove, Rules.deleted)
    }
    case "archive_plan":
      return changePlan("archived", (of) => of.archive(ofPlan))
    case "unarchive_plan":
      return changePlan("restored", (of) => of.unarchive(ofPlan))
    case "delete_plan":
      return changePlan("deleted", (of) => of.remove(ofPlan))
    case "telco":
      return setFault(stage, step)
    case "advance":
      return Effect.succeed(step.note === undefined ? null : Stage.done(step.note))
  }
}
