/**
 * What eSIM Go has paid back to the balance for bundles that were taken off. The answer to that
 * says so. If it was lost, the history of the eSIM says it: an action for each bundle that was
 * refunded, with the bundle's name and nothing of its order. Those of one name are alike, so one
 * more than are known is the next one's that asks. Of an eSIM that has left the account nobody says
 * it any more.
 */
import { Effect } from "effect"
import type { Amount } from "simplan/ports"
import { CallFailure, type KeylessTelco, type PurchasedLoads } from "../telco-calls/index.ts"
import type * as AccountApi from "./AccountApi.ts"
import * as Assignments from "./Assignments.ts"
import * as Seller from "./Seller.ts"

/** Whether an answer or an action says that money went to the balance. */
const isCredit = (text: string): boolean => /refunded to (?:\w+ )*balance/i.test(text)

/** What is known, and how the account is. */
export interface Known {
  /** Whether the account manager has enabled refunds. */
  readonly isRefunded: boolean
  readonly boughtOf: Seller.Known["boughtOf"]
  /** For how many top-ups of a load on an eSIM something came back. */
  readonly creditedOn: ReturnType<typeof KeylessTelco.creditedOn>
}

/** Of how many orders a process keeps that their answers have said so. */
const KEPT = 1_000

/** What came back, over the calls. */
export const make = (
  api: Pick<AccountApi.AccountApi["Service"], "history" | "orderOf">,
  { boughtOf, creditedOn, isRefunded }: Known
) => {
  /** The orders for which an answer has said so. */
  const said = new Set<string>()

  /** How often something came back for a load since the eSIM was bought. */
  const timesOf = Effect.fnUntraced(function* ({ sim }: PurchasedLoads.Bought, load: string) {
    // Null: it has left the account.
    const actions = (yield* Assignments.unlessGone(Seller.actionsOn(api, sim))) ?? []
    return actions.filter(({ action, bundle }) => isCredit(action) && bundle === load).length
  })

  const isOfLoad = Effect.fnUntraced(function* (bought: PurchasedLoads.Bought) {
    if (!isRefunded) return false
    const { load, reference, sim } = bought
    if (said.has(reference)) return true
    return (yield* timesOf(bought, load)) > (yield* Seller.fromJournal(creditedOn(sim.iccid, load)))
  })

  const ofTopUp: NonNullable<KeylessTelco.System["creditOf"]> = Effect.fnUntraced(function* (of) {
    const { iccid, load, others, telcoPackageId } = of
    const bought = isRefunded ? yield* Seller.fromJournal(boughtOf(iccid)) : null
    if (bought === null) return null
    const { total } = yield* api.orderOf(telcoPackageId)
    if (said.has(telcoPackageId)) return total
    const ofLoad = Number(bought.load === load && bought.credit !== null)
    return (yield* timesOf(bought, load)) > others + ofLoad ? total : null
  })

  return {
    /** Remembers what was answered when an order was taken off. */
    note: (reference: string, answers: ReadonlyArray<string>): void => {
      if (!answers.some(isCredit)) return
      if (said.size >= KEPT) said.clear()
      said.add(reference)
    },
    /** Whether something came back for the load of an eSIM. */
    isOfLoad,
    /** The same as an amount; null too if nobody knows what it has cost. */
    ofLoad: (bought: PurchasedLoads.Bought): Effect.Effect<Amount.Amount | null, CallFailure.TelcoFailure> =>
      Effect.mapError(
        Effect.map(isOfLoad(bought), (isCredited) => (isCredited ? bought.sim.cost : null)),
        CallFailure.later
      ),
    /** What came back for a top-up; null: nothing. */
    ofTopUp
  }
}
