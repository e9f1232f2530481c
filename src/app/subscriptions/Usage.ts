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
     * An organization's usage by one of the groups, by key, ascending; a SIM's key is its ICCID.
     */
    readonly ofOrganization: (
      of: Days & { readonly organizationId: string; readonly by: UsageBook.OrganizationGroup }
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

    const simsOf = (of: UsageBook.Days & { readonly organizationId: string }) =>
      Stream.paginate<string | null, UsageBook.Total, StorageError>(null, (after) =>
        Effect.map(storage.usage.sims({ ...of, after, limit: PAGE }), (sims) => {
          const last = sims.at(-1)
          return [
            sims.map(({ bytes, iccid }) => ({ key: iccid, bytes })),
            sims.length < PAGE || last === undefined ? Option.none() : Option.some(last.iccid)
          ]
        })
      )

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
          Effect.map(asked(given), (days) =>
            by === "sim"
              ? simsOf({ organizationId, ...days })
              : Stream.fromIterableEffect(storage.usage.totals({ organizationId, ...days, by }))
          )
        )
    })
  })
)
