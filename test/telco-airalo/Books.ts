/** An account at Airalo whose books are compared with the ledger of a service. */
import { Effect, Layer } from "effect"
import * as Airalo from "../../adapters/telco-airalo/Airalo.ts"
import * as Envelope from "../../adapters/telco-airalo/Envelope.ts"
import * as PartnerApi from "../../adapters/telco-airalo/PartnerApi.ts"
import * as PartnerCalls from "../../adapters/telco-airalo/PartnerCalls.ts"
import * as ShopBooks from "../telco-calls/selling/ShopBooks.ts"
import * as FakeBooks from "./FakeBooks.ts"
import { LOAD } from "./Shop.ts"

const same = (text: string): string => text

const sold = { order: "an eSIM is bought", topUp: "a top-up is bought" }

export const account = ({ count, fallible, now, oneIn, random }: ShopBooks.World): ShopBooks.Account => {
  const { answer, books } = FakeBooks.make({
    ...{ now, orderedAt: now, usedAt: now, listsNetPrice: true, installWindowDays: 30 },
    balance: 1_000_000_000,
    agrees: () => {
      const isAgreed = oneIn(4)
      if (isAgreed) count("people agree to a refund")
      return isAgreed
    }
  })
  const ask: PartnerCalls.Ask = (request) => {
    const { form = {}, json, method, name, path, query = {} } = request
    const fields = typeof json === "object" && json !== null ? { ...json } : form
    const call = Effect.suspend(() => {
      const reply = answer({ method, path: `/${path}`, query: new URLSearchParams(query), headers: {}, fields })
      const received = { ...reply, retryAfterSeconds: undefined }
      return Envelope.isDone(received)
        ? Effect.succeed(received.body)
        : Effect.flip(Effect.succeed(Envelope.failureOf(request, received, same)))
    })
    return name === "order" || name === "topUp" ? fallible(sold[name], call) : call
  }
  return {
    balance: () => BigInt(books.balance) * 10_000n,
    connect: ShopBooks.connected(
      Airalo.layerWithoutApi({ lateMillis: 0 }).pipe(
        Layer.provide(Layer.succeed(PartnerApi.PartnerApi, PartnerCalls.make(ask)))
      )
    ),
    loads: [LOAD, "kallur-digital-30days-3gb"],
    changePrice: () => {
      const offer = books.offers[random(books.offers.length)]
      if (offer !== undefined) offer.netPrice = (Number(offer.netPrice) + (random(50) - 20) / 100).toFixed(2)
    },
    use: (iccid) => books.use(iccid, "sim", 1)
  }
}
