/**
 * The steps of a scenario: what somebody does, or what the telco reports, at a moment.
 */
import { Schema } from "effect"
import { SmdpHistory } from "simplan"
import * as Moment from "./Moment.ts"
import * as PlanTerms from "./PlanTerms.ts"
import * as Words from "./Words.ts"

const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => {
  const message =
    maximum === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${minimum}`
      : `must be a whole number from ${minimum} to ${maximum}`
  return Schema.Int.annotate({ message }).check(Schema.isBetween({ minimum, maximum }, { message }))
}

const amount = Schema.optionalKey(wholeNumber(0))

const head = { at: Moment.Moment, note: Schema.optionalKey(Words.Text) }

/** Which attachment is meant, counted from 1 in the order in which they were made: the first, unless given. */
const attachment = Schema.optionalKey(wholeNumber(1))

/** What a report of the telco may also say. */
const reported = {
  /** Another id than the one made up: the same id twice is a duplicate (rule R1). */
  id: Schema.optionalKey(Words.Text),
  /** When it happened, where the report is late: `at`, unless given. */
  occurred_at: Schema.optionalKey(Moment.Moment)
}

/** Of which package, counted from 1: the one that rule R1 finds, unless given. */
const ofPackage = { attachment, package: Schema.optionalKey(wholeNumber(1)) }

/** How a usage report may say how much: exactly one of these. */
export const amounts = ["total_bytes", "total_MBs", "delta_bytes", "delta_MBs"] as const

/** What goes wrong with the next calls to the telco; `none` ends that. */
export const faults = ["refuse", "unavailable", "answer lost", "slow", "none"] as const

export const kinds = [
  "subscribe",
  "top_up",
  "usage",
  "first_use",
  "location",
  "smdp_state",
  "suspend",
  "delete",
  "archive_plan",
  "unarchive_plan",
  "delete_plan",
  "telco",
  "advance"
] as const

export type Kind = (typeof kinds)[number]

const of = <K extends Kind, Fields extends Schema.Struct.Fields>(kind: K, fields: Fields) =>
  Schema.Struct({ do: Schema.Literal(kind), ...head, ...fields })

/** A step as its scenario has it. */
export const Step = Schema.Union([
  of("subscribe", {}),
  of("top_up", {
    plan: Schema.optionalKey(PlanTerms.PlanTerms),
    active_period: Schema.optionalKey(Schema.NullOr(Words.ActivePeriod)),
    metadata: Schema.optionalKey(Words.Text)
  }),
  of("usage", {
    ...reported,
    ...ofPackage,
    total_bytes: amount,
    total_MBs: amount,
    delta_bytes: amount,
    delta_MBs: amount
  }),
  of("first_use", { ...reported, ...ofPackage }),
  of("location", {
    ...reported,
    country_alpha_2: Words.Country,
    operator: Schema.optionalKey(Words.Text),
    rat: Schema.optionalKey(Words.Text),
    imei: Schema.optionalKey(Words.Text)
  }),
  of("smdp_state", {
    ...reported,
    state: Schema.Literals(SmdpHistory.states).annotate({ message: `must be one of ${SmdpHistory.states.join(", ")}` }),
    modification_result: Schema.optionalKey(Words.Text)
  }),
  of("suspend", { attachment }),
  of("delete", {}),
  of("archive_plan", {}),
  of("unarchive_plan", {}),
  of("delete_plan", {}),
  of("telco", {
    fault: Schema.Literals(faults).annotate({ message: `must be one of ${faults.join(", ")}` }),
    calls: Schema.optionalKey(wholeNumber(1, 1_000))
  }),
  of("advance", {})
]).annotate({ message: `must be one of ${kinds.join(", ")}`, field: "do" })

export type Step = typeof Step.Type

/** The step of a kind. */
export type Of<K extends Kind> = Extract<Step, { readonly do: K }>
