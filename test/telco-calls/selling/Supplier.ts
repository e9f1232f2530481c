/**
 * A supplier of eSIMs in memory, as a seller of each strategy, which loses, delays, cuts and
 * refuses calls. Its lists lag, its prices move, and it sells ICCIDs again that were given back.
 */
import { Effect } from "effect"
import type { Amount } from "simplan/ports"
import { CallFailure, type Purchases } from "../../../adapters/telco-calls/index.ts"

/** An eSIM that was sold. */
export interface Sale {
  readonly reference: string
  readonly load: string
  /** What the order said of itself; empty: nothing. */
  readonly text: string
  readonly iccid: string
  readonly price: number
  readonly at: number
  /** Since when lists have it. */
  readonly listedAt: number
  /** Since when it can be read. */
  readonly allocatedAt: number
  readonly isOurs: boolean
  isReturned: boolean
}

/** What befalls an order. */
export type Fault =
  | { readonly kind: "request lost" | "answer lost" | "half body" | "too many" }
  | { readonly kind: "late"; readonly after: number }

/** How the supplier behaves. Times are in milliseconds. */
export interface Behaviour {
  readonly now: () => number
  readonly orderFault: () => Fault | null
  /** Whether a call that changes nothing gets no answer. */
  readonly readFault: () => boolean
  readonly latency: () => number
  readonly lag: () => number
  readonly allocation: () => number
  readonly price: (load: string) => number
  readonly refusal: (load: string) => CallFailure.Refusal | null
  /** Whether what is refused is found out before the key of an order is looked at. */
  readonly refusesFirst: boolean
  /** How far its clock is ahead. */
  readonly skew: number
}

const failure = (outcome: CallFailure.Outcome, message: string, more: Partial<CallFailure.CallFailure> = {}) =>
  new CallFailure.CallFailure({ outcome, message, ...more })

const dollars = (units: number): Amount.Amount => ({ units, scale: 2, currency: "USD" })

const lost = (what: string) => Effect.fail(failure("Unknown", `${what} was lost`))

