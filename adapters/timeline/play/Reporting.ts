/**
 * The steps that are reports of the telco.
 */
import { Effect } from "effect"
import { Reports } from "simplan"
import { Package, Plan, SmdpHistory, type TelcoReport } from "simplan/ports"
import type { Mistake } from "../scenario/Problem.ts"
import * as Rules from "./Rules.ts"
import * as Scenario from "../scenario/Scenario.ts"
import * as Stage from "./Stage.ts"
import type * as Step from "../scenario/Step.ts"
import * as Wording from "../output/Wording.ts"

type ReportStep = Step.Of<"usage" | "first_use" | "location" | "smdp_state">

const amount = (step: Step.Of<"usage">): TelcoReport.Usage => {
  const { delta_bytes, delta_MBs, total_bytes, total_MBs } = step
  const delta = delta_bytes ?? (delta_MBs === undefined ? undefined : delta_MBs * Plan.MEGABYTE)
  return delta === undefined
    ? { _tag: "Total", bytes: total_bytes ?? (total_MBs ?? 0) * Plan.MEGABYTE }
    : { _tag: "Delta", bytes: delta }
}

/** The package of a step; null if the step names none. */
const packageId = Effect.fnUntraced(function* (
  stage: Stage.Stage,
  { attachment, package: number }: Step.Of<"usage" | "first_use">,
  index: number
) {
  if (number === undefined && attachment === undefined) return null
  const course = yield* Stage.courseOf(stage, attachment ?? 1, ["steps", index, "attachment"])
  return Package.packageId(course.attachmentId, (number ?? 1) - 1)
})

const factOf = Effect.fnUntraced(function* (stage: Stage.Stage, step: ReportStep, index: number) {
  switch (step.do) {
    case "usage": {
      const usage = amount(step)
      const fact: TelcoReport.Fact = { _tag: "Usage", packageId: yield* packageId(stage, step, index), usage }
      const bytes = Wording.bytes(usage.bytes)
      return { fact, what: usage._tag === "Total" ? `${bytes} used in all` : `${bytes} more used` }
    }
    case "first_use": {
      const fact: TelcoReport.Fact = { _tag: "FirstUse", packageId: yield* packageId(stage, step, index) }
      return { fact, what: "a first use" }
    }
    case "location": {
      const { country_alpha_2, imei = "356938035643809", operator = "Simulated", rat = "4G" } = step
      const countryAlpha2 = country_alpha_2.toUpperCase()
      const fact: TelcoReport.Fact = { _tag: "Location", countryAlpha2, operator, rat, imei }
      return { fact, what: `the SIM in ${countryAlpha2}` }
    }
    case "smdp_state": {
      const { modification_result = SmdpHistory.SUCCESS, state } = step
      const fact: TelcoReport.Fact = { _tag: "SmdpState", state, modificationResult: modification_result }
      return { fact, what: `SM-DP+ state ${state}` }
    }
  }
})

/** Sends the report, and returns a line with the verdict. */
export const report = Effect.fnUntraced(function* (
  stage: Stage.Stage,
  step: ReportStep,
  index: number,
  at: number
): Effect.fn.Return<Stage.Line, Mistake> {
  const { fact, what } = yield* factOf(stage, step, index)
  const occurredAt = step.occurred_at === undefined ? at : Scenario.instantOf(step.occurred_at, stage.scenario.start)
  const named = occurredAt === at ? what : `${what}, of ${Wording.instant(occurredAt)}`
  const reports = [{ reportId: step.id ?? `step-${index}`, iccid: stage.iccid, occurredAt, fact }]
  const [verdict] = yield* Effect.orDie(stage.simulated.use(Reports.Reports.use((of) => of.take({ reports }))))
  switch (verdict?._tag) {
    case "Accepted":
      return Stage.done(`the telco reports ${named}`)
    case "Duplicate":
      return Stage.done(`the telco reports ${named}, again under the same id: a duplicate`, Rules.duplicate)
    default: {
      const why = verdict?.message ?? "it was not looked at"
      return { kind: "refused", what: `report of ${named} rejected: ${why}`, rules: [Rules.routed] }
    }
  }
})
