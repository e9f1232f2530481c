/**
 * `simplan jobs list` and `jobs retry [ID]`; `simplan problems`, `problems retry ID` and
 * `problems resolve ID` (rule S6).
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const jobsOf = Flags.of(Api.groups.jobs.endpoints.list)

const list = Command.make(
  "list",
  { ...jobsOf.flags, ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const filter = yield* jobsOf.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.jobs.list({ query: { ...filter, ...page } }),
      (job) => job,
      ["job_id", "kind", "reason", "since", "next_try_at", "attempts", "iccid", "last_message", "organization_id"]
    )
  })
).pipe(
  Command.withDescription(
    "List the work of all organizations that was tried and waits for its next try, oldest first, with the reason."
  ),
  Command.withExamples([{ command: "simplan jobs list --reason unavailable" }])
)

const retry = Command.make(
  "retry",
  {
    job: Flags.id("Id of the job; leave it out to retry all that the flags take").pipe(Argument.optional),
    ...jobsOf.flags,
    all: Flag.Boolean("all").pipe(Flag.withDescription("Retry all of them"), Flag.withDefault(false)),
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const { all, job, json } = given
    const filter = yield* jobsOf.read(given)
    if (Option.isSome(job) === (all || Object.keys(filter).length > 0)) {
      return yield* misused("Name the ID of a job, or say which to retry, such as --reason unavailable or --all.")
    }
    const connection = yield* Connection.openAdmin(given)
    if (Option.isSome(job)) {
      const params = { job_id: job.value }
      return yield* Calls.record(connection, json, (client) => client.jobs.retry({ params }))
    }
    const retried = yield* Calls.inParts(connection, "jobs were retried", ({ jobs }, after) =>
      Effect.map(jobs.retryAll({ payload: { ...filter, ...after } }), ({ data }) => ({
        done: data.retried,
        next: data.next
      }))
    )
    yield* Output.record({ retried }, json)
    if (retried === 0)
      yield* Output.note("None of them waits for its next try. What is being tried now is not retried.")
  })
).pipe(
  Command.withDescription("Have work tried now that waits for its next try: one job, or all that the flags take."),
  Command.withExamples([
    { command: "simplan jobs retry cancel:0197…" },
    { command: "simplan jobs retry --reason unavailable", description: "All that the telco did not answer" }
  ])
)

export const jobs = Command.make("jobs").pipe(
  Command.withDescription("Work that was tried and waits for its next try."),
  Command.withSubcommands([list, retry])
)

const problem = { problem: Flags.id("Id of the problem"), ...Connection.flags }

const retryProblem = Command.make(
  "retry",
  problem,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const params = { problem_id: given.problem }
    yield* Calls.record(connection, given.json, (client) => client.problems.retry({ params }))
  })
).pipe(
  Command.withDescription("Have the telco asked again, now, and up to three times."),
  Command.withExamples([{ command: "simplan problems retry release:0197…" }])
)

const correct = Command.make(
  "correct",
  problem,
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const params = { problem_id: given.problem }
    yield* Calls.record(connection, given.json, (client) => client.problems.correct({ params }))
  })
).pipe(
  Command.withDescription("Make the telco's side ours: have it asked for what is had here, or cancel what nobody has."),
  Command.withExamples([{ command: "simplan problems correct review:ocs/service/8988…" }])
)

const resolve = Command.make(
  "resolve",
  {
    ...problem,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Do not ask the telco what it lists on a SIM that will be free"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const params = { problem_id: given.problem }
    const query = given.force ? { force: "true" as const } : {}
    yield* Calls.record(connection, given.json, (client) => client.problems.resolve({ params, query }))
  })
).pipe(
  Command.withDescription("Close a problem that was dealt with at the telco by hand."),
  Command.withExamples([{ command: "simplan problems resolve release:0197…" }])
)

const problemsOf = Flags.of(Api.groups.problems.endpoints.list)

export const problems = Command.make(
  "problems",
  { ...problemsOf.flags, ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const filter = yield* problemsOf.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.problems.list({ query: { ...filter, ...page } }),
      (one) => one,
      ["problem_id", "iccid", "last_message", "ours", "theirs", "kind", "since", "attempts", "organization_id"]
    )
  })
).pipe(
  Command.withDescription(
    "List what ended because the telco refused it three times, and where its books differ from ours, oldest first."
  ),
  Command.withShortDescription("What the telco refuses for good, or has otherwise: list, retry, correct, resolve"),
  Command.withSubcommands([retryProblem, correct, resolve])
)
