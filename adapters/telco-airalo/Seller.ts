/**
 * Airalo as a seller of eSIMs, as `Purchases` asks for one: an order has our key as its
 * description, and orders are found by it ("Get order list").
 */
import { Effect } from "effect"
import { SimIdentities, type Telco, Time } from "simplan/ports"
import { CallFailure, type Purchases } from "../telco-calls/index.ts"
import type * as Catalogue from "./Catalogue.ts"
import type * as PartnerApi from "./PartnerApi.ts"

/** A refusal of our own, before anything is asked. */
export const refusal = (message: string, reason?: CallFailure.Refusal): CallFailure.CallFailure =>
  new CallFailure.CallFailure({ outcome: "Refused", message, ...(reason !== undefined && { reason }) })

/** What the order says of its first eSIM; null: it has none yet. */
const simOf = (order: PartnerApi.Order, windowDays: number | null): Telco.BoughtSim | null => {
  const [sim] = order.sims
  if (sim === undefined) return null
  const { createdAt } = order
  return {
    ...SimIdentities.of({ imsi: sim.imsi, msisdn: sim.msisdn, subscriberId: sim.id }),
    iccid: sim.iccid,
    lpa: sim.lpa,
    // "Get packages", `install_window_days`: it is recycled if it was not installed by then.
    sellBy: windowDays === null || createdAt === null ? null : Time.addDays(createdAt, windowDays),
    cost: order.cost
  }
}

/** Over the calls and the catalogue. */
export const make = (api: PartnerApi.PartnerApi["Service"], catalogue: Catalogue.Catalogue): Purchases.Referenced => ({
  strategy: "Referenced",
  quote: ({ load }) =>
    Effect.flatMap(catalogue.find(load), (offer) => {
      if (offer === null) return Effect.fail(refusal(`Airalo does not sell the package ${load} now`, "sold_out"))
      return offer.kind === "sim"
        ? Effect.succeed(offer.price)
        : Effect.fail(refusal(`${load} is a top-up of Airalo, and comes with no eSIM`))
    }),
  order: ({ key, purchase }) =>
    Effect.gen(function* () {
      const { cost, id } = yield* api.order({ packageId: purchase.load, reference: key })
      if (cost !== null) yield* catalogue.charged(purchase.load, cost)
      return { reference: id, cost }
    }),
  search: (key) =>
    Effect.map(api.ordersOf(key), (orders) =>
      orders.flatMap(({ cost, id, kind, reference }) =>
        kind === "sim" && reference !== null ? [{ reference: id, cost, text: reference }] : []
      )
    ),
  read: Effect.fnUntraced(function* ({ purchase, reference }) {
    const order = yield* api.orderOf(reference)
    // "Get order list": completed, failed or refunded.
    if (order.status === "failed" || order.status === "refunded") {
      return yield* refusal(`Airalo has the order ${order.code}, and says that it is ${order.status}`)
    }
    const offer = catalogue.known(purchase.load) ?? (yield* catalogue.find(purchase.load))
    return simOf(order, offer?.operator.installWindowDays ?? null)
  })
})
