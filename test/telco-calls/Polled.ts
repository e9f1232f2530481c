/** A core that takes all reports, and remembers them. */
import { Effect } from "effect"
import { Reports } from "simplan"
import type { TelcoReport } from "simplan/ports"
import type { Polls } from "../../adapters/telco-calls/index.ts"

export interface Core {
  readonly taken: Array<TelcoReport.Report>
  /** Polls what is due now: what the core has got of it, in order. */
  readonly poll: (polls: Polls.Polls["Service"]) => Effect.Effect<ReadonlyArray<TelcoReport.Fact>, unknown>
}

/** None has reported to it. */
export const make = (): Core => {
  const taken: Array<TelcoReport.Report> = []
  const core = Reports.Reports.of({
    take: ({ reports }) =>
      Effect.sync(() =>
        reports.map((report): TelcoReport.Verdict => {
          if (taken.some(({ reportId }) => reportId === report.reportId)) return { _tag: "Duplicate" }
          taken.push(report)
          return { _tag: "Accepted" }
        })
      )
  })
  return {
    taken,
    poll: (polls) =>
      Effect.gen(function* () {
        const before = taken.length
        yield* Effect.provideService(polls.due, Reports.Reports, core)
        return taken.slice(before).map(({ fact }) => fact)
      })
  }
}

/** The facts as they are reported. */
export const firstUse = (packageId: string): TelcoReport.Fact => ({ _tag: "FirstUse", packageId })
export const total = (packageId: string, bytes: number): TelcoReport.Fact => ({
  _tag: "Usage",
  packageId,
  usage: { _tag: "Total", bytes }
})
export const gone: TelcoReport.Fact = { _tag: "Gone" }
export const end = (packageId: string, reason: Extract<TelcoReport.Fact, { _tag: "End" }>["reason"]) =>
  ({ _tag: "End", packageId, reason }) satisfies TelcoReport.Fact