/** The sellers over one supplier. */
export const make = (behaviour: Behaviour) => {
  const { now, skew } = behaviour
  const sales: Array<Sale> = []
  const struck = new Map<string, number>()
  const count = (what: string) => void struck.set(what, (struck.get(what) ?? 0) + 1)
  const free: Array<string> = []
  let calls = 0

  const sell = (load: string, text: string, isOurs: boolean): Sale => {
    const again = free.shift()
    if (again !== undefined) count("ICCID sold again")
    const sale: Sale = {
      reference: `order-${sales.length}`,
      load,
      text,
      iccid: again ?? `89445000000000${String(sales.length).padStart(5, "0")}`,
      price: behaviour.price(load),
      at: now(),
      listedAt: now() + behaviour.lag(),
      allocatedAt: now() + behaviour.allocation(),
      isOurs,
      isReturned: false
    }
    sales.push(sale)
    return sale
  }

  /** A call that changes nothing. */
  const reading = <A>(answer: () => A) =>
    Effect.gen(function* () {
      calls++
      yield* Effect.sleep(behaviour.latency())
      if (behaviour.readFault()) {
        count("reading lost")
        return yield* lost("a reading")
      }
      const found = answer()
      yield* Effect.sleep(behaviour.latency())
      return found
    })

  const simOf = (sale: Sale) => ({
    iccid: sale.iccid,
    lpa: `LPA:1$smdp.example$${sale.reference}`,
    sellBy: null,
    cost: null,
    imsi: null,
    msisdn: null,
    subscriberId: sale.reference
  })

  /**
   * An order; `isKeyed`: its text is a key, so that the same one is the same order, and its price
   * has to be the current one.
   */
  const order = ({ key, price, purchase }: Purchases.Order, isKeyed: boolean, text: string) =>
    Effect.gen(function* () {
      calls++
      const { load } = purchase
      const effect = Effect.suspend(() => {
        const same = isKeyed ? sales.find((sale) => sale.text === key) : undefined
        if (same !== undefined && !behaviour.refusesFirst) return Effect.succeed(same)
        const reason = behaviour.refusal(load)
        if (reason !== null) {
          count(reason)
          return Effect.fail(failure("Refused", `refused: ${reason}`, { reason }))
        }
        if (isKeyed && price !== null && price.units !== behaviour.price(load)) {
          count("price moved")
          return Effect.fail(failure("Refused", "another price", { reason: "price" }))
        }
        if (same !== undefined) return Effect.succeed(same)
        return Effect.succeed(sell(load, text, true))
      })
      const fault = behaviour.orderFault()
      if (fault !== null) count(fault.kind)
      if (fault?.kind === "late") {
        yield* Effect.forkDetach(Effect.ignore(Effect.andThen(Effect.sleep(fault.after), effect)))
        yield* Effect.sleep(behaviour.latency())
        return yield* lost("an order")
      }
      yield* Effect.sleep(behaviour.latency())
      if (fault?.kind === "too many") return yield* failure("NotDone", "too many calls", { retryAfterSeconds: 1 })
      if (fault?.kind === "request lost") return yield* lost("an order")
      const sale = yield* effect
      yield* Effect.sleep(behaviour.latency())
      if (fault !== null) return yield* lost(fault.kind)
      return sale
    })

  /** What an order says of itself, perhaps with its SIM. */
  const placedOf = (sale: Sale) => ({
    reference: sale.reference,
    cost: dollars(sale.price),
    sim: sale.allocatedAt <= now() && sale.price % 2 === 0 ? simOf(sale) : null
  })

  const base = {
    quote: ({ load }: { readonly load: string }) => reading(() => dollars(behaviour.price(load))),
    read: ({ reference }: { readonly reference: string }) =>
      Effect.flatMap(
        reading(() => sales.find((sale) => sale.reference === reference)),
        (sale) => {
          if (sale === undefined) return Effect.fail(failure("NotFound", "no such order"))
          if (now() < sale.allocatedAt) count("allocating")
          return Effect.succeed(now() < sale.allocatedAt ? null : simOf(sale))
        }
      )
  }
  const visible = () => sales.filter((sale) => sale.listedAt <= now())

  const keyed: Purchases.Keyed = {
    ...base,
    strategy: "Keyed",
    order: (of) => Effect.map(order(of, true, of.key), ({ reference }) => ({ reference })),
    search: (_, since) =>
      reading(() =>
        visible()
          .filter(({ at }) => at + skew >= since)
          .map(({ reference, text }) => ({ reference, text }))
      )
  }
  const referenced: Purchases.Referenced = {
    ...base,
    strategy: "Referenced",
    order: (of) => Effect.map(order(of, false, of.key), placedOf),
    // A filter finds texts that the key is a part of.
    search: (key) =>
      reading(() =>
        visible()
          .filter(({ text }) => text.includes(key))
          .map(({ price, reference, text }) => ({ reference, text, cost: dollars(price) }))
      )
  }
  const anonymous: Purchases.Anonymous = {
    ...base,
    strategy: "Anonymous",
    order: (of) => Effect.map(order(of, false, ""), placedOf),
    list: ({ since }) =>
      reading(() =>
        visible()
          .filter(({ at }) => at + skew >= since)
          .map(({ load, price, reference }) => ({ reference, load, quantity: 1, cost: dollars(price) }))
      )
  }
  return {
    sales,
    struck,
    count,
    calls: () => calls,
    sellers: { Keyed: keyed, Referenced: referenced, Anonymous: anonymous },
    /** An order that somebody makes on the supplier's own pages. */
    sellElsewhere: (load: string, text: string) => void sell(load, text, false),
    /** Takes a SIM back. */
    takeBack: (reference: string) =>
      Effect.sync(() => {
        const sale = sales.find((one) => one.reference === reference)
        if (sale === undefined || sale.isReturned) return "credit" as const
        sale.isReturned = true
        free.push(sale.iccid)
        count("given back")
        return "credit" as const
      })
  }
}

/** A supplier and its sellers. */
export type Supplier = ReturnType<typeof make>
