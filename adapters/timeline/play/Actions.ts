/**
 * Performs the steps of a scenario by calls to the service: those that attach a plan to the SIM,
 * the reports of the telco, and all others.
 */
import { Effect, Result } from "effect"
import { Attachments, Plans, type Refusal, Reports, type Services, Subscriptions } from "simplan"
import { type Activation, Allowance, Package, type Plan, SmdpHistory, type Storage, TelcoReport } from "simplan/ports"
import { type Mistake, mistake } from "../scenario/Problem.ts"
import * as Rules from "./Rules.ts"
import * as Scenario from "../scenario/Scenario.ts"
import * as Stage from "./Stage.ts"
import * as Wording from "../Wording.ts"

interface Period {
  readonly start?: string | null
  readonly end?: string | null
}

const request = (period: Period | null | undefined, { start }: Scenario.Playable): Activation.Request | null => {
  const instant = (moment: string | null | undefined) =>
    moment === null || moment === undefined ? null : Scenario.instantOf(moment, start)
  return period === null || period === undefined ? null : { start: instant(period.start), end: instant(period.end) }
}

const inWords = (period: Activation.Request | null): string => {
  if (period === null) return "without an active_period"
  const start = period.start === null ? "without a start" : `from ${Wording.instant(period.start)}`
  return period.end === null ? start : `${start} to ${Wording.instant(period.end)}`
}

const create = Effect.fnUntraced(function* (
  stage: Stage.Stage,
  of: {
    readonly plan: Plan.Plan
    readonly period: Activation.Request | null
    readonly metadata: string | undefined
    /** Null: the service chooses a free eSIM. */
    readonly iccid: string | null
  }
) {
  const { organizationId, simulated } = stage
  const { iccid, metadata = "scenario", period, plan } = of
  const now = yield* simulated.now
  const created = yield* Stage.ask(
    stage,
    Subscriptions.Subscriptions.use((all) =>
      all.create({ organizationId, planId: plan.planId, metadata, iccid, activePeriod: period })
    )
  )
  const what = `${iccid === null ? "subscription" : "top-up"} ${inWords(period)}`
  if (Result.isFailure(created)) {
    const limits = plan.terms.recurrence === null ? Rules.windowLimits : Rules.oldest
    return Stage.refused(what, created.failure, limits)
  }
  stage.iccid = created.success.sim.iccid
  const rules = Rules.activePeriod(plan.terms, period, now)
  return Stage.done(`${what}: ${Wording.terms(plan.terms)}`, ...(iccid === null ? rules : [Rules.attached, ...rules]))
})

/** Makes the subscription request of the scenario, unless there is a subscription. */
const subscribe = Effect.fnUntraced(function* (stage: Stage.Stage, place: number) {
  const { source } = stage.scenario
  const { subscription } = source
  if (stage.courses().some(({ removedAt }) => removedAt === null)) {
    const must = "must not be subscribe while there is a subscription: use top_up"
    return yield* mistake(source, ["steps", place, "do"], must)
  }
  return yield* create(stage, {
    plan: stage.plan,
    period: request(subscription?.active_period, stage.scenario),
    metadata: subscription?.metadata,
    iccid: null
  })
})

/** Attaches the plan of the step, by default the plan of the scenario, to the SIM in service. */
const topUp = Effect.fnUntraced(function* (
  stage: Stage.Stage,
  step: Extract<Scenario.Timed["step"], { readonly do: "top_up" }>,
  index: number
) {
  const { organizationId, scenario, simulated } = stage
  const plan =
    step.plan === undefined
      ? stage.plan
      : yield* Stage.createPlan(simulated, organizationId, scenario, step.plan, ["steps", index, "plan"])
  const period = request(step.active_period, scenario)
  return yield* create(stage, { plan, period, metadata: step.metadata, iccid: stage.iccid })
})

type ReportStep = Scenario.StepOf<"usage" | "first_use" | "package_end" | "location" | "smdp_state">

const amount = (step: Scenario.StepOf<"usage">): TelcoReport.Usage => {
  const { delta_bytes, delta_MBs, total_bytes, total_MBs } = step
  const delta = delta_bytes ?? (delta_MBs === undefined ? undefined : delta_MBs * Allowance.MEGABYTE)
  return delta === undefined
    ? { _tag: "Total", bytes: total_bytes ?? (total_MBs ?? 0) * Allowance.MEGABYTE }
    : { _tag: "Delta", bytes: delta }
}

/** The package of a step; null if the step names none. */
const packageId = Effect.fnUntraced(function* (
  stage: Stage.Stage,
  { attachment, package: number }: Scenario.StepOf<"usage" | "first_use" | "package_end">,
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
    case "package_end": {
      const named = yield* packageId(stage, { ...step, package: step.package ?? 1 }, index)
      const fact: TelcoReport.Fact = { _tag: "End", packageId: named ?? "", reason: step.reason }
      return { fact, what: `an end (${step.reason})` }
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
const report = Effect.fnUntraced(function* (
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
      const why = verdict === undefined ? "it was not looked at" : TelcoReport.sentence(verdict, Scenario.toWire)
      return { kind: "refused", what: `report of ${named} rejected: ${why}`, rules: [Rules.routed] }
    }
  }
})

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
  allocating: "is still allocating at",
  sold_out: "is sold out at",
  no_balance: "finds no balance at",
  none: "takes"
} as const satisfies Record<Scenario.StepOf<"telco">["fault"], string>

const setFault = (
  { simulated }: Stage.Stage,
  { calls = 1, fault }: Scenario.StepOf<"telco">
): Effect.Effect<Stage.Line> => {
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
      return subscribe(stage, place)
    case "top_up":
      return topUp(stage, step, place)
    case "usage":
    case "first_use":
    case "package_end":
    case "location":
    case "smdp_state":
      return report(stage, step, place, at)
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
