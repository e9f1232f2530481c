/**
 * Commands (rule H1): what a host asks of the telco inside its own database transaction.
 *
 *     sql.withTransaction(
 *       Effect.gen(function* () {
 *         yield* sql`insert into orders …`
 *         const { commandId } = yield* commands.submit({ organizationId, request, idempotencyKey: null })
 *       })
 *     )
 *
 * A command is committed or rolled back with the rows of the host. After the commit the engine carries it out once.
 * What can be refused at once is refused by `submit`: wrong fields, and what is not there or does not fit. A command
 * that the telco cannot take now is tried again until it is done or refused, so it never ends with `TelcoUnavailable`.
 */
import { Context, Effect, Equal, Latch, Layer } from "effect"
import * as Command from "../../domain/Command.ts"
import type { Answer } from "../../domain/Idempotency.ts"
import * as MobilePlan from "../../domain/MobilePlan.ts"
import * as PlanRules from "../../domain/Plan.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import * as Refusal from "../../domain/Refusal.ts"
import * as Sms from "../../domain/Sms.ts"
import * as SubscriptionRules from "../../domain/Subscription.ts"
import * as TextLimit from "../../domain/TextLimit.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { type CreatedCursor, type Page, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"
import { Settings } from "../Settings.ts"

interface OfCommand {
  readonly organizationId: string
  readonly commandId: string
}

interface OfSim {
  readonly organizationId: string
  readonly iccid: string
}

/** What a host asks for (rule H1). */
export interface Submission {
  /** The organization that owns it. */
  readonly organizationId: string
  /** What the telco is to do. */
  readonly request: Command.Request
  /**
   * 1 to 255 characters; a repeated key gives the same command, and carries nothing out again, for as long as commands
   * are kept (rule W12). Null: every submission is a command of its own.
   */
  readonly idempotencyKey: string | null
}

/** Takes commands, and returns their outcomes (rule H1). */
export class Commands extends Context.Service<
  Commands,
  {
    /**
     * Stores the command, inside the transaction of the host if there is one. Fails with the refusals of the use case
     * that can be given at once, and with `IdempotencyKeyReused` if the key came with another request.
     */
    readonly submit: (
      submission: Submission
    ) => Effect.Effect<{ readonly commandId: string }, RefusedAtOnce | Refusal.IdempotencyKeyReused | StorageError>
    /** The command as it stands. */
    readonly get: (of: OfCommand) => Effect.Effect<Command.Command, Refusal.NotFound | StorageError>
    /** An organization's commands, oldest first: those that stand so, or all for null. */
    readonly page: (
      query: Page<CreatedCursor> & { readonly state: Command.State | null }
    ) => Effect.Effect<Paging.Page<Command.Command, CreatedCursor>, StorageError>
    /**
     * Cancels a command that has not begun, in one commit, inside the transaction of the host if there is one: it ends
     * with `CommandCancelled`. Again, it changes nothing. Fails with `CommandBegun` once an attempt has begun.
     */
    readonly cancel: (of: OfCommand) => Effect.Effect<void, Refusal.NotFound | Refusal.CommandBegun | StorageError>
    /**
     * Waits until the command has been carried out, and gives its answer or the refusal. Fails with `InsideTransaction`
     * inside a transaction of the host, which the command waits for.
     */
    readonly settled: (of: OfCommand) => Effect.Effect<Answer, Refusal.Plain | StorageError>
  }
>()("simplan/Commands") {}

/** What can be refused before a command is carried out. */
type RefusedAtOnce =
  | Refusal.InvalidField
  | Refusal.NotFound
  | Refusal.PlanArchived
  | Refusal.LabelMismatch
  | Refusal.SimWithdrawn
  | Refusal.SubscriptionFull

/** A SIM that is being put into service or released is waited for, and so it refuses nothing at once. */
const exceptBusy = <A, E, R>(effect: Effect.Effect<A, E | Refusal.SimBusy, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Refusal.SimBusy => error instanceof Refusal.SimBusy,
    () => Effect.void
  )

