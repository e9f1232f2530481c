/**
 * What the journal keeps of purchases of SIMs at a supplier. All of it stays for good.
 *
 * A purchase is an entry of the kind `purchase` with its id as the key, its SIM's ICCID once that
 * is known, and the supplier's reference of its order as the id of the telco's own.
 *
 * An order is one purchase's: an entry of the kind `purchase-order` has the order's reference as
 * its key, and says whose it is. It is added after the purchase has got the reference, so that a
 * process that dies in between leaves nothing that no purchase has.
 *
 * The book of a load is an entry of the kind `purchase-load` with the load as its key: the orders
 * of a supplier that knows no references which were not answered, and orders that are to spare.
 */
import { Effect, Schema } from "effect"
import { Job, type Telco } from "simplan/ports"
import * as CallFailure from "../CallFailure.ts"
import * as CallRecords from "../CallRecords.ts"
import type * as Journal from "../Journal.ts"

/** The kind of the entries of purchases. */
export const KIND = "purchase"

const ORDER = "purchase-order"
const BOOK = "purchase-load"

/** An amount of money. */
export const Money = Schema.Struct({ units: Schema.Int, scale: Schema.Int, currency: Schema.String })

const Text = Schema.NullOr(Schema.String)

/** The SIM of a purchase. */
const Sim = Schema.Struct({
  iccid: Schema.String,
  lpa: Schema.String,
  sellBy: Schema.NullOr(Schema.Finite),
  cost: Schema.NullOr(Money),
  imsi: Text,
  msisdn: Text,
  subscriberId: Text
})

/**
 * What a package has of a SIM that was bought. `Load`: what the SIM was bought with. `TopUp`: it
 * was ordered apart. `Cancelled`: nothing, and its id is spent.
 */
export const Share = Schema.Literals(["Load", "TopUp", "Cancelled"])

/** What a package has of a SIM that was bought. */
export type Share = typeof Share.Type

/** What a package has cost apart, and what came back for it, as `Telco.Settled` has it. */
const Settled = Schema.Struct({
  topUp: Schema.optionalKey(Schema.Struct({ load: Schema.String, cost: Schema.NullOr(Money) })),
  credit: Schema.optionalKey(Money)
})

/** What is known of a purchase. */
export const Purchase = Schema.Struct({
  load: Schema.String,
  /** Whose stock it is for. Absent: it was asked for before that was kept. */
  organizationId: Schema.optionalKey(Schema.String),
  /** By what the supplier knows the order, if it takes such a text: it is of no other purchase. */
  key: Schema.String,
  /** What the order was quoted at when it was asked for last; null: no price was asked for. */
  price: Schema.NullOr(Money),
  /** When the supplier was asked for the order first; null: never. */
  askedAt: Schema.NullOr(Schema.Finite),
  /** When the supplier was last asked without an answer; null: it has certainly nothing of it. */
  unansweredAt: Schema.NullOr(Schema.Finite),
  /** The order's at the supplier; null: there is none yet. */
  reference: Text,
  /** When the call was made whose answer had the reference; null: it was found. */
  answeredAt: Schema.NullOr(Schema.Finite),
  /** What the supplier has said that the order costs. */
  cost: Schema.NullOr(Money),
  sim: Schema.NullOr(Sim),
  /** Which of the purchases of this ICCID it is: the highest one is the last. */
  turn: Schema.Finite,
  refusal: Schema.NullOr(
    Schema.Struct({
      message: Schema.String,
      reason: Schema.NullOr(Schema.Literals(Job.unsoldReasons))
    })
  ),
  /** By the packages' ids. */
  packages: Schema.Record(Schema.String, Share),
  /** Whether a package that was cancelled has used the load. */
  isUsed: Schema.Boolean,
  /** Whether the SIM was given back: `calling` may have been, anything else was. */
  returned: Schema.NullOr(Schema.Literals(["calling", "credit", "asked", "none"])),
  /** What came back for the load when it was taken off. Absent: nothing, or nobody has asked. */
  credit: Schema.optionalKey(Money),
  /** The money of packages that were cancelled, by their ids. Absent: there is none. */
  settled: Schema.optionalKey(Schema.Record(Schema.String, Settled))
})

/** What is known of a purchase. */
export type Purchase = typeof Purchase.Type

