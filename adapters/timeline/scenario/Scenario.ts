/**
 * A scenario: plan terms, a subscription request, and steps in time.
 *
 * A decoded scenario can be played: its moments are instants, in order. Each mistake in a file has the line where it is.
 */
import { Result, Schema } from "effect"
import { Time } from "simplan"
import * as Fields from "./Fields.ts"
import * as PlanTerms from "./PlanTerms.ts"
import * as Problem from "./Problem.ts"
import * as Step from "./Step.ts"
import * as JsonLines from "../../json-lines/index.ts"

/** The default start of a scenario. */
export const DEFAULT_START = "2026-01-01T00:00:00Z"

const SEED = "must be a whole number from 0 to 4294967295"

/** A scenario file. */
export const Scenario = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  title: Fields.Text,
  /** What the scenario shows. */
  about: Schema.optionalKey(Fields.Text),
  start: Schema.optionalKey(Fields.InstantText),
  /** When the scenario ends; by default, when nothing is left to happen. */
  end: Schema.optionalKey(Fields.Moment),
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
  plan: PlanTerms.PlanTerms,
  /** The subscription request, made at the start or at the step `subscribe`. */
  subscription: Schema.optionalKey(
    Schema.Struct({
      metadata: Schema.optionalKey(Fields.Text),
      active_period: Schema.optionalKey(Schema.NullOr(Fields.ActivePeriod))
    }).annotate({ message: "must be an object with active_period and metadata" })
  ),
  steps: Schema.optionalKey(Schema.Array(Step.Step).annotate({ message: "must be an array of steps" }))
}).annotate({ message: "must be an object with title, plan, subscription and steps" })

/** A step at its instant; `index` is its index in the file, null for the implicit first step. */
export interface Timed {
  readonly at: Time.Instant
  readonly step: Step.Step
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
export const instantOf = (moment: string, start: Time.Instant): Time.Instant =>
  Fields.parseMoment(moment, start) ?? start

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
    if (step.do === "usage" && Step.amounts.filter((name) => step[name] !== undefined).length !== 1) {
      problems.push(Problem.wrong(root, ["steps", index], `must have exactly one of ${Step.amounts.join(", ")}`))
    }
    return { at, step, index }
  })
  const end = source.end === undefined ? null : instantOf(source.end, start)
  if (end !== null && end < floor) problems.push(backwards(root, ["end"], than, floor))
  const subscribing = steps.filter(({ step }) => step.do === "subscribe")
  for (const { index } of subscribing.slice(1)) {
    problems.push(Problem.wrong(root, ["steps", index ?? 0, "do"], "must not be subscribe twice: use top_up"))
  }
  const atStart: Timed = { at: start, step: { do: "subscribe", at: "+0 days" }, index: null }
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed({ source, start, end, steps: subscribing.length === 0 ? [atStart, ...steps] : steps })
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
