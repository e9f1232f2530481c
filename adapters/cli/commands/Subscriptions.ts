/**
 * What an organization sells, and what is in service: `simplan plans list`;
 * `simplan subscriptions list`, `show ICCID` and `usage ICCID`; `create PLAN`, `delete ICCID`,
 * `replace ICCID` and `suspend ICCID ATTACHMENT`, each of which `--dry-run` previews (rule S9); and
 * `pause ICCID` and `resume ICCID` (rule S7). `Bulk` has what is done to many.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import type { Client } from "../../client/index.ts"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Output from "../output/Output.ts"
import * as Bulk from "./Bulk.ts"
import * as Flags from "./Flags.ts"
import * as Usage from "./Usage.ts"

/** The longest page of plans (rule P3). */
const PLANS_PAGE = 25

const plansOf = Flags.of(Api.groups.plans.endpoints.list)

const listPlans = Command.make(
  "list",
  { ...plansOf.flags, ...Lists.flags, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const filter = yield* plansOf.read(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.plans.list({ query: { ...filter, ...page } }),
      ({ data_mega_bytes: MB, period_days: days, ...plan }) => ({ ...plan, MB, days }),
      ["plan_id", "plan_name", "label", "MB", "days", "recurring", "region_code", "archived_at"],
      PLANS_PAGE
    )
  })
).pipe(
  Command.withDescription("List an organization's plans, oldest first."),
  Command.withExamples([{ command: "simplan plans list --archived false --country DE" }])
)

export const plans = Command.make("plans").pipe(
  Command.withDescription("The plans that an organization sells."),
  Command.withSubcommands([listPlans])
)

const subscriptionsOf = Flags.of(Api.groups.subscriptions.endpoints.list)

const list = Command.make(
  "list",
  { ...subscriptionsOf.flags, ...Lists.flags, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const query = yield* subscriptionsOf.read(given)
    yield* Lists.printWhole(
      connection,
      given,
      (client) => client.subscriptions.list({ query }),
      ({ esim: { iccid, label }, ...subscription }) => ({ ...subscription, iccid, label }),
      ["iccid", "subscription_id", "label", "created_at", "paused_at", "metadata"]
    )
  })
).pipe(
  Command.withDescription("List an organization's subscriptions: its SIMs in service."),
  Command.withExamples([
    { command: "simplan subscriptions list --search 'order 4711'" },
    { command: "simplan subscriptions list --search +46701234567", description: "The one of a phone number" }
  ])
)

const show = Command.make(
  "show",
  {
    iccid: Flags.id("ICCID of the SIM", "ICCID"),
    ...Lists.flagsOf("How much of the history is listed at most", "List the whole history", 25),
    ...Connection.keyFlags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const params = { iccid: given.iccid }
    const [{ data: subscription }, { data: plan_attachments }, { last_operator }, { isCut, items: history }] =
      yield* Calls.call(connection, ({ subscriptions }) =>
        Effect.all(
          [
            subscriptions.get({ params }),
            subscriptions.attachments({ params }),
            subscriptions.location({ params }),
            Lists.first(given, (query) => subscriptions.history({ params, query }))
          ],
          { concurrency: "unbounded" }
        )
      )
    const { esim, ...others } = subscription
    if (given.json)
      return yield* Output.print(JSON.stringify({ ...subscription, plan_attachments, last_operator, history }))
    yield* Output.record({ ...others, ...esim, last_operator }, false)
    yield* Lists.section(
      "Plan attachments:",
      plan_attachments.map(({ packages, plan, reason, used_allowance, ...attachment }) => ({
        ...attachment,
        ...assumedOf(packages),
        reason: reason?.message ?? null,
        used_MB: Math.floor(used_allowance.dataBytes / 1_048_576),
        of_MB: plan.data_mega_bytes,
        plan: plan.name
      })),
      ["plan_attachment_id", "state", "used_MB", "of_MB", "activation_at", "expiration_at", "plan", "reason"]
    )
    yield* Lists.section("History, newest first:", history, ["at", "type", "what", "detail", "by", "resource_id"])
    if (isCut) yield* Lists.hint(given, " of the history")
  })
).pipe(
  Command.withDescription(
    "Show the subscription of a SIM with its plan attachments, its last operator and the last that has happened."
  ),
  Command.withExamples([{ command: "simplan subscriptions show 8988000000000000001 --all" }])
)

/** How much of it was assumed to be used on SIMs before (rule S8), where it was. */
const assumedOf = (packages: ReadonlyArray<{ readonly assumed_used_allowance?: { readonly dataBytes: number } }>) => {
  const assumed = packages.findLast((one) => one.assumed_used_allowance !== undefined)?.assumed_used_allowance
  return assumed && { assumed_used_MB: Math.floor(assumed.dataBytes / 1_048_576) }
}

const dryRun = Flags.dryRun("Show what it would do, and do nothing")

interface Previewed {
  readonly packages: ReadonlyArray<Output.Row>
}

/** Prints an answer, and below it the packages of its preview. */
const printPreviewed = Effect.fnUntraced(function* <Answer extends { readonly preview?: Previewed }>(
  { json }: { readonly json: boolean },
  answer: Answer,
  toRow: (answer: Answer) => Output.Row
) {
  if (json) return yield* Output.print(JSON.stringify(answer))
  const { packages = [], ...preview } = answer.preview ?? {}
  yield* Output.record({ ...toRow(answer), ...preview }, false)
  yield* Lists.section("Packages:", packages)
})

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("<text>"), Flag.withDescription(description), Flag.optional)