/** The implementation that `Services.layer` provides. It keeps nothing in memory but who waits for a command. */
export const layer: Layer.Layer<Commands, never, Storage | BusinessClock | Commits | Ids> = Layer.effect(
  Commands,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const ids = yield* Ids
    const inTransaction = yield* HostTransaction
    const { pollMillis } = yield* Settings

    const simOf = Effect.fnUntraced(function* <A>(
      { iccid, organizationId }: OfSim,
      load: (of: OfSim) => Effect.Effect<A | null, StorageError>
    ) {
      yield* Effect.fromResult(TextLimit.check("iccid", iccid, TextLimit.ID))
      return (yield* load({ organizationId, iccid })) ?? (yield* new Refusal.NotFound({ resource: "sim", id: iccid }))
    })

    const organization = Effect.fnUntraced(function* (organizationId: string) {
      if ((yield* storage.organizations.get(organizationId)) !== null) return
      return yield* new Refusal.NotFound({ resource: "organization", id: organizationId })
    })

    /**
     * What can be refused before the command is carried out. The organization is there where what it has is; whoever is
     * refused for want of that learns first that there is none.
     */
    const check = Effect.fnUntraced(function* (
      organizationId: string,
      request: Command.Request,
      now: Instant
    ): Effect.fn.Return<void, RefusedAtOnce | StorageError> {
      switch (request._tag) {
        case "CreateSubscription": {
          const { activePeriod, iccid, planId } = request
          yield* Effect.fromResult(SubscriptionRules.checkTexts(request))
          const found = yield* storage.plans.get({ organizationId, planId })
          const plan = yield* Effect.fromResult(PlanRules.existing(found, planId))
          yield* Effect.fromResult(Provisioning.admissible(plan, iccid, activePeriod, now))
          if (iccid === null) return
          const aggregate = yield* simOf({ organizationId, iccid }, storage.simAggregates.get)
          const none = { subscriptionId: "", attachmentId: "" }
          yield* exceptBusy(Effect.fromResult(Provisioning.subscribe(plan, aggregate, request, none, now)))
          return
        }
        case "SendSms":
          yield* Effect.fromResult(Sms.check(request))
          yield* Effect.fromResult(TextLimit.check("iccid", request.iccid, TextLimit.ID))
          if ((yield* storage.subscriptions.get({ organizationId, iccid: request.iccid })) === null) {
            return yield* new Refusal.NotFound({ resource: "subscription", id: request.iccid })
          }
          return
        case "SetMobilePlan": {
          const { iccid } = request
          yield* Effect.fromResult(MobilePlan.checkNamed(request))
          if (iccid === null) return yield* organization(organizationId)
          const sim = yield* simOf({ organizationId, iccid }, storage.sims.get)
          yield* exceptBusy(Effect.fromResult(MobilePlan.request(sim, request, "", now)))
        }
      }
    })

    const store = Effect.fnUntraced(function* ({ commandId, organizationId }: OfCommand, request: Command.Request) {
      const now = yield* clock.now
      yield* Effect.catchTag(check(organizationId, request, now), "NotFound", (refusal) =>
        Effect.andThen(organization(organizationId), Effect.fail(refusal))
      )
      const outcome = { _tag: "Pending" as const }
      const command = { organizationId, commandId, request, createdAt: now, outcome, settledAt: null }
      const commit = yield* commits.prepare(organizationId, { jobs: [Command.job(commandId, now)] }, now)
      yield* commits.write({ ...commit, commands: { put: [command] } })
    })

    /** Whether the key has a command, which is the same one. */
    const isStored = Effect.fnUntraced(function* (of: OfCommand, key: string, request: Command.Request) {
      const command = yield* storage.commands.get(of)
      if (command === null) return false
      if (Equal.equals(command.request, request)) return true
      return yield* new Refusal.IdempotencyKeyReused({ key })
    })

    const submit = Effect.fnUntraced(function* ({ idempotencyKey, organizationId, request }: Submission) {
      yield* Effect.fromResult(TextLimit.check("organizationId", organizationId, TextLimit.ID))
      if (idempotencyKey === null) {
        const commandId = yield* ids.next(yield* clock.now, organizationId)
        yield* store({ organizationId, commandId }, request)
        return { commandId }
      }
      yield* Effect.fromResult(Command.checkKey(idempotencyKey))
      const commandId = Command.idOf(yield* ids.digest(Command.keyText(organizationId, request, idempotencyKey)))
      const of = { organizationId, commandId }
      // Most keys are new. A command that is there is met by the commit, or by what has been refused since.
      yield* Effect.catch(store(of, request), (error) =>
        error._tag === "StorageError"
          ? Effect.fail(error)
          : Effect.flatMap(isStored(of, idempotencyKey, request), (stored) =>
              stored ? Effect.void : Effect.fail(error)
            )
      )
      return { commandId }
    })

    const get = Effect.fnUntraced(function* (of: OfCommand) {
      const command = yield* storage.commands.get(of)
      return command ?? (yield* new Refusal.NotFound({ resource: "command", id: of.commandId }))
    })

    const cancel = Effect.fnUntraced(function* ({ commandId, organizationId }: OfCommand) {
      const command = yield* get({ organizationId, commandId })
      if (Command.isCancelled(command)) return
      const jobId = Command.jobId(commandId)
      if (command.settledAt !== null || Command.hasBegun(yield* storage.jobs.get(jobId))) {
        return yield* new Refusal.CommandBegun({ commandId })
      }
      const now = yield* clock.now
      const settled = [{ organizationId, commandId, outcome: Command.cancellation(commandId), settledAt: now }]
      // The first commit of an attempt ends the same job: of the two commits one is a conflict.
      const commit = yield* commits.audited(
        { commands: { settled }, jobs: { cancelled: [jobId] } },
        { organizationId, action: "command.cancel", resourceId: commandId, iccid: null },
        now
      )
      yield* commits.write(commit)
    })

    const settled = Effect.fnUntraced(function* (
      of: OfCommand
    ): Effect.fn.Return<Answer, Refusal.Plain | StorageError> {
      if (yield* inTransaction) {
        return yield* new Refusal.InsideTransaction({
          operation: "Commands.settled",
          message:
            "Commands.settled cannot run inside a database transaction: the command is carried out after its commit"
        })
      }
      return yield* Effect.scoped(
        Effect.gen(function* () {
          const latch = Latch.makeUnsafe(false)
          yield* storage.watch(({ commands }) => {
            if (commands === "any" || commands.includes(of.commandId)) latch.openUnsafe()
          })
          while (true) {
            latch.closeUnsafe()
            const { outcome } = yield* get(of)
            if (outcome._tag === "Succeeded") return outcome.answer
            if (outcome._tag === "Refused") return yield* Effect.fail(outcome.refusal)
            yield* Effect.timeoutOption(latch.await, pollMillis)
          }
        })
      )
    })

    return Commands.of({
      submit: Effect.fn("Commands.submit")((submission: Submission) => commits.retryOnConflict(submit(submission))),
      get,
      page: Effect.fn("Commands.page")(function* (query) {
        const found = yield* storage.commands.page({ ...query, limit: query.limit + 1 })
        return Paging.page(found, query.limit, ({ commandId: id, createdAt }) => ({ createdAt, id }))
      }),
      cancel: Effect.fn("Commands.cancel")((of: OfCommand) => commits.retryOnConflict(cancel(of))),
      settled: Effect.fn("Commands.settled")(settled)
    })
  })
)
