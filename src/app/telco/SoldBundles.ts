/**
 * What suppliers sell, as operators choose plans from it (rule P6). A process reads the catalogue
 * of a telco when it is first asked for, one read at a time, and keeps it for an hour. If a read
 * fails, the one of before goes on, and says when it was read.
 */
import { Context, Effect, Layer, Result, Semaphore } from "effect"
import {
  type InsideTransaction,
  InvalidField,
  NotFound,
  TelcoRefused,
  type TelcoUnavailable
} from "../../domain/Refusal.ts"
import type { Amount } from "../../domain/Amount.ts"
import type { Label } from "../../domain/Label.ts"
import type { OfLoad } from "../../domain/PurchaseLimits.ts"
import { type Filter, isAsked, type SoldBundle } from "../../domain/SoldBundle.ts"
import * as TextLimit from "../../domain/TextLimit.ts"
import { HOUR, type Instant, MINUTE, SECOND } from "../../domain/Time.ts"
import * as Clocks from "../../ports/Clocks.ts"
import type { CreatedCursor, Keyset } from "../../ports/Storage.ts"
import { type Refused, Unavailable } from "../../ports/Telco.ts"
import { TelcoBundles } from "../../ports/TelcoBundles.ts"
import { makeRefuseInside } from "../commit/Served.ts"
import type * as Paging from "../Paging.ts"
import { notTaken } from "./TelcoCall.ts"

/** How long a catalogue is kept, in milliseconds. */
const KEPT = HOUR

/** When a telco is asked again after a read that has failed, with one of before and without. */
const AGAIN = MINUTE
const AGAIN_WITHOUT = 5 * SECOND

/** How long a read of a catalogue may take. */
const LIMIT = "30 seconds"

/** The catalogue of a telco, as it was read. */
export interface Read {
  /** In the telco's own order. */
  readonly bundles: ReadonlyArray<SoldBundle>
  /** Business time. */
  readonly readAt: Instant
}

/** A telco that sells. */
export interface Seller {
  /** Its name. */
  readonly telco: string
  /** What this process has read of it; null: nothing yet. */
  readonly read: Read | null
  /** Why the last read has failed; null: it has not. */
  readonly failure: string | null
}

/** Why a catalogue cannot be had. */
export type NotRead = NotFound | TelcoRefused | TelcoUnavailable | InsideTransaction

/** Lists what suppliers sell. */
export class SoldBundles extends Context.Service<
  SoldBundles,
  {
    /** The telcos that sell, in the order of the settings. Nothing is read for it. */
    readonly sellers: Effect.Effect<ReadonlyArray<Seller>>
    /** Refuses a label whose SIMs with the load are bought of another telco. */
    readonly checkSeller: (of: {
      readonly telco: string
      readonly organizationId: string
      readonly label: Label
      readonly load: string
    }) => Effect.Effect<void, InvalidField>
    /** Which telco such a SIM is bought of; null: of none, or it is not known. */
    readonly sellerOf: (of: OfLoad) => Effect.Effect<string | null>
    /** What the load costs, as this process has read it last; null: it has not. Nothing is read. */
    readonly priceOf: (of: OfLoad) => Effect.Effect<Amount | null>
    /** The catalogue of one of them. A telco that sells nothing is `NotFound`. */
    readonly of: (telco: string) => Effect.Effect<Read, NotRead>
    /**
     * A page of the bundles that the filter takes. Its cursor is a place in the list, which moves
     * if the list is read anew meanwhile.
     */
    readonly page: (
      of: Keyset<CreatedCursor> & { readonly [Name in keyof Filter]: string | null } & { readonly telco: string }
    ) => Effect.Effect<Paging.Page<SoldBundle & Pick<Read, "readAt">, CreatedCursor>, NotRead | InvalidField>
  }
>()("simplan/SoldBundles") {}

/** What a process knows of a telco. */
interface Known {
  readonly oneAtATime: Semaphore.Semaphore
  read: Read | null
  failure: Refused | Unavailable | null
  /** Until when it is not asked again, in monotonic time. */
  until: number
}

const refusalOf = (failure: Refused | Unavailable): TelcoRefused | TelcoUnavailable =>
  failure._tag === "Telco.Refused" ? new TelcoRefused({ message: failure.message }) : notTaken(failure)

const countryOf = (country: string | null): Result.Result<string | null, InvalidField> => {
  if (country === null || country.trim() === "") return Result.succeed(null)
  const message = "must be an ISO 2-letter country code"
  return /^[A-Za-z]{2}$/.test(country.trim())
    ? Result.succeed(country.trim().toUpperCase())
    : Result.fail(new InvalidField({ field: "country", message }))
}

