/**
 * What suppliers have charged, and what plans were sold for, by month (rule C3).
 *
 * Answers are streams that hold one page at a time. Each page takes its turn among the heavy reads
 * (`HeavyReads`).
 */
import { Context, Effect, Layer, Option, Result, Stream } from "effect"
import * as Cost from "../../domain/Cost.ts"
import { InvalidField } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"

/** Reads the ledger of costs (rule C1). */
export class Costs extends Context.Service<
  Costs,
  {
    /**
     * What was charged and sold in these months, such as `2026-11`, both included
     * (`Cost.months`), of one organization or of all: by month, by these groups and by currency, in
     * the order of `Cost.compareTotals`.
     */
    readonly report: (of: {
      /** Null: all organizations. */
      readonly organizationId: string | null
      readonly from?: string | undefined
      readonly to?: string | undefined
      readonly by: ReadonlyArray<Cost.Group>
    }) => Stream.Stream<Cost.Total, InvalidField | StorageError>
  }
>()("simplan/Costs") {}

/** Two pages take less than what a streamed answer may load (rule W10). */
const PAGE = 800

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Costs, never, Storage | BusinessClock> = Layer.effect(
  Costs,
  Effect.gen(function* () {
    const { ledger } = yield* Storage
    const clock = yield* BusinessClock
    return Costs.of({
      report: ({ by, from, organizationId, to }) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const months = Cost.months({ from, to }, yield* clock.now)
            if (Result.isFailure(months)) return yield* new InvalidField(months.failure)
            const asked = { organizationId, ...months.success, by: Cost.grouping(by), limit: PAGE }
            return Stream.paginate<Cost.Total | null, Cost.Total, StorageError>(null, (after) =>
              Effect.map(ledger.totals({ ...asked, after }), (totals) => {
                const last = totals.at(-1)
                return [totals, totals.length < PAGE || last === undefined ? Option.none() : Option.some(last)]
              })
            )
          })
        )
    })
  })
)