/** A purchase of which the supplier was asked for nothing yet. */
export const unasked = (
  { load, organizationId }: Pick<Telco.SimPurchase, "load" | "organizationId">,
  key: string
): Purchase => ({
  load,
  organizationId,
  key,
  price: null,
  askedAt: null,
  unansweredAt: null,
  reference: null,
  answeredAt: null,
  cost: null,
  sim: null,
  turn: 0,
  refusal: null,
  packages: {},
  isUsed: false,
  returned: null
})

/** An order that was not answered. */
const Unanswered = Schema.Struct({
  purchaseId: Schema.String,
  /** When it was asked for. */
  at: Schema.Finite,
  /** When it was given up. */
  until: Schema.Finite
})

/** An order that was not answered. */
export type Unanswered = typeof Unanswered.Type

/** What is known of the orders of one load. */
export const Book = Schema.Struct({
  unanswered: Schema.Array(Unanswered),
  /** Orders that are there although their purchase has another one. */
  spares: Schema.Array(Schema.Struct({ reference: Schema.String, cost: Schema.NullOr(Money) }))
})

/** What is known of the orders of one load. */
export type Book = typeof Book.Type

/** What an order of the supplier is here. */
export interface KnownOrder {
  /** The eSIM that was bought; null: none was yet, or it was a top-up. */
  readonly iccid: string | null
  /** The row of the ledger that it is booked by; null: there is no eSIM yet. */
  readonly costId: string | null
  /** Whose ledger that is. Absent: of the organization that has the eSIM. */
  readonly organizationId?: string
}

/** A purchase as it was read or written last, and how to write it. */
export interface Record {
  readonly purchaseId: string
  /** Null: it was never asked for. */
  readonly get: () => Purchase | null
  /** `Unavailable` if another process has written it meanwhile. */
  readonly put: (next: Purchase) => Effect.Effect<void, Telco.Unavailable>
}

/** The purchases of a telco in a journal. */
export const make = (journal: Journal.Journal["Service"], telco: string) => {
  const purchases = CallRecords.make(journal, { telco, kind: KIND }, Purchase)
  const books = CallRecords.make(journal, { telco, kind: BOOK }, Book)
  const decodeOwner = Schema.decodeUnknownEffect(Schema.Struct({ purchaseId: Schema.String }))

  const recordOf = ({ get, key, put }: CallRecords.CallRecord<Purchase>): Record => ({
    purchaseId: key,
    get,
    put: (next) => put(next, { iccid: next.sim?.iccid ?? null, externalId: next.reference })
  })

  /** The purchase that has an order; null: none has it. */
  const ownerOf = Effect.fnUntraced(function* (reference: string) {
    const claim = yield* CallFailure.ofJournal(journal.get({ telco, kind: ORDER, key: reference }))
    if (claim === null) {
      // Whoever was about to claim it has died, and goes on with it.
      const entry = yield* CallFailure.ofJournal(journal.ofExternalId({ telco, kind: KIND, externalId: reference }))
      return entry === null ? null : entry.key
    }
    const { purchaseId } = yield* Effect.mapError(decodeOwner(claim.document), () =>
      CallFailure.unavailable("The journal has an order of a purchase in another form")
    )
    return purchaseId
  })

  return {
    ownerOf,
    open: (purchaseId: string) => Effect.map(purchases.open(purchaseId, null), recordOf),
    book: (load: string) => books.open(load, null),
    /** The purchases of an ICCID, the last one first. */
    ofSim: (iccid: string) =>
      Effect.map(purchases.ofSim(iccid), (all) =>
        all
          .flatMap((one) => {
            const purchase = one.get()
            return purchase === null ? [] : [{ record: recordOf(one), purchase }]
          })
          .toSorted((left, right) => right.purchase.turn - left.purchase.turn)
      ),
    /** Claims an order for a purchase. True: the purchase has it, now or from before. */
    own: Effect.fnUntraced(function* (reference: string, purchaseId: string) {
      const claim = { telco, kind: ORDER, key: reference, iccid: null, externalId: null, dueAt: null }
      const added = yield* CallFailure.ofJournal(journal.add({ ...claim, document: { purchaseId } }))
      return added !== null || (yield* ownerOf(reference)) === purchaseId
    })
  }
}

/** The purchases of a telco in a journal. */
export type Records = ReturnType<typeof make>
