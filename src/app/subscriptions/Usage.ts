/**
 * What was used, by day and country (rule U1): of one SIM, and of an organization.
 *
 * Answers are streams that hold one page at a time. Each page takes its turn among the heavy reads
 * (`HeavyReads`), so that no month of many SIMs holds up the reads of others.
 */
import { Context, Effect, Layer, Option, Result, Stream } from "effect"
import { InvalidField, NotFound } from "../../domain/Refusal.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"

/** Dates, such as `2026-11-30`, both included (`UsageBook.days`). */
interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Reads the book of usage (rule U1). */
export class Usage extends Context.Service<
  Usage,
  {
    /**
     * A SIM's usage, whichever subscription it was of; by day, those from before the book first,
     * and by country and attachment. `NotFound`: the organization has no such SIM.
     */
    readonly ofSim: (
      of: Days & {
        readonly organizationId: string
        readonly iccid: string
        readonly by: ReadonlyArray<UsageBook.SimGroup>
      }
    ) => Stream.Stream<UsageBook.SimSum, InvalidField | NotFound | StorageError>
    /**
     * An organization's usage by SIMs, by ICCID, or by one or several of the other groups, in the
     * order of `UsageBook.compareTotals`. `InvalidField`: the groups make no list
     * (`UsageBook.grouping`).
     */
    readonly ofOrganization: (
      of: Days & { readonly organizationId: string; readonly by: ReadonlyArray<UsageBook.OrganizationGroup> }
    ) => Stream.Stream<UsageBook.Total, InvalidField | StorageError>
  }
>()("simplan/Usage") {}

/** Two pages take less than what a streamed answer may load (rule W10). */
const PAGE = 800

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Usage, never, Storage | BusinessClock> = Layer.effect(
  Usage,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock

    const asked = Effect.fnUntraced(function* (given: Days) {
      const days = UsageBook.days(given, yield* clock.now)
      return Result.isSuccess(days) ? days.success : yield* new InvalidField(days.failure)
    })

    type Read = (after: UsageBook.SimEntry) => Effect.Effect<ReadonlyArray<UsageBook.SimEntry>, StorageError>

    /** The sums of the entries from a first page on. */
    const sumsFrom = (first: ReadonlyArray<UsageBook.SimEntry>, by: ReadonlyArray<UsageBook.SimGroup>, read: Read) => {
      const sums = UsageBook.sums(by)
      return Stream.paginate<ReadonlyArray<UsageBook.SimEntry>, UsageBook.SimSum, StorageError>(first, (entries) => {
        const done = sums.add(entries)
        const last = entries.at(-1)
        return entries.length < PAGE || last === undefined
          ? Effect.succeed([[...done, ...sums.end()], Option.none()])
          : Effect.map(read(last), (next) => [done, Option.some(next)])
      })
    }

    /** All that is read page by page, each from the last one of the page before. */
    const whole = <Total extends UsageBook.Total>(
      read: (after: Total | null) => Effect.Effect<ReadonlyArray<Total>, StorageError>
    ) =>
      Stream.paginate<Total | null, Total, StorageError>(null, (after) =>
        Effect.map(read(after), (totals) => {
          const last = totals.at(-1)
          return [totals, totals.length < PAGE || last === undefined ? Option.none() : Option.some(last)]
        })
      )

    const totalsOf = (
      by: UsageBook.Grouping,
      of: UsageBook.Days & { readonly organizationId: string }
    ): Stream.Stream<UsageBook.Total, StorageError> =>
      by === "sim"
        ? whole<UsageBook.Total & { readonly iccid: string }>((after) =>
            storage.usage.sims({ ...of, after: after?.iccid ?? null, limit: PAGE })
          )
        : whole((after) => storage.usage.totals({ ...of, by, after, limit: PAGE }))

    return Usage.of({
      ofSim: ({ by, iccid, organizationId, ...given }) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const days = yield* asked(given)
            const book = { organizationId, iccid, ...days, limit: PAGE }
            const first = yield* storage.usage.entries({ ...book, after: null })
            // Whoever has usage is there: one read is enough for most.
            if (first.length === 0 && (yield* storage.sims.get({ organizationId, iccid })) === null) {
              return yield* new NotFound({ resource: "sim", id: iccid })
            }
            return sumsFrom(first, by, (after) => storage.usage.entries({ ...book, after }))
          })
        ),
      ofOrganization: ({ by, organizationId, ...given }) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const days = yield* asked(given)
            const groups = UsageBook.grouping(by)
            if (Result.isFailure(groups)) return yield* new InvalidField(groups.failure)
            return totalsOf(groups.success, { organizationId, ...days })
          })
        )
    })
  })
)