const create = Command.make(
  "create",
  {
    plan: Flags.id("Id of the plan", "PLAN"),
    iccid: Flags.optionalId("iccid", "The SIM; where it is left out, a free eSIM of the plan's label"),
    metadata: optionalText("metadata", "A text of your own, such as an order number"),
    start: Flags.instant("start", "When the plan is to be active; where it is left out, from the first use on"),
    end: Flags.instant("end", "When it ends, for a plan that does not recur"),
    dryRun,
    ...Connection.keyFlags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const [iccid, start, end] = [given.iccid, given.start, given.end].map(Option.getOrUndefined)
    const period = start === undefined && end === undefined ? undefined : { start: start ?? null, end: end ?? null }
    const payload = {
      plan_id: given.plan,
      metadata: Option.getOrElse(given.metadata, () => ""),
      ...(iccid !== undefined && { iccid }),
      ...(period !== undefined && { active_period: period })
    }
    const answer = yield* Calls.call(connection, ({ subscriptions }) =>
      subscriptions.create({ query: Calls.trying(given.dryRun), payload })
    )
    yield* printPreviewed(given, answer, ({ esimdata, preview: _, ...subscription }) => ({
      ...subscription,
      ...esimdata
    }))
  })
).pipe(
  Command.withDescription("Put a SIM into service with a plan, or add a plan to a SIM in service."),
  Command.withExamples([{ command: "simplan subscriptions create PLAN --metadata 'order 4711' --dry-run" }])
)

const remove = Command.make(
  "delete",
  { iccid: Flags.id("ICCID of the SIM", "ICCID"), dryRun, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const answer = yield* Calls.call(connection, ({ subscriptions }) =>
      subscriptions.remove({ params: { iccid: given.iccid }, query: Calls.trying(given.dryRun) })
    )
    yield* printPreviewed(given, answer, ({ message }) => ({ message }))
  })
).pipe(Command.withDescription("Delete the subscription of a SIM, whose packages are cancelled."))

const replace = Command.make(
  "replace",
  { iccid: Flags.id("ICCID of the SIM", "ICCID"), dryRun, ...Connection.keyFlags },
  Effect.fnUntraced(function* (given) {
    const { dryRun, iccid, json } = given
    const connection = yield* Connection.openCustomers(given)
    const answer = yield* Calls.call(connection, ({ subscriptions }) =>
      subscriptions.replace({ params: { iccid }, query: Calls.trying(dryRun) })
    )
    if (json) return yield* Output.print(JSON.stringify(answer))
    const { esim, ...subscription } = answer.data
    yield* Output.record({ ...subscription, ...esim, replaced_iccid: answer.replaced_iccid }, false)
    yield* Lists.section("Packages on the new SIM:", answer.preview?.packages ?? [], ["package_id", "data_mega_bytes"])
    yield* Lists.section("Packages that end on the old SIM:", answer.preview?.cancelled_packages ?? [])
  })
).pipe(
  Command.withDescription(
    "Move a subscription to a free eSIM, with its plans and the data that is left. The old SIM is withdrawn."
  ),
  Command.withExamples([{ command: "simplan subscriptions replace 8988000000000000001 --dry-run" }])
)

const suspend = Command.make(
  "suspend",
  {
    iccid: Flags.id("ICCID of the SIM", "ICCID"),
    attachment: Flags.id("Id of the plan attachment", "ATTACHMENT"),
    dryRun,
    ...Connection.keyFlags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openCustomers(given)
    const answer = yield* Calls.call(connection, ({ subscriptions }) =>
      subscriptions.suspend({ params: { iccid: given.iccid, id: given.attachment }, query: Calls.trying(given.dryRun) })
    )
    yield* printPreviewed(given, answer, ({ message }) => ({ message }))
  })
).pipe(Command.withDescription("Suspend a plan attachment, for good."))

interface OfService {
  readonly params: { readonly iccid: string }
  readonly query: ReturnType<typeof Calls.trying>
}

/** A command that pauses a subscription or resumes it, and shows the answer. */
const asking = <Name extends string>(
  name: Name,
  ask: (
    client: Client.Client,
    of: OfService
  ) => Effect.Effect<
    { readonly message: string; readonly preview?: { readonly changed: boolean; readonly paused_at: string | null } },
    unknown
  >
) =>
  Command.make(
    name,
    { iccid: Flags.id("ICCID of the SIM", "ICCID"), dryRun, ...Connection.keyFlags },
    Effect.fnUntraced(function* (given) {
      const { iccid, json } = given
      const connection = yield* Connection.openCustomers(given)
      const of = { params: { iccid }, query: Calls.trying(given.dryRun) }
      const { message, preview } = yield* Calls.call(connection, (client) => ask(client, of))
      yield* Output.record({ iccid, message, ...preview }, json)
    })
  )

const pause = asking("pause", ({ subscriptions }, of) => subscriptions.pause(of)).pipe(
  Command.withDescription("Pause a subscription: its SIM has no service until it is resumed. Its plans go on."),
  Command.withExamples([{ command: "simplan subscriptions pause 8988000000000000001" }])
)

const resume = asking("resume", ({ subscriptions }, of) => subscriptions.resume(of)).pipe(
  Command.withDescription("Resume a subscription that is paused: its SIM has service again.")
)

export const subscriptions = Command.make("subscriptions").pipe(
  Command.withDescription("SIMs in service, and the plans on them."),
  Command.withSubcommands([
    list,
    show,
    Usage.ofSubscription,
    create,
    remove,
    replace,
    suspend,
    pause,
    resume,
    Bulk.subscriptions
  ])
)
