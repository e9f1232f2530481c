/**
 * A scenario: plan terms, a subscription request, and steps in time. A step is a request, a report
 * of the telco, or a fault of the telco, at a moment: an instant, or a time after the scenario's
 * start such as `+3 days 12 hours`. Plan terms have the names of `POST /v3/plans`. The schema
 * checks types and codes; the service checks the values (rule P1).
 *
 * A decoded scenario can be played: its moments are instants, in order. Each mistake in a file has
 * the line where it is.
 */
import { Result, Schema } from "effect"
import { Time, Refusal } from "simplan"
import * as Problem from "./Problem.ts"
import * as JsonLines from "../../json-lines/index.ts"
import { PackageEnd, Plan, SmdpHistory } from "simplan/ports"

const units = {
  millisecond: 1,
  second: Time.SECOND,
  minute: Time.MINUTE,
  hour: Time.HOUR,
  day: Time.DAY,
  week: 7 * Time.DAY
} as const

const isUnit = (name: string): name is keyof typeof units => Object.hasOwn(units, name)

const RELATIVE = /^\+\s*\d+ [a-z]+(?:[ ,]+\d+ [a-z]+)*$/

const span = (text: string): number | undefined => {
  if (!RELATIVE.test(text)) return undefined
  let millis = 0
  for (const [, count, name = ""] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    const unit = name.replace(/s$/, "")
    if (!isUnit(unit)) return undefined
    millis += Number(count) * units[unit]
  }
  return Number.isSafeInteger(millis) ? millis : undefined
}

/** The error message for a moment. */
const MUST =
  "must be an RFC 3339 instant with a zone, such as 2026-01-31T12:00:00Z, or a time after the start, such as +3 days 12 hours"

/** The error message for an instant. */
const MUST_BE_INSTANT = "must be an RFC 3339 instant with a zone, such as 2026-01-31T12:00:00Z"

/** The instant of a text in a scenario that begins at `start`; undefined if the text is invalid. */
export const parseMoment = (text: string, start: Time.Instant): Time.Instant | undefined => {
  const after = span(text)
  const instant = after === undefined ? Time.fromIso(text) : start + after
  return instant !== undefined && instant < Time.END_OF_TIME ? instant : undefined
}

/** A moment in a scenario file. */
export const Moment = Schema.String.annotate({ message: MUST }).check(
  Schema.makeFilter((text: string) => parseMoment(text, 0) !== undefined, { message: MUST })
)

/** An instant in a scenario file. */
export const InstantText = Schema.String.annotate({ message: MUST_BE_INSTANT }).check(
  Schema.makeFilter((text: string) => Time.fromIso(text) !== undefined, { message: MUST_BE_INSTANT })
)

const TEXT = "must be a string that is not empty"

/** A text that is not empty. */
export const Text = Schema.String.annotate({ message: TEXT }).check(Schema.isMinLength(1, { message: TEXT }))

export const Truth = Schema.Boolean.annotate({ message: "must be true or false" })

const COUNTRY = "must be an ISO 2-letter country code, such as FR"

export const Country = Schema.String.annotate({ message: COUNTRY }).check(
  Schema.isPattern(/^[A-Za-z]{2}$/u, { message: COUNTRY })
)

/**
 * An active period in a request. The service checks which of the two fields are needed (rules 2 and
 * 4).
 */
export const ActivePeriod = Schema.Struct({
  start: Schema.optionalKey(Schema.NullOr(Moment)),
  end: Schema.optionalKey(Schema.NullOr(Moment))
}).annotate({ message: "must be an object with start and end, or null" })

const number = Schema.Finite.annotate({ message: "must be a number" })
const optionalNumber = Schema.optionalKey(number)

const PERIODICITY = 'must be a string: "0" (Daily), "1" (Weekly) or "2" (Monthly)'

const periodicities = { "0": "Daily", "1": "Weekly", "2": "Monthly" } as const

const periodicity = Schema.optionalKey(Schema.Literals(["0", "1", "2"]).annotate({ message: PERIODICITY }))

