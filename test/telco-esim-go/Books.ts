/** An account at eSIM Go whose books are compared with the ledger of a service. */
import { Layer } from "effect"
import { AccountApi, EsimGo } from "../../adapters/telco-esim-go/index.ts"
import * as ShopBooks from "../telco-calls/selling/ShopBooks.ts"
import * as Simulation from "./Simulation.ts"
import * as Supplier from "./Supplier.ts"

const expectOne = (): never => {
  throw new Error("nothing to pick from")
}

export const account = ({ count, fallible, now, oneIn, random }: ShopBooks.World): ShopBooks.Account => {
  const [refunds, returnsEsims] = [!oneIn(3), oneIn(2)]
  // What was before a purchase is told apart from what came after it.
  let last = 0
  const ticking = () => {
    last = Math.max(last + 1_000, now())
    return last
  }
  const supplier = new Supplier.Supplier({ now: ticking, hasRefunds: refunds, returnsEsims })
  const calm = Simulation.apiOf({
    ...{ count, supplier, ours: new Set<string>() },
    ...{ isCalm: () => true, oneIn: () => false, random: () => 0, pick: ([first]) => first ?? expectOne() }
  })
  const api = {
    ...calm,
    order: (of: Parameters<typeof calm.order>[0]) =>
      fallible(of.iccid === null ? "an eSIM is bought" : "a top-up is bought", calm.order(of)),
    // Of an eSIM that has left the account by it nobody says whether it was credited.
    revoke: (of: Parameters<typeof calm.revoke>[0]) =>
      returnsEsims ? calm.revoke(of) : fallible("a bundle is taken off", calm.revoke(of))
  }
  return {
    balance: () => BigInt(supplier.balance) * 10_000n,
    connect: ShopBooks.connected(
      EsimGo.layer({ telco: "esim-go", refunds, lateMillis: 0, skewMillis: 60_000 }).pipe(
        Layer.provide(Layer.succeed(AccountApi.AccountApi, api))
      )
    ),
    loads: [Supplier.week.name, Supplier.month.name],
    changePrice: () => {
      const bundles = [...supplier.bundles.values()]
      const bundle = bundles[random(bundles.length)]
      if (bundle !== undefined) {
        supplier.bundles.set(bundle.name, { ...bundle, cents: bundle.cents + random(50) - 20 })
      }
    },
    use: (iccid) => {
      // With its last bundle it may have left the account.
      if (!supplier.esims.has(iccid)) return
      const isLeft = supplier.assignments(iccid).some((one) => Supplier.stateOf(one, now()) === "queued")
      if (isLeft) supplier.use(iccid, 1)
    }
  }
}
