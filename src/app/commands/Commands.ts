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
 * A command is committed or rolled back with the rows of the host. After the commit the engine
 * carries it out once. What can be refused at once is refused by `submit`: wrong fields, and what
 * is not there or does not fit. A command that the telco cannot take now is tried again until it is
 * done or refused, so it never ends with `TelcoUnavailable`.
 *
 * The engine carries a command out by the use case that a request would go through. The first
 * commit of the use case ends this job (`Commits`), so that nothing is done twice, at any moment
 * that a process may die. A use case that ends without a commit is settled here, or tried again
 * later.
 */
import { Context, Effect, Equal, Latch, Layer, Result } from "effect"
import * as Capabilities from "../../domain/Capabilities.ts"
import * as Command from "../../domain/Command.ts"
import { type Answer, kinds, type Outcome } from "../../domain/Idempotency.ts"
import * as MobilePlan from "../../domain/MobilePlan.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { Plan } from "../../domain/Plan.ts"
import * as Provisioning from "../../domain/Provisioning.ts"
import * as Refusal from "../../domain/Refusal.ts"
import * as Sms from "../../domain/Sms.ts"
import * as SubscriptionRules from "../../domain/Subscription.ts"
import * as TextLimit from "../../domain/TextLimit.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { type CreatedCursor, type Page, Storage, type StorageError, type Commit } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { Commits } from "../commit/Commits.ts"
import { CurrentCommand, originOf, type ServedCommand } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"
import { CachedPlans, type Existing } from "../plans/CachedPlans.ts"
import { Settings } from "../Settings.ts"
import * as Job from "../../domain/Job.ts"
import type { Work } from "../../domain/Job.ts"
import * as RequestContext from "../RequestContext.ts"
import { Wallet } from "../sims/Wallet.ts"
import { Messages } from "../subscriptions/Messages.ts"
import { Subscriptions } from "../subscriptions/Subscriptions.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

/** What the engine carries commands out with. */
export type Needs = Storage | Commits | BusinessClock | Subscriptions | Messages | Wallet

type UseCase = Effect.Effect<Answer, Refusal.Refusal | StorageError>

/** What does the job. */
export const makeRun = Effect.gen(function* () {
  const storage = yield* Storage
  const commits = yield* Commits
  const clock = yield* BusinessClock
  const subscriptions = yield* Subscriptions
  const messages = yield* Messages
  const wallet = yield* Wallet

  const useCase = (organizationId: string, request: Command.Request): UseCase => {
    switch (request._tag) {
      case "CreateSubscription":
        return Effect.map(subscriptions.create({ organizationId, ...request }), kinds.Created.keep)
      case "SendSms":
        return Effect.map(messages.send({ organizationId, ...request }), kinds.Sms.keep)
      case "SetMobilePlan":
        return Effect.map(wallet.setMobilePlan({ organizationId, ...request }), kinds.MobilePlan.keep)
    }
  }

  /**
   * Whether the host has cancelled it meanwhile: then the first commit has failed, and nothing is
   * left to be done.
   */
  const isCancelled = (of: Command.Key) =>
    Effect.map(storage.commands.get(of), (command) => command !== null && Command.isCancelled(command))

  return Effect.fnUntraced(function* (
    held: LeasedJob,
    { commandId }: Extract<Work, { _tag: "RunCommand" }>
  ): Effect.fn.Return<Done, StorageError> {
    const { job, token } = held
    const { attempts, organizationId, origin } = job
    const write = (commit: Commit) => commits.retryOnConflict(commits.write(commit))
    const command = yield* storage.commands.get({ organizationId, commandId })
    if (command === null || command.settledAt !== null) {
      yield* write(finishing(held, {}))
      return "done"
    }
    const context: ServedCommand = {
      organizationId,
      waiting: { commandId, attempts },
      lease: { organizationId, jobId: job.jobId, token },
      done: { current: false }
    }
    const request = origin ?? originOf({ requestId: null, address: null })
    const result = yield* useCase(organizationId, command.request).pipe(
      Effect.provideService(CurrentCommand, context),
      Effect.provideService(RequestContext.Current, request),
      Effect.map((answer): Result.Result<Answer, Refusal.Refusal> => Result.succeed(answer)),
      Effect.catchIf(Refusal.isRefusal, (refusal) => Effect.succeed(Result.fail(refusal))),
      Effect.catch((error) =>
        Effect.flatMap(isCancelled(command), (cancelled) => (cancelled ? Effect.succeed(null) : Effect.fail(error)))
      )
    )
    if (result === null) return "done"
    const refusal = Result.isFailure(result) ? result.failure : null
    const isSettled = refusal === null || Command.isFinal(refusal)
    if (!context.done.current) {
      const now = yield* clock.now
      if (isSettled) {
        const outcome: Outcome = Result.isSuccess(result)
          ? { _tag: "Succeeded", answer: result.success }
          : { _tag: "Refused", refusal: Refusal.toPlain(result.failure) }
        yield* write(
          finishing(held, { commands: { settled: [{ organizationId, commandId, outcome, settledAt: now }] } })
        )
      } else {
        const dueAt = Command.nextAttempt(attempts + 1, now)
        const reason = refusal._tag === "TelcoUnavailable" ? "unavailable" : "busy"
        const waiting = Job.waiting(job, reason, Refusal.reasonOf(refusal), now)
        const retried = [{ organizationId, jobId: job.jobId, token, dueAt, attempts: attempts + 1, waiting }]
        yield* write({ jobs: { retried } })
      }
    }
    return refusal === null ? "done" : isSettled ? "refused" : "retried"
  })
})

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
   * 1 to 255 characters; a repeated key gives the same command, and carries nothing out again, for
   * as long as commands are kept (rule W12). Null: every submission is a command of its own.
   */
  readonly idempotencyKey: string | null
}

