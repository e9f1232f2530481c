/**
 * `simplan jobs list` and `jobs retry [ID]`.
 */
import { Job } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

const filters = {
  kind: Flag.Literals("kind", Job.kinds).pipe(
    Flag.withMetavar("<kind>"),
    Flag.withDescription("Only work of this kind"),
    Flag.optional
  ),
  reason: Flag.Literals("reason", Job.waitingReasons).pipe(
    Flag.withDescription("Only what waits for a reason of this class"),
    Flag.optional
  ),
  org: Flags.optionalId("org", "Only an organization's")
}

interface Filters {
  readonly kind: Option.Option<(typeof Job.kinds)[number]>
  readonly reason: Option.Option<Job.WaitingReason>
  readonly org: Option.Option<string>
}

const filterOf = ({ kind, org, reason }: Filters) => ({
  ...(Option.isSome(kind) && { kind: kind.value }),
  ...(Option.isSome(reason) && { reason: reason.value }),
  ...(Option.isSome(org) && { organization_id: org.value })
})

const list = Command.make(
  "list",
  { ...filters, ...Lists.flags, ...Connection.flags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const filter = filterOf(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.jobs.list({ query: { ...page, ...filter } }),
      ({ attempts, iccid, job_id, kind, last_message, next_try_at, organization_id, reason, since }) => ({
        job_id,
        kind,
        reason,
        since,
        next_try_at,
        attempts,
        iccid,
        last_message,
        organization_id
      })
    )
  })
).pipe(
  Command.withDescription(
    "List the work of all organizations that was tried and waits for its next try, oldest first, with the reason."
  ),
  Command.withExamples([{ command: "simplan jobs list --reason unavailable" }])
)

/** Retries all that the filter takes, request by request. */
const retryAll = Effect.fnUntraced(function* (connection: Connection.Connection, filter: ReturnType<typeof filterOf>) {
  let retried = 0
  let after: string | null = null
  do {
    const payload: typeof filter & { readonly after?: string } = after === null ? filter : { ...filter, after }
    const { data } = yield* Calls.call(connection, (client) => client.jobs.retryAll({ payload }))
    retried += data.retried
    after = data.next
  } while (after !== null)
  return retried
})

const retry = Command.make(
  "retry",
  {
    job: Flags.id("Id of the job; leave it out to retry all that the flags take").pipe(Argument.optional),
    ...filters,
    all: Flag.Boolean("all").pipe(Flag.withDescription("Retry all of them"), Flag.withDefault(false)),
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const { all, job, json } = given
    const filter = filterOf(given)
    if (Option.isSome(job) === (all || Object.keys(filter).length > 0)) {
      return yield* misused("Name the ID of a job, or say which to retry, such as --reason unavailable or --all.")
    }
    const connection = yield* Connection.toAdmin(given)
    if (Option.isSome(job)) {
      const params = { job_id: job.value }
      return yield* Calls.record(connection, json, (client) => client.jobs.retry({ params }))
    }
    const retried = yield* retryAll(connection, filter)
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

export const command = Command.make("jobs").pipe(
  Command.withDescription("Work that was tried and waits for its next try."),
  Command.withSubcommands([list, retry])
)
