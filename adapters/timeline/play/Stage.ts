/**
 * The service that a scenario is played on, and the conversion of calls to lines of the history:
 * refusals as text, with the rule behind each. Its catalogue has the same profile under each id
 * that the scenario's plans name, since the history does not depend on coverage.
 */
import { Context, Effect, Layer, Result } from "effect"
import { Catalogues, Plans, Refusal, type Services } from "simplan"
import { type Catalogue, type Plan, Storage, TelcoBundles } from "simplan/ports"
import type { Simulated, Simulation } from "simplan/testing"
import type { Course, Entry } from "./History.ts"
import * as Scenario from "../scenario/Scenario.ts"
import * as Problem from "../scenario/Problem.ts"
import * as Rules from "./Rules.ts"
import { refusalRules } from "./printed/RefusalRules.ts"

/** The default profile of a plan. */
const COVERAGE_ID = "00000000-0000-5000-8000-000000000001"

const profile = (coverageId: string): Catalogue.StandardProfile => ({
  coverageId,
  label: "Green",
  regionName: "Everywhere",
  regionCode: "GLOBAL",
  iso2List: ["FR"]
})

const catalogue = (coverageIds: ReadonlyArray<string>): Catalogue.Catalogue => ({
  countries: [{ iso2: "FR", iso3: "FRA", name: "France" }],
  operators: [
    {
      operatorId: "00000000-0000-5000-8000-000000000002",
      name: "Simulated",
      countryIso2: "FR",
      supportedRats: ["4G", "5G"],
      mccMnc: ["208-01"],
      labels: ["Green"]
    }
  ],
  profiles: [...new Set([COVERAGE_ID, ...coverageIds])].map(profile)
})

/** Provides a service with these profiles. */
export const catalogueLayer = (coverageIds: ReadonlyArray<string>): Layer.Layer<Catalogues.BuiltIn> =>
  Layer.succeed(Catalogues.BuiltIn, { catalogue: Effect.sync(() => catalogue(coverageIds)) })

/** The telco sells whatever load it is asked for: no catalogue has to be compared every day. */
export const withoutBundles = (ports: Context.Context<Simulation.Ports>): Context.Context<Simulation.Ports> =>
  Context.add(ports, TelcoBundles.TelcoBundles, TelcoBundles.TelcoBundles.defaultValue())

interface Reason {
  readonly what: string
  readonly rule: Rules.Rule | null
}

/** The rules that refuse, by their names. */
const rules = new Map<string | null, Rules.Rule>(
  [Rules.freeSim, Rules.bought, Rules.answered, Rules.archived, Rules.attached, Rules.deleted, Rules.suspended].map(
    (rule) => [rule.name, rule]
  )
)

/** The text of a refusal. `period` is the rule for an invalid active period. */
export const inWords = (refusal: Refusal.Plain, period: Rules.Rule | null): Reason => ({
  what: Refusal.sentence(refusal, Scenario.toWire),
  rule: refusal._tag === "InvalidField" ? period : (rules.get(refusalRules[refusal._tag]) ?? null)
})

/** Whether a failure comes from the storage. A storage in memory has none. */
const isBroken = (failure: unknown): failure is Storage.StorageError => failure instanceof Storage.StorageError

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
  const reason = inWords(Refusal.toPlain(refusal), period)
  return { kind: "refused", what: `${what} refused: ${reason.what}`, rules: reason.rule === null ? [] : [reason.rule] }
}

/** Makes a call. A refusal is a result, because it belongs to the history. */
export const ask = <A, E extends Refusal.Refusal>(
  { simulated }: Pick<Stage, "simulated">,
  call: Effect.Effect<A, E | Storage.StorageError, Services.Services>
): Effect.Effect<Result.Result<A, E>> =>
  simulated.use(call).pipe(
    Effect.catchIf(isBroken, (broken) => Effect.die(broken)),
    Effect.result
  )

/** Creates a plan. Refused terms are a mistake of the scenario, at the refused field. */
export const createPlan = Effect.fnUntraced(function* (
  simulated: Simulated.Simulated,
  organizationId: string,
  { source }: Scenario.Playable,
  terms: Scenario.PlanTerms,
  path: Problem.Path
) {
  const request = Scenario.toRequest(terms, source.title, COVERAGE_ID)
  const created = yield* ask(
    { simulated },
    Effect.flatMap(Effect.fromResult(request), (asked) =>
      Plans.Plans.use((of) => of.create({ organizationId, terms: asked }))
    )
  )
  if (Result.isSuccess(created)) return created.success
  const { failure } = created
  if (failure._tag !== "InvalidField") return yield* Effect.die(failure)
  return yield* Problem.mistake(source, [...path, Scenario.toWire(failure.field)], failure.message)
})

/** The plan as the scenario's bundle, if it has one; a refused one is a mistake. */
export const bundled = Effect.fnUntraced(function* (
  simulated: Simulated.Simulated,
  { source }: Scenario.Playable,
  plan: Plan.Plan
) {
  if (source.bundle === undefined) return plan
  const { organizationId, planId } = plan
  const bundle = { load: source.bundle.load, topUpLoad: null, limit: null }
  const set = yield* ask(
    { simulated },
    Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle }))
  )
  if (Result.isSuccess(set)) return set.success
  const { failure } = set
  if (failure._tag !== "InvalidField") return yield* Effect.die(failure)
  return yield* Problem.mistake(source, ["bundle", Scenario.toWire(failure.field)], failure.message)
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
