/**
 * Makes a request of a service under simulation. Whatever comes of it is an outcome: a refusal, a process that was
 * killed in the middle, and what should never be.
 */
import { Cause, Effect, Exit, Fiber } from "effect"
import { Attachments } from "../../app/subscriptions/Attachments.ts"
import { Clock } from "../../app/engine/Clock.ts"
import * as IdempotencyKeys from "../../app/commit/IdempotencyKeys.ts"
import { Messages } from "../../app/subscriptions/Messages.ts"
import { Pauses } from "../../app/subscriptions/Pauses.ts"
import { Plans } from "../../app/plans/Plans.ts"
import { Problems } from "../../app/organizations/Problems.ts"
import { Replacements } from "../../app/subscriptions/Replacements.ts"
import { Reports } from "../../app/telco/Reports.ts"
import { UsageReconciliation } from "../../app/telco/UsageReconciliation.ts"
import type { Services } from "../../Services.ts"
import { Subscriptions } from "../../app/subscriptions/Subscriptions.ts"
import { SimCorrections } from "../../app/sims/SimCorrections.ts"
import { Stock } from "../../app/sims/Stock.ts"
import { Wallet } from "../../app/sims/Wallet.ts"
import type { Answers } from "../../domain/Idempotency.ts"
import * as Idempotency from "../../domain/Idempotency.ts"
import * as Refusal from "../../domain/Refusal.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import { HOUR } from "../../domain/Time.ts"
import type { StorageError } from "../../ports/Storage.ts"
import type { Simulated } from "../Simulated.ts"
import * as JsonText from "../JsonText.ts"
import type { Answer, Asked, Outcome, Request } from "./Command.ts"
import type { Session } from "./Resolving.ts"

const done: Answer = { kind: "Done" }

const answered = (answer: Answer): Outcome => ({ _tag: "Answered", answer })

const broken = (cause: unknown): Outcome => ({ _tag: "Broken", message: String(cause) })

/** What may go wrong with a request. A refusal that is replayed (rule W2) is plain data already. */
type Failure = Refusal.Plain | StorageError

const failed = (cause: Cause.Cause<Failure>): Outcome => {
  const error = Cause.findErrorOption(cause)
  if (error._tag === "None" || error.value._tag === "StorageError") return broken(Cause.squash(cause))
  return {
    _tag: "Refused",
    refusal: Refusal.isRefusal(error.value) ? Refusal.toPlain(error.value) : error.value
  }
}

/** Runs it in the present process; where that is killed meanwhile, another one is started. */
const attempt = (simulated: Simulated, effect: Effect.Effect<Answer, Failure, Services>): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(simulated.use(effect))
    const exit = yield* Effect.raceFirst(Fiber.await(fiber), Effect.as(simulated.killed, null))
    if (exit !== null) return Exit.isSuccess(exit) ? answered(exit.value) : failed(exit.cause)
    yield* Effect.orDie(simulated.restart)
    return { _tag: "Killed" }
  })

/** What a client sends: each try writes the same JSON in a way of its own (rule W2). */
interface Sent {
  readonly request: Request
  readonly attempt: number
}

/** The request under its idempotency key, where it has one. */
const once = <Kind extends keyof Answers, E>(
  { attempt, request: { key, organizationId, ...request } }: Sent,
  kind: Kind,
  effect: Effect.Effect<Answers[Kind], E, Services>
) =>
  key === null
    ? effect
    : IdempotencyKeys.IdempotencyKeys.use((keys) => keys.once(kind, effect)).pipe(
        Effect.provideService(IdempotencyKeys.CurrentRequest, {
          organizationId,
          key,
          fingerprint: Idempotency.meaning(request._tag, JSON.parse(JsonText.of(request, attempt)))
        })
      )

const ask = (sent: Sent): Effect.Effect<Answer, Failure, Services> => {
  const { request } = sent
  const { organizationId } = request
  switch (request._tag) {
    case "Subscribe": {
      const { iccid, metadata, period: activePeriod, planId } = request
      return Effect.map(
        once(
          sent,
          "Created",
          Subscriptions.use((of) => of.create({ organizationId, planId, metadata, iccid, activePeriod }))
        ),
        (created) => ({ kind: "Created", created })
      )
    }
    case "SendSms": {
      const { iccid, text } = request
      return Effect.as(
        once(
          sent,
          "Sms",
          Messages.use((of) => of.send({ organizationId, iccid, from: "simplan", text }))
        ),
        done
      )
    }
  }
}

