/**
 * The steps that attach a plan to the SIM: the subscription, and top-ups.
 */
import { Effect, Result } from "effect"
import { Subscriptions } from "simplan"
import type { Activation, Plan } from "simplan/ports"
import * as Rules from "./Rules.ts"
import * as Scenario from "../scenario/Scenario.ts"
import * as Stage from "./Stage.ts"
import * as Wording from "../output/Wording.ts"

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

/** Makes the subscription request of the scenario. */
export const subscribe = (stage: Stage.Stage) => {
  const { subscription } = stage.scenario.source
  return create(stage, {
    plan: stage.plan,
    period: request(subscription?.active_period, stage.scenario),
    metadata: subscription?.metadata,
    iccid: null
  })
}

/** Attaches the plan of the step, by default the plan of the scenario, to the SIM in service. */
export const topUp = Effect.fnUntraced(function* (
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
