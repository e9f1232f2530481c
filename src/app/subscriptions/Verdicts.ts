/**
 * Why SIMs work or do not (rule L5).
 */
import { Context, Effect, Layer } from "effect"
import * as Deletion from "../../domain/Deletion.ts"
import * as Pause from "../../domain/Pause.ts"
import * as Problem from "../../domain/Problem.ts"
import type * as Reason from "../../domain/Reason.ts"
import { NotFound } from "../../domain/Refusal.ts"
import * as Sim from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { isFormer } from "../../domain/TelcoReport.ts"
import * as Verdict from "../../domain/Verdict.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import * as RequestContext from "../RequestContext.ts"
import { makeExplain } from "./Attachments.ts"
import { makeStays } from "../Stays.ts"

/** A SIM with its verdict. */
export interface Judged {
  /** As it is stored. */
  readonly sim: Sim.Sim
  /** Why it works or does not. */
  readonly verdict: Verdict.Verdict
}

/** Reads verdicts. */
export class Verdicts extends Context.Service<
  Verdicts,
  {
    /** Of one reading of the SIM. `NotFound`: the organization has no such SIM. */
    readonly get: (of: {
      readonly organizationId: string
      readonly iccid: string
    }) => Effect.Effect<Judged, NotFound | StorageError>
    /** Of a SIM as it is after an edit, or would be. */
    readonly of: (sim: Sim.Sim) => Effect.Effect<Verdict.Verdict, StorageError>
  }
>()("simplan/Verdicts") {}

/** The job that releases the SIM, or changes its service; null: there is nothing to be done. */
const jobOf = (sim: Sim.Sim): string | null => {
  const change = Sim.changeOfService(sim.service)
  return Deletion.releaseJobOf(sim) ?? (change === null ? null : Pause.jobId(change.changeId))
}

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Verdicts, never, Storage | BusinessClock> = Layer.effect(
  Verdicts,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const explain = yield* makeExplain
    const staysOf = yield* makeStays

    /** Of what the telco refuses, the attachments that are among the problems. */
    const problemsOf = Effect.fnUntraced(function* (attachments: ReadonlyArray<Reason.Explained>) {
      const refused = attachments.filter(({ reason }) => reason?._tag === "TelcoRefused")
      const listed = yield* Effect.filter(
        refused.map(({ attachment }) => attachment),
        ({ attachmentId, organizationId }) =>
          Effect.map(
            storage.jobs.get({ organizationId, jobId: Problem.refusalJobId(attachmentId) }),
            (job) => job !== null
          ),
        { concurrency: "unbounded" }
      )
      yield* RequestContext.countRows(refused.length)
      return new Set(listed.map(({ attachmentId }) => attachmentId))
    })

    const judge = Effect.fnUntraced(function* (sim: Sim.Sim, aggregate: SimAggregate.SimAggregate) {
      yield* RequestContext.countAttachments(aggregate.attachments)
      const attachments = SimAggregate.live(aggregate) === null ? [] : SimAggregate.confirmed(aggregate)
      const jobId = jobOf(sim)
      const known = yield* Effect.all(
        {
          reports: Verdict.needsReports(sim) ? storage.sims.smdpHistory(sim) : Effect.succeed([]),
          attachments: explain(attachments, null, yield* clock.now),
          job: jobId === null ? Effect.succeed(null) : storage.jobs.get({ organizationId: sim.organizationId, jobId })
        },
        { concurrency: "unbounded" }
      )
      yield* RequestContext.countRows(known.reports.length)
      const reports = known.reports.filter(({ modifiedAt }) => !isFormer(modifiedAt, sim))
      const problems = yield* problemsOf(known.attachments)
      const [last] = sim.movedTo === null ? [] : yield* staysOf(sim)
      return Verdict.of(Verdict.factsOf({ sim, ...known, reports, problems, movedTo: last?.iccid ?? sim.movedTo }))
    })

    return Verdicts.of({
      get: Effect.fn("Verdicts.get")(function* (of) {
        const aggregate = yield* storage.simAggregates.get(of)
        if (aggregate === null) return yield* new NotFound({ resource: "sim", id: of.iccid })
        const { sim } = aggregate
        return { sim, verdict: yield* judge(sim, aggregate) }
      }),
      of: Effect.fn("Verdicts.of")(function* (sim) {
        const aggregate = yield* storage.simAggregates.get(sim)
        return yield* judge(sim, aggregate ?? { sim, subscription: null, attachments: [] })
      })
    })
  })
)
