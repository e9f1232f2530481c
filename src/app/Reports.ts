/**
 * The intake of telco reports (rules R1 to R3): a batch is applied in order of occurrence and committed as a whole,
 * and a report that cannot be taken fails none of its neighbours.
 */
import { Context, type Effect } from "effect"
import type { Report, Verdict } from "../domain/TelcoReport.ts"
import type { StorageError } from "../ports/Storage.ts"

export class Reports extends Context.Service<
  Reports,
  {
    /** The verdicts, in the order of the reports. */
    readonly take: (request: {
      readonly reports: ReadonlyArray<Report>
    }) => Effect.Effect<ReadonlyArray<Verdict>, StorageError>
  }
>()("simplan/Reports") {}
