/** An account at eSIM Access whose books are compared with the ledger of a service. */
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { AccountApi, EsimAccess, HttpApi } from "../../adapters/telco-esim-access/index.ts"
import * as ShopBooks from "../telco-calls/selling/ShopBooks.ts"
import * as FakeEsimAccess from "./FakeEsimAccess.ts"
import * as Simulation from "./Simulation.ts"

const CODE = "11111111222222223333333344444444"

/** For how many days an eSIM keeps unless it is used. */
const KEPT = 30

export const account = ({ fallible, now, oneIn, random }: ShopBooks.World): ShopBooks.Account => {
  const fake = FakeEsimAccess.account(CODE, now)
  fake.state.balance = 1_000_000_000
  fake.catalogue.splice(0, 3, ...fake.catalogue.map((one) => ({ ...one, unusedValidTime: KEPT })))
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const path = url.pathname.replace(/^.*\/open/, "")
      fake.state.allocatesIn = random(2)
      const text = fake.answer(path, request.headers["rt-accesscode"], Simulation.fieldsOf(request))
      return Simulation.reply(request, 200, text)
    })
  )
  const options = { accessCode: Redacted.make(CODE), callsPerSecond: Number.POSITIVE_INFINITY, failures: 1_000_000 }
  const api = HttpApi.layerWithoutClient(options).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
  const changed = Layer.effect(
    AccountApi.AccountApi,
    Effect.map(AccountApi.AccountApi, (calls) => ({
      ...calls,
      order: (of) => fallible("an eSIM is bought", calls.order(of)),
      cancel: (esimTranNo) => fallible("an eSIM is credited", calls.cancel(esimTranNo))
    }))
  ).pipe(Layer.provide(api))
  return {
    balance: () => BigInt(fake.state.balance) * 100n,
    connect: ShopBooks.connected(
      EsimAccess.layer({ telco: "esim-access", lateMillis: 0 }).pipe(Layer.provide(Layer.fresh(changed)))
    ),
    loads: ["AU_1_7", "CKH491", "JP_0.5_Daily:3"],
    changePrice: () => {
      const one = fake.catalogue[random(fake.catalogue.length)]
      if (one !== undefined) one.price += random(500) - 200
      // Another one rises between its list and its order.
      if (oneIn(2)) fake.state.risesBy = 100
    },
    use: (iccid) => {
      const own = fake.profiles.findLast((one) => one.iccid === iccid)
      if (own === undefined) return
      const activateTime = `${new Date(now()).toISOString().slice(0, 19)}+0000`
      Object.assign(own, { esimStatus: "IN_USE", smdpStatus: "INSTALLATION", orderUsage: 1_048_576, activateTime })
    }
  }
}