/** Takes commands, and returns their outcomes (rule H1). */
export class Commands extends Context.Service<
  Commands,
  {
    /**
     * Stores the command, inside the transaction of the host if there is one. Fails with the
     * refusals of the use case that can be given at once, and with `IdempotencyKeyReused` if the
     * key came with another request.
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
     * Cancels a command that has not begun, in one commit, inside the transaction of the host if
     * there is one: it ends with `CommandCancelled`. Again, it changes nothing. Fails with
     * `CommandBegun` once an attempt has begun.
     */
    readonly cancel: (of: OfCommand) => Effect.Effect<void, Refusal.NotFound | Refusal.CommandBegun | StorageError>
    /**
     * Waits until the command has been carried out, and gives its answer or the refusal. Fails with
     * `InsideTransaction` inside a transaction of the host, which the command waits for.
     */
    readonly settled: (of: OfCommand) => Effect.Effect<Answer, Refusal.Plain | StorageError>
  }
>()("simplan/Commands") {}

/** What can be refused before a command is carried out. */
type RefusedAtOnce = Refusal.InvalidField | Refusal.NotFound | Exclude<Refusal.Refusing<"creation">, Refusal.SimBusy>

type Creation = Extract<Command.Request, { readonly _tag: "CreateSubscription" }>

/** Checks what can be refused at once. Gives the plan that the commit has to find unchanged. */
type Checked = (now: Instant) => Effect.Effect<Pick<Decision, "unchangedPlan">, RefusedAtOnce | StorageError>

/**
 * A SIM that is being put into service or released is waited for, and so it refuses nothing at
 * once.
 */
const exceptBusy = <A, E, R>(effect: Effect.Effect<A, E | Refusal.SimBusy, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Refusal.SimBusy => error instanceof Refusal.SimBusy,
    () => Effect.void
  )

type Uses = Storage | BusinessClock | CachedPlans | Commits | Ids | Telco

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory but who waits for a
 * command.
 */
