/**
 * Buys SIMs of a supplier that sells each with its first bundle, every purchase once.
 *
 * A purchase is in the journal before the supplier is asked, and what came of it after. Whoever
 * repeats it finds both, in whatever process. What an order without an answer has done is found by
 * what the supplier offers:
 *
 * - `Keyed`: the same key is the same order, so the order is asked for again. If its orders can be
 *   listed with their keys, it is looked for before it is asked for long after, and before it
 *   counts as refused.
 * - `Referenced`: the supplier keeps a text of ours with an order. It is looked for; only if it is
 *   not there `lateMillis` after the call, the order is asked for again.
 * - `Anonymous`: nothing tells orders of one load apart. Of one load one order at most is without
 *   an answer, over all processes. The supplier's orders since then are listed, and one that no
 *   purchase has is taken: orders of one load are alike, so it may be another purchase's that was
 *   not answered.
 *
 * An order that comes later than `lateMillis`, or beside another one of its purchase, is the next
 * purchase's of its load. Orders that no call of this journal explains are `strangers`.
 *
 * A refusal is final only once no call without an answer may still be done.
 */
import { Clock, Effect } from "effect"
import { ActivationCode, Amount, Cost, Iccid, Telco } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import type * as Journal from "./Journal.ts"
import * as OrderBook from "./purchases/OrderBook.ts"
import * as PurchasedLoads from "./PurchasedLoads.ts"
import * as PurchaseRecords from "./purchases/PurchaseRecords.ts"
import type { Listed, Placed, Seller } from "./purchases/Seller.ts"
import * as SimLocks from "./SimLocks.ts"

export type { Anonymous, Keyed, Listed, Order, Placed, Referenced, Seller } from "./purchases/Seller.ts"

/** What purchases go by. */
export interface Options {
  /** Names the supplier in the journal, which several telcos may share. */
  readonly telco: string
  /** Has what is known of each purchase. */
  readonly journal: Journal.Journal["Service"]
  /** Those of the same telco and journal. Absent: of its own. */
  readonly locks?: SimLocks.Locks
  /** How long an order without an answer may still come, and be missing in lists: 5 minutes. */
  readonly lateMillis?: number
  /** How far the clocks of the supplier and of this machine may be apart: 2 minutes. */
  readonly skewMillis?: number
}

/** The purchases of a supplier. */
export interface Purchases extends PurchasedLoads.PurchasedLoads {
  /** `buySim` of the port. */
  readonly buy: (purchase: Telco.SimPurchase) => Effect.Effect<Telco.BoughtSim, CallFailure.TelcoFailure>
  /**
   * What an order is here: one of a purchase, or one that is kept for the next purchase of its
   * load. Null: no purchase has it.
   */
  readonly ofOrder: (of: {
    readonly reference: string
    readonly load: string | null
  }) => Effect.Effect<PurchaseRecords.KnownOrder | null, Telco.Unavailable>
  /**
   * The orders of a load since a time that no purchase of this journal explains, such as those from
   * the supplier's own pages; empty unless the strategy is `Anonymous`.
   */
  readonly strangers: (of: {
    readonly load: string
    readonly since: number
  }) => Effect.Effect<ReadonlyArray<Listed>, CallFailure.TelcoFailure>
}

/** In milliseconds. */
const LATE = 300_000
const SKEW = 120_000

/** In seconds: how soon an order is asked for again that is being allocated. */
const ALLOCATING = 3

/** What a sum of 199 bits is kept below, and what each character multiplies it by. */
const BELOW = 2n ** 199n - 49n
const BASE = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f8c7n

/**
 * The key of a purchase: its id if a supplier can keep it as it is, else 50 digits that follow from
 * it.
 */
export const keyOf = (purchaseId: string): string => {
  if (/^[A-Za-z\d-]{1,50}$/.test(purchaseId)) return purchaseId
  let sum = BigInt(purchaseId.length)
  for (let at = 0; at < purchaseId.length; at++) sum = (sum * BASE + BigInt(purchaseId.charCodeAt(at)) + 1n) % BELOW
  return sum.toString(16).padStart(50, "0")
}

