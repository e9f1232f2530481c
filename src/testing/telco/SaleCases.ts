/** The cases of the telco suite about SIMs that a telco sells with a load (rule I15). */
import { Effect } from "effect"
import { type SimPurchase, Telco } from "../../ports/Telco.ts"
import * as Suite from "../Suite.ts"
import { freshKey, freshPackageId, repeated, type Subject } from "./Subject.ts"

/** What the telco sells; a telco without the operation sells nothing. */
const sale = (load: string, label: SimPurchase["label"]) =>
  Effect.gen(function* () {
    const { buySim } = yield* Telco
    const buy = (purchaseId: string) =>
      repeated(
        "buying",
        buySim === undefined
          ? Effect.die("The telco sells no SIM")
          : buySim({ purchaseId, organizationId: "conformance", label, load, limit: null })
      )
    return { buy }
  })

/** The cases; `load` is a bundle that the telco sells. */
export const cases = <R>({ order }: Subject<R>, load: string): ReadonlyArray<Suite.Case<Telco | R>> => [
  {
    name: "a SIM is bought once for a purchase, with an activation code, and another one for another purchase",
    effect: Effect.gen(function* () {
      const { buy } = yield* sale(load, order("").terms.label)
      const purchaseId = yield* freshKey
      const sims = yield* Effect.all([buy(purchaseId), buy(purchaseId), buy(purchaseId)], { concurrency: "unbounded" })
      const [first] = sims
      yield* Suite.equals("different SIMs of one purchase", new Set(sims.map(({ iccid }) => iccid)).size, 1)
      yield* Suite.equals("the SIM later", yield* buy(purchaseId), first)
      const other = yield* buy(yield* freshKey)
      yield* Suite.equals("whether another purchase has the same SIM", other.iccid === first?.iccid, false)
      yield* Suite.holds(`${other.lpa} is an activation code`, other.lpa.startsWith("LPA:1$"))
    })
  },
  {
    name: "a load that was given back by a package that was not used is another package's",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const { buy } = yield* sale(load, order("").terms.label)
      const { iccid } = yield* buy(yield* freshKey)
      const [first, second] = [yield* freshPackageId, yield* freshPackageId]
      const made = yield* telco.createPackage({ ...order(first), iccid })
      yield* telco.cancelPackage({ packageId: first, iccid })
      const again = yield* telco.createPackage({ ...order(second), iccid })
      yield* Suite.equals("the telco's package", again.telcoPackageId, made.telcoPackageId)
    })
  }
]
