/**
 * Buys an eSIM of a supplier of the settings file and returns it, to show that an account works.
 * What is bought is in no stock: what does not go back is the operator's, who is told of it.
 */
import { randomUUID } from "node:crypto"
import { Effect, Result } from "effect"
import { Amount, type Telco, type TelcoBundles } from "simplan/ports"
import type { Connected } from "../../telco-routes/index.ts"
import { impossible, type CommandFailed } from "../output/CommandFailed.ts"

/** What is to be bought, and who is asked whether it may be. */
export interface Spend {
  /** The telco's name in the file. */
  readonly telco: string
  /** The code of the bundle that the eSIM comes with; null: the cheapest one. */
  readonly bundle: string | null
  /** Whether the money may be spent, as a sentence says how much. */
  readonly agree: (sentence: string) => Effect.Effect<boolean, CommandFailed>
}

/** How long a supplier may allocate an eSIM, or be out of reach, in seconds. */
const LONGEST = 120

/** After how many seconds it is asked again, if it does not say. */
const AGAIN = 2

/** Repeats a call by its key until the supplier has answered for good. */
const untilAnswered = <A>(call: Telco.Call<A>, left = LONGEST): Telco.Call<A> =>
  Effect.catchTag(call, "Telco.Unavailable", (failure) => {
    const seconds = Math.max(1, failure.retryAfterSeconds ?? AGAIN)
    if (seconds > left) return Effect.fail(failure)
    return Effect.andThen(Effect.sleep(seconds * 1_000), untilAnswered(call, left - seconds))
  })

type Bundle = TelcoBundles.Bundle

const isCheaper = ({ price }: Bundle, { price: other }: Bundle): boolean =>
  price !== null && (other === null || Result.getOrElse(Amount.compare(price, other), () => 0) < 0)

/** The cheapest one, of those whose prices compare the first. */
const cheapest = (bundles: ReadonlyArray<Bundle>): Bundle | undefined =>
  bundles.reduce<Bundle | undefined>(
    (best, one) => (best === undefined || isCheaper(one, best) ? one : best),
    undefined
  )

const came = {
  credit: "the money came back to the balance",
  asked: "the money was asked for; people at the supplier decide",
  none: "the supplier took the eSIM, and no money comes back"
} as const satisfies Readonly<Record<Telco.Refund, string>>

const costOf = (cost: Amount.Amount | null): string =>
  cost === null ? "the supplier does not say what it cost" : `it cost ${Amount.text(cost)}`

/** What came of a purchase and of the return. */
export const run = Effect.fnUntraced(function* (
  { name, seller, telco }: Connected.Connected,
  { agree, bundle: code }: Spend
) {
  const { buySim, returnSim } = telco
  if (seller === undefined || buySim === undefined) return yield* impossible(`The telco ${name} sells no eSIMs.`)
  const all = yield* Effect.mapError(seller.bundles, ({ message }) =>
    impossible(`The catalogue of ${name}: ${message}`)
  )
  const sold = all.filter(({ kind }) => kind !== "topUp")
  const bundle = code === null ? cheapest(sold) : sold.find((one) => one.code === code)
  if (bundle === undefined) {
    return yield* impossible(
      code === null
        ? `The telco ${name} sells no eSIMs now.`
        : `The telco ${name} sells no eSIM with the bundle ${code}.`
    )
  }
  const { code: load, price } = bundle
  const costs = price === null ? "for a price that it does not say" : `for ${Amount.text(price)}`
  if (!(yield* agree(`This buys an eSIM with ${load} of ${name} ${costs}, and returns it.`))) {
    return yield* impossible("Nothing was bought.")
  }
  const purchaseId = randomUUID()
  const of = { purchaseId, organizationId: "simplan-telco-check", label: "Green", load, limit: price } as const
  const bought = yield* Effect.result(untilAnswered(buySim(of)))
  if (Result.isFailure(bought)) {
    const { _tag, message } = bought.failure
    const unknown = _tag === "Telco.Refused" ? "" : `; look there whether it has sold one by the order ${purchaseId}`
    return [{ what: "purchase", works: false, message: `of ${load}: ${message}${unknown}` }]
  }
  const { cost, iccid } = bought.success
  const purchase = { what: "purchase", works: true, message: `of ${load} gave the eSIM ${iccid}; ${costOf(cost)}` }
  if (returnSim === undefined) {
    return [purchase, { what: "return", works: true, message: `is not possible there: the eSIM ${iccid} is yours` }]
  }
  const returned = yield* Effect.result(untilAnswered(returnSim({ purchaseId, iccid })))
  if (Result.isSuccess(returned)) return [purchase, { what: "return", works: true, message: came[returned.success] }]
  const { message } = returned.failure
  return [purchase, { what: "return", works: false, message: `of the eSIM ${iccid}, which is yours: ${message}` }]
})
