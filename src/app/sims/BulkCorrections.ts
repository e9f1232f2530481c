/**
 * Corrections of all SIMs of an organization that a filter takes (rule W15): what would become of
 * them, and doing it, as rows of many corrections are (`SimCorrections`).
 */
import { Context, Effect, Layer, Stream } from "effect"
import * as BulkAction from "../../domain/BulkAction.ts"
import type { InvalidField } from "../../domain/Refusal.ts"
import * as SimCorrection from "../../domain/SimCorrection.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import type { StorageError } from "../../ports/Storage.ts"
import * as Paging from "../Paging.ts"
import { type RowResult, SimCorrections } from "./SimCorrections.ts"
import { Sims } from "./Sims.ts"

/** Corrects many SIMs at once. */
export class BulkCorrections extends Context.Service<
  BulkCorrections,
  {
    /** What `run` would do now (rule S9), counted as far as `BulkAction.MOST_COUNTED`. */
    readonly preview: (request: BulkAction.SimRequest) => Effect.Effect<BulkAction.Preview, InvalidField | StorageError>
    /** Whether the filter takes more than so many now. */
    readonly takesMore: (
      request: BulkAction.SimRequest,
      than: number
    ) => Effect.Effect<boolean, InvalidField | StorageError>
    /**
     * Does it, and says what came of each, by the order of their import. One that is refused stops
     * no other. It ends with those that were there when it began. Memory does not grow with their
     * number.
     */
    readonly run: (request: BulkAction.SimRequest) => Stream.Stream<BulkAction.ItemResult, InvalidField | StorageError>
  }
>()("simplan/BulkCorrections") {}

const itemOf = ({ iccid, refusal, result }: RowResult): BulkAction.ItemResult => ({
  iccid,
  outcome: result === "corrected" ? "changed" : result,
  refusal
})

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<BulkCorrections, never, BusinessClock | Sims | SimCorrections> = Layer.effect(
  BulkCorrections,
  Effect.gen(function* () {
    const clock = yield* BusinessClock
    const sims = yield* Sims
    const corrections = yield* SimCorrections

    /** The request for those that are there now. */
    const bounded = Effect.fnUntraced(function* (request: BulkAction.SimRequest) {
      yield* Effect.fromResult(BulkAction.checkFilter(request.filter))
      yield* Effect.fromResult(SimCorrection.parse(request.correction))
      return request.filter.createdUntil ?? (yield* clock.now)
    })

    const taken = ({ correction, filter, organizationId }: BulkAction.SimRequest, createdUntil: number) => {
      const { createdUntil: _, ...asked } = filter
      return Paging.streamPages((after: number | null, limit) =>
        sims.page({ ...asked, organizationId, after, limit })
      ).pipe(
        Stream.filter(({ createdAt }) => createdAt <= createdUntil),
        Stream.map(({ iccid }) => ({ ...correction, iccid }))
      )
    }

    return BulkCorrections.of({
      takesMore: Effect.fn("BulkCorrections.takesMore")(function* (request, than) {
        const rows = taken(request, yield* bounded(request))
        return (yield* Stream.runCount(Stream.take(rows, than + 1))) > than
      }),
      preview: Effect.fn("BulkCorrections.preview")(function* (request) {
        const createdUntil = yield* bounded(request)
        // One more than is counted shows whether there are more.
        const rows = Stream.take(taken(request, createdUntil), BulkAction.MOST_COUNTED + 1)
        const results = corrections.correctAll({ organizationId: request.organizationId, rows, dryRun: true })
        const nothing: Pick<BulkAction.Preview, keyof BulkAction.Counts | "isWhole"> = {
          ...BulkAction.noCounts,
          isWhole: true
        }
        const counts = yield* Stream.runFold(
          results,
          () => nothing,
          (before, one) =>
            BulkAction.total(before) < BulkAction.MOST_COUNTED
              ? { ...BulkAction.counted(before, [itemOf(one)]), isWhole: true }
              : { ...before, isWhole: false }
        )
        return { ...counts, createdUntil }
      }),
      run: (request) =>
        Stream.unwrap(
          Effect.map(bounded(request), (createdUntil) =>
            Stream.map(
              corrections.correctAll({
                organizationId: request.organizationId,
                rows: taken(request, createdUntil),
                dryRun: false
              }),
              itemOf
            )
          )
        )
    })
  })
)