export const layer: Layer.Layer<Commands, never, Uses> = Layer.effect(
  Commands,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const ids = yield* Ids
    const plans = yield* CachedPlans
    const inTransaction = yield* HostTransaction
    const { pollMillis } = yield* Settings
    const capabilitiesOf = yield* TelcoCapabilities.current

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

    /** What can be refused before a subscription is created. Returns the plan of that decision. */
    const checkCreation = Effect.fnUntraced(function* (
      organizationId: string,
      request: Creation,
      existing: Existing,
      now: Instant
    ): Effect.fn.Return<Plan, RefusedAtOnce | StorageError> {
      const { activePeriod, iccid } = request
      yield* Effect.fromResult(SubscriptionRules.checkTexts(request))
      const plan = yield* existing
      yield* Effect.fromResult(Provisioning.admissible(plan, iccid, activePeriod, now))
      const { bundle, terms } = plan
      const order = { terms, isBundle: bundle !== null, isTimed: activePeriod !== null }
      if (iccid === null) {
        const can = capabilitiesOf({ organizationId, label: terms.label, purchase: bundle })
        yield* TelcoCapabilities.check(can, (known) => Capabilities.order(known, order))
        return plan
      }
      const aggregate = yield* simOf({ organizationId, iccid }, storage.simAggregates.get)
      const none = { subscriptionId: "", attachmentId: "" }
      yield* exceptBusy(Effect.fromResult(Provisioning.subscribe(plan, aggregate, request, none, now)))
      yield* TelcoCapabilities.check(capabilitiesOf(aggregate.sim), (can) =>
        Capabilities.onSim(can, order, aggregate, now)
      )
      return plan
    })

    /** What can be refused before the command is carried out. */
    const check = Effect.fnUntraced(function* (
      organizationId: string,
      request: Exclude<Command.Request, Creation>,
      now: Instant
    ): Effect.fn.Return<void, RefusedAtOnce | StorageError> {
      switch (request._tag) {
        case "SendSms": {
          yield* Effect.fromResult(Sms.check(request))
          yield* Effect.fromResult(TextLimit.check("iccid", request.iccid, TextLimit.ID))
          const found = yield* storage.subscriptions.get({ organizationId, iccid: request.iccid })
          if (found === null) return yield* new Refusal.NotFound({ resource: "subscription", id: request.iccid })
          return yield* TelcoCapabilities.check(capabilitiesOf(found.sim), (can) => Capabilities.sms(can, request))
        }
        case "SetMobilePlan": {
          const { iccid } = request
          yield* Effect.fromResult(MobilePlan.checkNamed(request))
          if (iccid === null) return yield* organization(organizationId)
          const sim = yield* simOf({ organizationId, iccid }, storage.sims.get)
          yield* exceptBusy(Effect.fromResult(MobilePlan.request(sim, request, "", now)))
        }
      }
    })

    /**
     * The organization is there if what it has is. If something is missing, the organization is
     * missed first.
     */
    const store = Effect.fnUntraced(function* (
      { commandId, organizationId }: OfCommand,
      request: Command.Request,
      checked: Checked
    ) {
      const now = yield* clock.now
      const guard = yield* Effect.catchTag(checked(now), "NotFound", (refusal) =>
        Effect.andThen(organization(organizationId), Effect.fail(refusal))
      )
      const outcome = { _tag: "Pending" as const }
      const command = { organizationId, commandId, request, createdAt: now, outcome, settledAt: null }
      const commit = yield* commits.prepare(organizationId, { jobs: [Command.job(commandId, now)], ...guard }, now)
      yield* commits.write({ ...commit, commands: { put: [command] } })
    })

    /** Whether the key has a command, which is the same one. */
    const isStored = Effect.fnUntraced(function* (of: OfCommand, key: string, request: Command.Request) {
      const command = yield* storage.commands.get(of)
      if (command === null) return false
      if (Equal.equals(command.request, request)) return true
      return yield* new Refusal.IdempotencyKeyReused({ key })
    })

    const submit = Effect.fnUntraced(function* (
      { idempotencyKey, organizationId, request }: Submission,
      checked: Checked
    ) {
      yield* Effect.fromResult(TextLimit.check("organizationId", organizationId, TextLimit.ID))
      if (idempotencyKey === null) {
        const commandId = yield* ids.next(yield* clock.now, organizationId)
        yield* store({ organizationId, commandId }, request, checked)
        return { commandId }
      }
      yield* Effect.fromResult(Command.checkKey(idempotencyKey))
      const commandId = Command.idOf(yield* ids.digest(Command.keyText(organizationId, request, idempotencyKey)))
      const named = { organizationId, commandId }
      // Most keys are new. A command that is there is met by the commit, or by what has been
      // refused since.
      yield* Effect.catch(store(named, request, checked), (error) =>
        error._tag === "StorageError"
          ? Effect.fail(error)
          : Effect.flatMap(isStored(named, idempotencyKey, request), (stored) =>
              stored ? Effect.void : Effect.fail(error)
            )
      )
      return { commandId }
    })

    const submitted = (submission: Submission) => {
      const { organizationId, request } = submission
      const attempt = (checked: Checked) => commits.retryOnConflict(submit(submission, checked))
      if (request._tag !== "CreateSubscription") {
        return attempt((now) => Effect.as(check(organizationId, request, now), {}))
      }
      return plans.decide({ organizationId, planId: request.planId }, (existing) =>
        attempt((now) =>
          Effect.map(checkCreation(organizationId, request, existing, now), (unchangedPlan) => ({ unchangedPlan }))
        )
      )
    }

    const get = Effect.fnUntraced(function* (of: OfCommand) {
      const command = yield* storage.commands.get(of)
      return command ?? (yield* new Refusal.NotFound({ resource: "command", id: of.commandId }))
    })

    const cancel = Effect.fnUntraced(function* ({ commandId, organizationId }: OfCommand) {
      const command = yield* get({ organizationId, commandId })
      if (Command.isCancelled(command)) return
      const jobId = Command.jobId(commandId)
      if (command.settledAt !== null || Command.hasBegun(yield* storage.jobs.get({ organizationId, jobId }))) {
        return yield* new Refusal.CommandBegun({ commandId })
      }
      const now = yield* clock.now
      const settled = [{ organizationId, commandId, outcome: Command.cancellation(commandId), settledAt: now }]
      // The first commit of an attempt ends the same job: of the two commits one is a conflict.
      const commit = yield* commits.audited(
        { commands: { settled }, jobs: { cancelled: [{ organizationId, jobId }] } },
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
      submit: Effect.fn("Commands.submit")(submitted),
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