const unavailable = CallFailure.unavailable

/** What is known of a purchase, and of the loads that were bought. */
export const make = (
  seller: Seller,
  { journal, lateMillis = LATE, skewMillis = SKEW, telco, ...options }: Options
): Purchases => {
  const locks = options.locks ?? SimLocks.make(journal, { telco })
  const records = PurchaseRecords.make(journal, telco)

  /** The outcome of a purchase, if it has one; null: it has none yet. */
  const settled = (known: PurchaseRecords.Purchase | null) => {
    if (known?.refusal != null) {
      const { message, reason } = known.refusal
      return Effect.fail(new Telco.Refused(reason === null ? { message } : { message, reason }))
    }
    return known?.sim == null ? null : Effect.succeed<Telco.BoughtSim>(known.sim)
  }

  const stateOf = (record: PurchaseRecords.Record, purchase: Telco.SimPurchase) =>
    record.get() ?? PurchaseRecords.unasked(purchase, keyOf(purchase.purchaseId))

  /** SIMs that came with the answer of their order, until they are written down. */
  const answered = new Map<string, Telco.BoughtSim>()

  /** The SIM of an order, if it has one; null while it is being allocated. */
  const simOf = (reference: string, purchase: Telco.SimPurchase) =>
    Effect.suspend(() => {
      const sim = answered.get(reference)
      answered.delete(reference)
      return sim === undefined ? seller.read({ reference, purchase }) : Effect.succeed(sim)
    })

  /** Fails until a time. */
  const wait = (message: string, until: number, now: number) =>
    Effect.fail(unavailable(message, Math.max(1, Math.ceil((until - now) / 1_000))))

  /** Fails while a call that was made then may still be done. */
  const pause = Effect.fnUntraced(function* (since: number) {
    const now = yield* Clock.currentTimeMillis
    if (now < since + lateMillis) {
      yield* wait("The supplier has not answered an order, and may still have it", since + lateMillis, now)
    }
  })

  /** Makes an order the purchase's own. */
  const take = Effect.fnUntraced(function* (
    purchase: Telco.SimPurchase,
    placed: Placed,
    answeredAt: number | null
  ): Effect.fn.Return<OrderBook.Taking, Telco.Unavailable> {
    const { purchaseId } = purchase
    const record = yield* records.open(purchaseId)
    const state = stateOf(record, purchase)
    const { cost = null, reference, sim = null } = placed
    if (sim !== null) answered.set(reference, sim)
    if (state.reference !== null) return state.reference === reference ? "Had" : "Other"
    if (state.refusal !== null) return "Other"
    yield* record.put({ ...state, reference, answeredAt, cost: cost ?? state.cost, unansweredAt: null })
    if (yield* records.own(reference, purchaseId)) return "Taken"
    yield* record.put({ ...state, reference: null, answeredAt: null })
    return "Other"
  })

  const books = OrderBook.make({ telco, records, skewMillis, take, pause })

  /** What the order is to cost. Refused if that is beyond the limit. */
  const quoted = Effect.fnUntraced(function* (purchase: Telco.SimPurchase) {
    const price = seller.quote === undefined ? null : yield* CallFailure.asPort(seller.quote(purchase))
    const { limit, load } = purchase
    if (price === null || limit === null) return price
    const order = Amount.compare(price, limit)
    if (order._tag === "Success" && order.success <= 0) return price
    return yield* new Telco.Refused({
      message: `${load} costs ${Amount.text(price)}, and the limit is ${Amount.text(limit)}`,
      reason: "price"
    })
  })

  const refuse = Effect.fnUntraced(function* (
    purchase: Telco.SimPurchase,
    record: PurchaseRecords.Record,
    { message, reason = null }: { readonly message: string; readonly reason?: CallFailure.Refusal | null | undefined }
  ) {
    yield* record.put({ ...stateOf(record, purchase), unansweredAt: null, refusal: { message, reason } })
    return yield* new Telco.Refused(reason === null ? { message } : { message, reason })
  })

  /**
   * Asks for the order. Its outcome is written down whoever gives up. After it the purchase has an
   * order, or the call has failed.
   */
  const place = Effect.fnUntraced(function* (
    purchase: Telco.SimPurchase,
    record: PurchaseRecords.Record,
    held: SimLocks.Held,
    mark: OrderBook.Mark
  ) {
    const state = () => stateOf(record, purchase)
    for (let isRepeated = false; ; isRepeated = true) {
      // While an order may come that was asked for at a price, the key stands for that price.
      if (mark.before === null || isRepeated) {
        const price = yield* Effect.catchTag(quoted(purchase), "Telco.Refused", (refusal) =>
          refuse(purchase, record, refusal)
        )
        yield* record.put({ ...state(), price })
      }
      const at = yield* Clock.currentTimeMillis
      yield* mark.begin(at)
      yield* held.keep
      const { key, price } = state()
      const failure = yield* Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const givenUp = Effect.flatMap(Clock.currentTimeMillis, (now) => mark.giveUp(at, now))
          const answer = yield* restore(seller.order({ key, purchase, price })).pipe(
            // Failure: it counts from when it was begun.
            Effect.onInterrupt(() => Effect.ignore(givenUp)),
            Effect.result
          )
          if (answer._tag === "Success") {
            const taking = yield* taken(purchase, answer.success, at)
            if (taking === "Other") yield* books.spare(state().load, answer.success)
            return null
          }
          if (answer.failure.outcome === "Unknown") yield* givenUp
          else yield* mark.undo(at)
          return answer.failure
        })
      )
      if (failure === null) return
      const refusal = CallFailure.toPort(failure)
      if (refusal._tag === "Telco.Unavailable") return yield* refusal
      if (mark.before !== null) {
        if (yield* find(purchase, record)) return
        yield* pause(mark.before)
      }
      if (refusal.reason !== "price" || isRepeated) return yield* refuse(purchase, record, refusal)
    }
  })

  /** Makes an answered order the purchase's own, whoever else has written it meanwhile. */
  const taken = (purchase: Telco.SimPurchase, placed: Placed, at: number) =>
    Effect.catchTag(take(purchase, placed, at), "Telco.Unavailable", () => take(purchase, placed, at))

  /** The mark of a purchase whose orders have a key. */
  const ownMark = (purchase: Telco.SimPurchase, record: PurchaseRecords.Record): OrderBook.Mark => {
    const before = stateOf(record, purchase).unansweredAt
    const write = (unansweredAt: number | null) =>
      Effect.suspend(() => {
        const state = stateOf(record, purchase)
        return record.put({ ...state, unansweredAt, askedAt: state.askedAt ?? unansweredAt })
      })
    return { before, begin: write, giveUp: (_, now) => write(now), undo: () => write(before) }
  }

  /** Takes the order that has the purchase's key, if there is one. */
  const find = Effect.fnUntraced(function* (purchase: Telco.SimPurchase, record: PurchaseRecords.Record) {
    const { askedAt, key } = stateOf(record, purchase)
    if (seller.strategy === "Anonymous" || seller.search === undefined || askedAt === null) return false
    let isFound = false
    for (const found of yield* Effect.mapError(seller.search(key, askedAt - skewMillis), CallFailure.later)) {
      if (found.text !== key) continue
      if (!isFound) isFound = (yield* take(purchase, found, null)) !== "Other"
      // It came later than it was waited for.
      else yield* books.spare(purchase.load, found)
    }
    return isFound
  })

  /** Gives the purchase an order. */
  const obtain = Effect.fnUntraced(function* (
    purchase: Telco.SimPurchase,
    record: PurchaseRecords.Record,
    held: SimLocks.Held
  ) {
    if (record.get() === null) yield* record.put(stateOf(record, purchase))
    if (seller.strategy === "Anonymous") {
      return yield* locks.withLock(`load ${purchase.load}`, (alone) =>
        Effect.gen(function* () {
          const book = yield* records.book(purchase.load)
          if (yield* books.takeSpare(purchase, book)) return
          if (yield* books.adopt(purchase, book, seller)) return
          yield* place(purchase, record, alone, books.markOf(purchase.purchaseId, book))
          // Failure: the next order leaves it out.
          yield* Effect.ignore(books.clear(book))
        })
      )
    }
    const mark = ownMark(purchase, record)
    if (mark.before !== null) {
      const isReferenced = seller.strategy === "Referenced"
      const isOld = mark.before + lateMillis <= (yield* Clock.currentTimeMillis)
      // A supplier may know a key for some time only.
      if ((isReferenced || isOld) && (yield* find(purchase, record))) return
      if (isReferenced) {
        yield* pause(mark.before)
        return yield* record.put({ ...stateOf(record, purchase), unansweredAt: null })
      }
    }
    if (mark.before === null && (yield* books.takeSpare(purchase, yield* records.book(purchase.load)))) return
    yield* place(purchase, record, held, mark)
  })

  /** The SIM of the order. */
  const finish = Effect.fnUntraced(function* (
    purchase: Telco.SimPurchase,
    record: PurchaseRecords.Record,
    reference: string
  ) {
    const answer = yield* Effect.result(simOf(reference, purchase))
    if (answer._tag === "Failure") {
      const { outcome } = answer.failure
      return yield* outcome === "Refused"
        ? refuse(purchase, record, answer.failure)
        : Effect.fail(CallFailure.later(answer.failure))
    }
    const found = answer.success
    if (found === null) return yield* unavailable(`The supplier is allocating the eSIM of ${reference}`, ALLOCATING)
    const iccid = Iccid.parse(found.iccid)
    if (iccid === undefined || ActivationCode.parse(found.lpa) === undefined) {
      const what = iccid === undefined ? "ICCID" : "activation code"
      return yield* unavailable(`The supplier has ${reference} with an ${what} that is none`)
    }
    return yield* locks.withLock(iccid, () =>
      Effect.gen(function* () {
        const turn = 1 + Math.max(0, ...(yield* records.ofSim(iccid)).map((one) => one.purchase.turn))
        const state = stateOf(record, purchase)
        const cost = found.cost ?? state.cost ?? state.price
        const sim = { ...found, iccid, lpa: ActivationCode.canonical(found.lpa), cost }
        yield* record.put({ ...state, sim, turn })
        return sim satisfies Telco.BoughtSim
      })
    )
  })

  const buy = Effect.fn("Purchases.buy")(function* (asked: Telco.SimPurchase) {
    const { purchaseId } = asked
    // What is known needs no turn.
    const known = settled((yield* records.open(purchaseId)).get())
    if (known !== null) return yield* known
    return yield* locks.withLock(`purchase ${purchaseId}`, (held) =>
      Effect.gen(function* () {
        for (;;) {
          const record = yield* records.open(purchaseId)
          const outcome = settled(record.get())
          if (outcome !== null) return yield* outcome
          const { load = asked.load, reference = null } = record.get() ?? {}
          // What was asked for first holds.
          const purchase = { ...asked, load }
          if (reference === null) yield* obtain(purchase, record, held)
          // It has died before it could claim it.
          else if (!(yield* records.own(reference, purchaseId))) {
            yield* record.put({ ...stateOf(record, purchase), reference: null, answeredAt: null })
          } else return yield* finish(purchase, record, reference)
        }
      })
    )
  })

  const strangers = Effect.fn("Purchases.strangers")((of: { readonly load: string; readonly since: number }) =>
    seller.strategy === "Anonymous" ? books.strangers(seller, of) : Effect.succeed([])
  )

  const ofOrder: Purchases["ofOrder"] = Effect.fnUntraced(function* ({ load, reference }) {
    const owner = yield* records.ownerOf(reference)
    if (owner === null) {
      const spares = load === null ? [] : ((yield* records.book(load)).get()?.spares ?? [])
      return spares.some((one) => one.reference === reference) ? { iccid: null, costId: null } : null
    }
    const { organizationId, sim = null } = (yield* records.open(owner)).get() ?? {}
    return {
      ...(sim === null ? { iccid: null, costId: null } : { iccid: sim.iccid, costId: Cost.purchaseId(owner) }),
      ...(organizationId !== undefined && { organizationId })
    }
  })

  return { buy, ofOrder, strangers, ...PurchasedLoads.make(records, locks) }
}