/** The implementation that `Services.layer` provides. It keeps what it has read in memory. */
export const layer: Layer.Layer<SoldBundles, never, Clocks.BusinessClock> = Layer.effect(
  SoldBundles,
  Effect.gen(function* () {
    const sold = yield* TelcoBundles
    const clock = yield* Clocks.BusinessClock
    const refuseInside = yield* makeRefuseInside
    const all = new Map<string, Known>()

    const knownOf = (telco: string): Known => {
      const known = all.get(telco) ?? {
        oneAtATime: Semaphore.makeUnsafe(1),
        read: null,
        failure: null,
        until: Number.NEGATIVE_INFINITY
      }
      all.set(telco, known)
      return known
    }

    const ask = (telco: string) =>
      Effect.timeoutOrElse(sold.of(telco), {
        duration: LIMIT,
        orElse: () => Effect.fail(new Unavailable({ message: `no answer within ${LIMIT}`, telco }))
      })

    /** Reads the catalogue, unless it is not the time for it yet. */
    const refresh = Effect.fnUntraced(function* (telco: string, known: Known) {
      // On a virtual clock an hour may pass at once.
      const isOld = known.read !== null && (yield* clock.now) >= known.read.readAt + KEPT
      if (!isOld && (yield* Clocks.monotonicNow) < known.until) return
      yield* refuseInside("telcos.bundles")
      const answer = yield* Effect.result(ask(telco))
      const machineNow = yield* Clocks.monotonicNow
      if (Result.isSuccess(answer)) {
        known.read = { bundles: answer.success, readAt: yield* clock.now }
        known.failure = null
        known.until = machineNow + KEPT
        return
      }
      known.failure = answer.failure
      known.until = machineNow + (known.read === null ? AGAIN_WITHOUT : AGAIN)
      yield* Effect.logWarning("the bundles of a telco could not be read", { telco, answer: answer.failure.message })
    })

    const read = Effect.fn("SoldBundles.of")(function* (telco: string): Effect.fn.Return<Read, NotRead> {
      if (!(yield* sold.telcos).includes(telco)) return yield* new NotFound({ resource: "telco", id: telco })
      const known = knownOf(telco)
      yield* known.oneAtATime.withPermits(1)(refresh(telco, known))
      if (known.read !== null) return known.read
      return yield* known.failure === null ? notTaken() : refusalOf(known.failure)
    })

    const sellerOf = Effect.fnUntraced(function* (of: OfLoad) {
      if (sold.sellerOf !== undefined) return yield* sold.sellerOf(of)
      const [only = null, ...others] = yield* sold.telcos
      return others.length === 0 ? only : null
    })

    return SoldBundles.of({
      of: read,
      sellerOf,
      sellers: Effect.map(sold.telcos, (telcos) =>
        telcos.map((telco) => {
          const known = all.get(telco)
          return { telco, read: known?.read ?? null, failure: known?.failure?.message ?? null }
        })
      ),
      priceOf: Effect.fnUntraced(function* (of) {
        const seller = yield* sellerOf(of)
        const read = seller === null ? null : (all.get(seller)?.read ?? null)
        return read?.bundles.find(({ code }) => code === of.load)?.price ?? null
      }),
      checkSeller: Effect.fnUntraced(function* ({ telco, ...of }) {
        const seller = sold.sellerOf === undefined ? telco : yield* sold.sellerOf(of)
        if (seller === telco) return
        const message = `must be one whose SIMs with the bundle are bought of ${telco}: the routes have ${seller ?? "no telco"} for ${of.label}`
        return yield* new InvalidField({ field: "label", message })
      }),
      page: Effect.fn("SoldBundles.page")(function* ({ after, limit, search, telco, ...of }) {
        const country = yield* Effect.fromResult(countryOf(of.country))
        yield* Effect.fromResult(TextLimit.check("search", search ?? "", TextLimit.NAME))
        const { bundles, readAt } = yield* read(telco)
        const asked = bundles.filter((one) => isAsked(one, { country, search }))
        const from = Math.max(0, after?.createdAt ?? 0)
        const items = asked.slice(from, from + limit).map((one) => ({ ...one, readAt }))
        const isLast = from + limit >= asked.length
        return { items, next: isLast ? null : { createdAt: from + limit, id: "bundle" } }
      })
    })
  })
)