const LIMIT = `must be a string: ${Plan.throttlingLimits.map((one) => `"${one}"`).join(", ")}`

const limit = Schema.optionalKey(Schema.Literals(Plan.throttlingLimits).annotate({ message: LIMIT }))

/** The terms in a scenario file. By default a plan does not recur and is not throttled. */
export const PlanTerms = Schema.Struct({
  name: Schema.optionalKey(Text),
  coverage_id: Schema.optionalKey(Text),
  data_MBs: number,
  period_days: number,
  recurring: Schema.optionalKey(Truth),
  nb_occurrence: optionalNumber,
  recurring_periodicity_type: periodicity,
  recurring_periodicity_frequency: optionalNumber,
  throttling: Schema.optionalKey(Truth),
  throttling_threshold1_perc: optionalNumber,
  throttling_threshold1_limit: limit,
  throttling_threshold2_perc: optionalNumber,
  throttling_threshold2_limit: limit,
  throttling_threshold3_perc: optionalNumber,
  throttling_threshold3_limit: limit
}).annotate({ message: "must be an object with data_MBs and period_days" })

export type PlanTerms = typeof PlanTerms.Type

const names: Readonly<Record<string, string>> = {
  name: "name",
  coverageId: "coverage_id",
  dataMegaBytes: "data_MBs",
  periodDays: "period_days",
  occurrences: "nb_occurrence",
  periodicity: "recurring_periodicity_type",
  frequency: "recurring_periodicity_frequency"
}

