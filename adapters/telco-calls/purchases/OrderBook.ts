/**
 * The orders of one load that no purchase has: those that were not answered, at a supplier that
 * keeps nothing of ours with an order, and those that are to spare.
 *
 * An order that was not answered is in the book from before its call until it is found, and for a
 * day after it was given up. While it may still come, nobody orders the load.
 */
import { Clock, Effect } from "effect"
import type { Telco } from "simplan/ports"
import * as CallFailure from "../CallFailure.ts"
import type * as CallRecords from "../CallRecords.ts"
import type * as PurchaseRecords from "./PurchaseRecords.ts"
import type * as Seller from "./Seller.ts"

/** The book of a load as it was read or written last. */
export type Book = CallRecords.CallRecord<PurchaseRecords.Book>

/** Where it is written down that an order was asked for. */
export interface Mark {
  /** When an earlier order was asked for that may still be done; null: none may. */
  readonly before: number | null
  /** Before the call. */
  readonly begin: (at: number) => Effect.Effect<void, Telco.Unavailable>
  /** The call has no outcome, and was given up now. */
  readonly giveUp: (at: number, now: number) => Effect.Effect<void, Telco.Unavailable>
  /** The call has certainly done nothing. */
  readonly undo: (at: number) => Effect.Effect<void, Telco.Unavailable>
}

/**
 * How a purchase has an order: from now on, from before, or not at all, since another purchase has
 * the order, or this one has another order or was refused.
 */
export type Taking = "Taken" | "Had" | "Other"

/** What the books go by. */
export interface Options {
  readonly telco: string
  readonly records: PurchaseRecords.Records
  readonly skewMillis: number
  /** Makes an order the purchase's own. */
  readonly take: (
    purchase: Telco.SimPurchase,
    placed: Seller.Placed,
    answeredAt: null
  ) => Effect.Effect<Taking, Telco.Unavailable>
  /** Fails while a call that was given up then may still be done. */
  readonly pause: (since: number) => Effect.Effect<void, Telco.Unavailable>
}

/** How long an order that was given up is still looked for, in milliseconds. */
const SOUGHT = 86_400_000

const contentOf = ({ get }: Book): PurchaseRecords.Book => get() ?? { unanswered: [], spares: [] }

/** The books of a telco. */
export const make = ({ pause, records, skewMillis, take, telco }: Options) => {
  /** Keeps an order for the next purchase of the load, unless a purchase has it. */
  const spare = Effect.fnUntraced(function* (load: string, { cost = null, reference }: Seller.Placed) {
    if ((yield* records.ownerOf(reference)) !== null) return
    yield* Effect.logWarning("an order of a supplier is kept for the next purchase", { telco, load, reference })
    const book = yield* records.book(load)
    const { spares, unanswered } = contentOf(book)
    if (spares.some((one) => one.reference === reference)) return
    yield* book.put({ unanswered, spares: [...spares, { reference, cost }] })
  })

  /** Gives the purchase an order that is to spare: whether there is one. */
  const takeSpare = Effect.fnUntraced(function* (purchase: Telco.SimPurchase, book: Book) {
    for (const one of contentOf(book).spares) {
      const taking = yield* take(purchase, one, null)
      // It goes on to be kept if nobody has it: the purchase has another order by now.
      if (taking === "Other" && (yield* records.ownerOf(one.reference)) === null) return false
      const { spares, unanswered } = contentOf(book)
      yield* book.put({ unanswered, spares: spares.filter((other) => other !== one) })
      if (taking !== "Other") return true
    }
    return false
  })

  const markOf = (purchaseId: string, book: Book): Mark => {
    const write = (
      change: (all: ReadonlyArray<PurchaseRecords.Unanswered>) => ReadonlyArray<PurchaseRecords.Unanswered>
    ) => Effect.suspend(() => book.put({ ...contentOf(book), unanswered: change(contentOf(book).unanswered) }))
    const isOther = (at: number) => (one: PurchaseRecords.Unanswered) => one.purchaseId !== purchaseId || one.at !== at
    return {
      // Whoever asks has seen that none may still come.
      before: null,
      begin: (at) => write((all) => [...all, { purchaseId, at, until: at }]),
      giveUp: (at, now) => write((all) => all.map((one) => (isOther(at)(one) ? one : { ...one, until: now }))),
      undo: (at) => write((all) => all.filter(isOther(at)))
    }
  }

  /** The orders that were not answered, and are still looked for. */
  const unansweredIn = Effect.fnUntraced(function* (book: Book) {
    const now = yield* Clock.currentTimeMillis
    const left: Array<PurchaseRecords.Unanswered> = []
    for (const one of contentOf(book).unanswered) {
      const purchase = (yield* records.open(one.purchaseId)).get()
      if (purchase?.answeredAt !== one.at && now < one.until + SOUGHT) left.push(one)
    }
    return left
  })

  /** Leaves out of the book what is not looked for any more. */
  const clear = Effect.fnUntraced(function* (book: Book) {
    const left = yield* unansweredIn(book)
    if (left.length < contentOf(book).unanswered.length) yield* book.put({ ...contentOf(book), unanswered: left })
    return left
  })

  /** The orders of a load that no purchase has, or this one. */
  const listed = Effect.fnUntraced(function* (
    { list }: Seller.Anonymous,
    of: { readonly load: string; readonly since: number },
    purchaseId: string | null
  ) {
    const free: Array<Seller.Listed> = []
    const since = of.since - skewMillis
    for (const one of yield* Effect.mapError(list({ ...of, since }), CallFailure.later)) {
      if (one.load !== of.load) continue
      const owner = yield* records.ownerOf(one.reference)
      if (owner === null || owner === purchaseId) free.push(one)
    }
    return free
  })

  /**
   * Gives the purchase an order that is there although its call was not answered: whether there is
   * one. Fails while one may still come.
   */
  const adopt = Effect.fnUntraced(function* (purchase: Telco.SimPurchase, book: Book, from: Seller.Anonymous) {
    const unanswered = yield* clear(book)
    if (unanswered.length === 0) return false
    const { load, purchaseId } = purchase
    const since = Math.min(...unanswered.map(({ at }) => at))
    for (const found of yield* listed(from, { load, since }, purchaseId)) {
      if (found.quantity !== 1) continue
      const taking = yield* take(purchase, found, null)
      if (taking === "Other") continue
      // Its own call is what it is the outcome of, else the oldest one; none if it was had before,
      // and another process has answered for it.
      const own = unanswered.findIndex((one) => one.purchaseId === purchaseId)
      if (own === -1 && taking === "Had") return true
      const settled = Math.max(0, own)
      yield* book.put({ ...contentOf(book), unanswered: unanswered.filter((_, index) => index !== settled) })
      return true
    }
    yield* pause(Math.max(...unanswered.map(({ until }) => until)))
    return false
  })

  /** The orders of a load that no call of this journal explains. */
  const strangers = Effect.fnUntraced(function* (
    seller: Seller.Anonymous,
    of: { readonly load: string; readonly since: number }
  ) {
    const book = yield* records.book(of.load)
    const unanswered = yield* unansweredIn(book)
    const left = (yield* listed(seller, of, null)).filter(
      ({ reference }) => !contentOf(book).spares.some((one) => one.reference === reference)
    )
    const single = left.filter(({ quantity }) => quantity === 1)
    return [...left.filter(({ quantity }) => quantity !== 1), ...single.slice(unanswered.length)]
  })

  return { spare, takeSpare, markOf, clear, adopt, strangers }
}
