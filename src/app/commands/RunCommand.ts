/**
 * Carrying out a command that a host has submitted in its own transaction (rule H1), by the use case that a request would
 * go through.
 *
 * The first commit of the use case ends this job (`Commits`), so that nothing is done twice, at any moment that a
 * process may die. A use case that ends without a commit is settled here, or tried again later.
 */
import { Effect, Result } from "effect"
import * as Command from "../../domain/Command.ts"
import { type Answer, kinds, type Outcome } from "../../domain/Idempotency.ts"
import * as Job from "../../domain/Job.ts"
import type { Work } from "../../domain/Job.ts"
import * as Refusal from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits, CurrentCommand, originOf, type ServedCommand } from "../commit/Commits.ts"
import * as RequestContext from "../RequestContext.ts"
import { Wallet } from "../sims/Wallet.ts"
import { Messages } from "../subscriptions/Messages.ts"
import { Subscriptions } from "../subscriptions/Subscriptions.ts"
import { type Done, finishing, type LeasedJob } from "../telco/TelcoCall.ts"

export type Needs = Storage | Commits | BusinessClock | Subscriptions | Messages | Wallet

type UseCase = Effect.Effect<Answer, Refusal.Refusal | StorageError>

/** What does the job. */
export const make = Effect.gen(function* () {
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

  /** Whether the host has cancelled it meanwhile: then the first commit has failed, and nothing is left to be done. */
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
      lease: { jobId: job.jobId, token },
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
        yield* write({ jobs: { retried: [{ jobId: job.jobId, token, dueAt, attempts: attempts + 1, waiting }] } })
      }
    }
    return refusal === null ? "done" : isSettled ? "refused" : "retried"
  })
})