type Refused = Effect.Effect<Refusal.Plain | null, StorageError, Services>

const refusalOf = <A>(preview: Effect.Effect<A, Failure, Services>, of: (previewed: A) => Refused): Refused =>
  Effect.matchEffect(preview, {
    onSuccess: of,
    onFailure: (error) => (error._tag === "StorageError" ? Effect.fail(error) : Effect.succeed(error))
  })

const nothing = () => Effect.succeed(null)

const OURS = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:/

/** A report as telcos may write it (rules I1 and I13): with a padded ICCID, and our id of a package in capitals. */
const spelled = (report: Report): Report => {
  const { fact } = report
  const isOurs = "packageId" in fact && fact.packageId !== null && OURS.test(fact.packageId)
  return {
    ...report,
    iccid: `${report.iccid}${report.iccid.length === 18 ? "FF" : "F"}`,
    fact: isOurs ? { ...fact, packageId: fact.packageId.toUpperCase() } : fact
  }
}

/** The correction as a client sends it. */
const correctionOf = ({ correction, iccid, organizationId }: Extract<Asked, { readonly _tag: "CorrectSim" }>) => {
  const { status, ...rest } = correction
  return {
    organizationId,
    iccid,
    ...rest,
    ...(status === undefined ? {} : { status: status._tag === "Available" ? "available" : "withdrawn" }),
    ...(status?._tag === "Withdrawn" ? { reason: status.reason } : {})
  }
}

/** The refusal that the preview of a request foresees, null for none (rule S9); null where it has no preview. */
const foreseen = (asked: Asked): Refused | null => {
  switch (asked._tag) {
    case "Subscribe":
      return refusalOf(
        Subscriptions.use((of) => of.previewCreate({ ...asked, activePeriod: asked.period })),
        nothing
      )
    case "Suspend":
      return refusalOf(
        Attachments.use((of) => of.previewSuspend(asked)),
        nothing
      )
    case "Delete":
      return refusalOf(
        Subscriptions.use((of) => of.previewRemove(asked)),
        ({ refusal }) => Effect.succeed(refusal)
      )
    case "Replace":
      return refusalOf(
        Replacements.use((of) => of.previewReplace(asked)),
        nothing
      )
    case "Pause":
      return refusalOf(
        Pauses.use((of) => (asked.paused ? of.previewPause(asked) : of.previewResume(asked))),
        nothing
      )
    case "CorrectSim":
      return refusalOf(
        SimCorrections.use((of) => of.previewCorrect(correctionOf(asked))),
        nothing
      )
    default:
      return null
  }
}

/** Whatever the telco does to a request, no preview foresees. */
const isOfTelco = ({ _tag }: Refusal.Plain): boolean => _tag === "TelcoRefused" || _tag === "TelcoUnavailable"

/** Rule S9: what came of a request has to be what its preview foresaw. */
const agreed = (refusal: Refusal.Plain | null, outcome: Outcome): Outcome => {
  if (outcome._tag !== "Answered" && outcome._tag !== "Refused") return outcome
  const actual = outcome._tag === "Refused" ? outcome.refusal : null
  if (actual !== null && isOfTelco(actual)) return outcome
  return actual?._tag === refusal?._tag
    ? outcome
    : broken(`The preview foresaw ${refusal?._tag ?? "no refusal"}, and the request had ${actual?._tag ?? "none"}`)
}

/** As long as it takes until everything that was put off is tried again, with some to spare. */
const PUT_OFF = HOUR + 1

/** What an operator does once the telco is well again: retries each problem (rule S6). How many there were. */
const retryProblems = Effect.gen(function* () {
  const problems = yield* Problems
  const { items } = yield* problems.page({ after: null, limit: 1_000 })
  for (const { jobId } of items) yield* problems.retry({ problemId: jobId })
  return items.length
})

const quiet = (simulated: Simulated): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    yield* simulated.setFault(null, 0)
    yield* Effect.orDie(simulated.restart)
    yield* simulated.arrivals
    const rest = Effect.match(simulated.advanceBy(PUT_OFF), { onFailure: broken, onSuccess: () => answered(done) })
    const outcome = yield* rest
    const retried = yield* Effect.orDie(simulated.use(retryProblems))
    return retried === 0 ? outcome : yield* rest
  })