/** The file's name of a field of the service. */
export const toWire = (field: string): string => {
  const [, index, part] = /^throttlingThreshold(\d)(Percentage|Limit)$/.exec(field) ?? []
  if (index !== undefined) return `throttling_threshold${index}_${part === "Limit" ? "limit" : "perc"}`
  return names[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

// The service refuses NaN.
const orNone = (value: number | undefined): number => value ?? Number.NaN

const missing = (field: string, message: string) => Result.fail(new Refusal.InvalidField({ field, message }))

/**
 * The service's request; `name` and `coverageId` are the defaults. Fails if a periodicity or a
 * limit is missing.
 */
export const toRequest = (
  terms: PlanTerms,
  name: string,
  coverageId: string
): Result.Result<Plan.TermsRequest, Refusal.InvalidField> =>
  Result.gen(function* () {
    // Without a number of occurrences the service refuses that first.
    const type = terms.recurring === true && terms.nb_occurrence !== undefined ? terms.recurring_periodicity_type : "0"
    if (type === undefined) return yield* missing("periodicity", PERIODICITY)
    const throttling: Array<Plan.ThrottlingStep> = []
    for (const step of terms.throttling === true ? ([1, 2, 3] as const) : []) {
      const known = terms[`throttling_threshold${step}_limit`]
      if (known === undefined) return yield* missing(`throttlingThreshold${step}Limit`, LIMIT)
      throttling.push({ percentage: orNone(terms[`throttling_threshold${step}_perc`]), limit: known })
    }
    return {
      name: terms.name ?? name,
      coverageId: terms.coverage_id ?? coverageId,
      dataMegaBytes: terms.data_MBs,
      periodDays: terms.period_days,
      throttling,
      recurrence:
        terms.recurring === true
          ? {
              periodicity: periodicities[type],
              frequency: orNone(terms.recurring_periodicity_frequency),
              occurrences: orNone(terms.nb_occurrence)
            }
          : null
    }
  })

const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => {
  const message =
    maximum === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${minimum}`
      : `must be a whole number from ${minimum} to ${maximum}`
  return Schema.Int.annotate({ message }).check(Schema.isBetween({ minimum, maximum }, { message }))
}

const amount = Schema.optionalKey(wholeNumber(0))

const head = { at: Moment, note: Schema.optionalKey(Text) }

/** The number of the attachment in the order of creation, from 1; the first by default. */
const attachment = Schema.optionalKey(wholeNumber(1))

/** The optional fields of a report. */
const reported = {
  /** The report's id, generated by default. The same id twice is a duplicate (rule R1). */
  id: Schema.optionalKey(Text),
  /** When it happened, for a late report; `at` by default. */
  occurred_at: Schema.optionalKey(Moment)
}

/** The number of the package, from 1; the package that rule R1 finds by default. */
const ofPackage = { attachment, package: Schema.optionalKey(wholeNumber(1)) }

/** The amounts of a usage report, of which it has exactly one. */
export const amounts = ["total_bytes", "total_MBs", "delta_bytes", "delta_MBs"] as const

/**
 * The faults of the next calls to the telco; `none` ends a fault. `allocating`, `sold_out` and
 * `no_balance` befall purchases alone.
 */
export const faults = [
  "refuse",
  "unavailable",
  "answer lost",
  "slow",
  "allocating",
  "sold_out",
  "no_balance",
  "none"
] as const

export const kinds = [
  "subscribe",
  "top_up",
  "usage",
  "first_use",
  "package_end",
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

const kindOf = <K extends Kind, Fields extends Schema.Struct.Fields>(kind: K, fields: Fields) =>
  Schema.Struct({ do: Schema.Literal(kind), ...head, ...fields })

/** A step in a scenario file. */
export const Step = Schema.Union([
  kindOf("subscribe", {}),
  kindOf("top_up", {
    plan: Schema.optionalKey(PlanTerms),
    active_period: Schema.optionalKey(Schema.NullOr(ActivePeriod)),
    metadata: Schema.optionalKey(Text)
  }),
  kindOf("usage", {
    ...reported,
    ...ofPackage,
    total_bytes: amount,
    total_MBs: amount,
    delta_bytes: amount,
    delta_MBs: amount
  }),
  kindOf("first_use", { ...reported, ...ofPackage }),
  kindOf("package_end", {
    ...reported,
    ...ofPackage,
    reason: Schema.Literals(PackageEnd.reasons).annotate({ message: `must be one of ${PackageEnd.reasons.join(", ")}` })
  }),
  kindOf("location", {
    ...reported,
    country_alpha_2: Country,
    operator: Schema.optionalKey(Text),
    rat: Schema.optionalKey(Text),
    imei: Schema.optionalKey(Text)
  }),
  kindOf("smdp_state", {
    ...reported,
    state: Schema.Literals(SmdpHistory.states).annotate({ message: `must be one of ${SmdpHistory.states.join(", ")}` }),
    modification_result: Schema.optionalKey(Text)
  }),
  kindOf("suspend", { attachment }),
  kindOf("delete", {}),
  kindOf("archive_plan", {}),
  kindOf("unarchive_plan", {}),
  kindOf("delete_plan", {}),
  kindOf("telco", {
    fault: Schema.Literals(faults).annotate({ message: `must be one of ${faults.join(", ")}` }),
    calls: Schema.optionalKey(wholeNumber(1, 1_000))
  }),
  kindOf("advance", {})
]).annotate({ message: `must be one of ${kinds.join(", ")}`, field: "do" })

export type Step = typeof Step.Type

/** The step of a kind. */
export type StepOf<K extends Kind> = Extract<Step, { readonly do: K }>

/** The default start of a scenario. */
export const DEFAULT_START = "2026-01-01T00:00:00Z"

const SEED = "must be a whole number from 0 to 4294967295"

/** A scenario file. */
export const Scenario = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  title: Text,
  /** What the scenario shows. */
  about: Schema.optionalKey(Text),
  start: Schema.optionalKey(InstantText),
  /** When the scenario ends; by default, when nothing is left to happen. */
  end: Schema.optionalKey(Moment),
  /** The seed of ids and other random values. */
  seed: Schema.optionalKey(
    Schema.Int.annotate({ message: SEED }).check(
      Schema.isBetween({ minimum: 0, maximum: 4_294_967_295 }, { message: SEED })
    )
  ),
  /** Whether the telco reports the times of a package. */
  telco_times: Schema.optionalKey(
    Schema.Literals(["reported", "withheld"]).annotate({ message: "must be reported or withheld" })
  ),
  plan: PlanTerms,
  /** The bundle of a supplier that the plan is (rule P5): an eSIM is bought with its load. */
  bundle: Schema.optionalKey(Schema.Struct({ load: Text }).annotate({ message: "must be an object with load" })),
  /** The subscription request, made at the start or at the step `subscribe`. */
  subscription: Schema.optionalKey(
    Schema.Struct({
      metadata: Schema.optionalKey(Text),
      active_period: Schema.optionalKey(Schema.NullOr(ActivePeriod))
    }).annotate({ message: "must be an object with active_period and metadata" })
  ),
  steps: Schema.optionalKey(Schema.Array(Step).annotate({ message: "must be an array of steps" }))
}).annotate({ message: "must be an object with title, plan, subscription and steps" })

/** A step at its instant; `index` is its index in the file, null for the implicit first step. */
export interface Timed {
  readonly at: Time.Instant
  readonly step: Step
  readonly index: number | null
}

/** A scenario that can be played. */
export interface Playable {
  readonly source: typeof Scenario.Type
  readonly start: Time.Instant
  readonly end: Time.Instant | null
  readonly steps: ReadonlyArray<Timed>
}

/** The instant of a decoded moment. */
export const instantOf = (moment: string, start: Time.Instant): Time.Instant => parseMoment(moment, start) ?? start

const backwards = (root: unknown, path: Problem.Path, than: string, floor: Time.Instant) =>
  Problem.wrong(root, path, `must not be before ${than}, ${Time.toIso(floor)}: the clock only goes forward`)

const timed = (
  root: unknown,
  source: typeof Scenario.Type
): Result.Result<Playable, ReadonlyArray<Problem.Problem>> => {
  const start = Time.fromIso(source.start ?? DEFAULT_START) ?? 0
  const problems: Array<Problem.Problem> = []
  let floor = start
  let than = "the start"
  const steps = (source.steps ?? []).map((step, index): Timed => {
    const at = instantOf(step.at, start)
    if (at < floor) problems.push(backwards(root, ["steps", index, "at"], than, floor))
    else [floor, than] = [at, `steps[${index}].at`]
    if (step.do === "usage" && amounts.filter((name) => step[name] !== undefined).length !== 1) {
      problems.push(Problem.wrong(root, ["steps", index], `must have exactly one of ${amounts.join(", ")}`))
    }
    return { at, step, index }
  })
  const end = source.end === undefined ? null : instantOf(source.end, start)
  if (end !== null && end < floor) problems.push(backwards(root, ["end"], than, floor))
  const isAtStart = steps.every(({ step }) => step.do !== "subscribe")
  const atStart: Timed = { at: start, step: { do: "subscribe", at: "+0 days" }, index: null }
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed({ source, start, end, steps: isAtStart ? [atStart, ...steps] : steps })
}

const decodeShape = Schema.decodeUnknownResult(Scenario)

/** Decodes a JSON value. The failure has all problems. */
export const decode = (value: unknown): Result.Result<Playable, ReadonlyArray<Problem.Problem>> =>
  decodeShape(value, { errors: "all", onExcessProperty: "error" }).pipe(
    Result.mapError(({ issue }) => Problem.fromIssue(value, issue)),
    Result.flatMap((source) => timed(value, source))
  )

/** A mistake in a file. */
export type Mistake = JsonLines.Mistake

/** Reads a file. The failure has all mistakes, by line. */
export const read = (text: string): Result.Result<Playable, ReadonlyArray<Mistake>> => {
  const parsed = JsonLines.parse(text)
  if (Result.isFailure(parsed)) return Result.fail([parsed.failure])
  const { lineOf, value } = parsed.success
  return Result.mapError(decode(value), (problems) =>
    problems
      .map(({ path, sentence }) => ({ line: lineOf(path), sentence }))
      .sort((left, right) => left.line - right.line)
  )
}

/** The line of a field in a valid file. */
export const lineIn = (text: string, path: Problem.Path): number =>
  Result.getOrThrow(JsonLines.parse(text)).lineOf(path)