/** Makes the request, and says what came of it. A request that can be previewed is previewed first. */
export const perform = (session: Session, asked: Asked): Effect.Effect<Outcome> => {
  const preview = session.isAlone ? foreseen(asked) : null
  if (preview === null) return performAsked(session, asked)
  return Effect.matchCauseEffect(session.simulated.use(preview), {
    onFailure: (cause) => Effect.succeed(broken(Cause.squash(cause))),
    onSuccess: (refusal) => Effect.map(performAsked(session, asked), (outcome) => agreed(refusal, outcome))
  })
}

const performAsked = (session: Session, asked: Asked): Effect.Effect<Outcome> => {
  const { simulated } = session
  const attempted = (effect: Effect.Effect<Answer, Failure, Services>) => attempt(simulated, effect)
  switch (asked._tag) {
    case "Nothing":
      return Effect.succeed(answered(done))
    case "CreatePlan":
      return Effect.gen(function* () {
        const outcome = yield* attempted(
          Effect.map(
            Plans.use((of) => of.create(asked)),
            (plan): Answer => ({ kind: "Plan", plan })
          )
        )
        if (outcome._tag === "Answered" && outcome.answer.kind === "Plan") {
          session.plans[simulated.organizationIds[0] === asked.organizationId ? 0 : 1].push(outcome.answer.plan)
        }
        return outcome
      })
    case "ArchivePlan":
    case "UnarchivePlan":
      return attempted(
        Effect.map(
          Plans.use((of) => (asked._tag === "ArchivePlan" ? of.archive(asked) : of.unarchive(asked))),
          (plan): Answer => ({ kind: "Plan", plan })
        )
      )
    case "DeletePlan":
      return attempted(
        Effect.as(
          Plans.use((of) => of.remove(asked)),
          done
        )
      )
    case "Subscribe":
    case "SendSms":
      return Effect.gen(function* () {
        if (asked.key !== null) session.keyed.push({ at: yield* simulated.now, request: asked })
        return yield* attempted(ask({ request: asked, attempt: 0 }))
      })
    case "Repeat":
      return attempted(ask({ request: asked.request, attempt: 1 + session.keyed.length }))
    case "Report":
      return attempted(
        Effect.map(
          Reports.use((of) => of.take({ reports: asked.spelled ? asked.reports.map(spelled) : asked.reports })),
          (verdicts): Answer => ({ kind: "Verdicts", verdicts })
        )
      )
    case "ReconcileUsage":
      return attempted(
        Effect.as(
          UsageReconciliation.use((of) => of.reconcile(asked)),
          done
        )
      )
    case "Suspend":
      return attempted(
        Effect.as(
          Attachments.use((of) => of.suspend(asked)),
          done
        )
      )
    case "Delete":
      return attempted(
        Effect.as(
          Subscriptions.use((of) => of.remove(asked)),
          done
        )
      )
    case "Replace":
      return attempted(
        Effect.map(
          Replacements.use((of) => of.replace(asked)),
          (replaced): Answer => ({ kind: "Replaced", replaced })
        )
      )
    case "Pause":
      return attempted(
        Effect.as(
          Pauses.use((of) => (asked.paused ? of.pause(asked) : of.resume(asked))),
          done
        )
      )
    case "SetMobilePlan":
      return attempted(
        Effect.map(
          Wallet.use((of) => of.setMobilePlan(asked)),
          (status): Answer => ({ kind: "MobilePlan", status })
        )
      )
    case "CorrectSim":
      return attempted(
        Effect.as(
          SimCorrections.use((of) => of.correct(correctionOf(asked))),
          done
        )
      )
    case "SetStockLevels":
      return attempted(
        Effect.as(
          Stock.use((of) => of.setLevels(asked)),
          done
        )
      )
    case "Advance":
      return attempted(
        Effect.as(
          Clock.use((of) => of.advanceTo(asked.to)),
          done
        )
      )
    case "Kill":
      return Effect.as(simulated.kill(asked), answered(done))
    case "Restart":
      return Effect.as(Effect.orDie(simulated.sleepThrough(asked.downtime)), answered(done))
    case "Fault":
      return Effect.as(simulated.setFault(asked.fault, asked.times), answered(done))
    case "Quiet":
      return quiet(simulated)
  }
}
