/**
 * The seller of `examples/wholesale` in the random runs of sellers: its requests go to a
 * wholesaler in memory, in the time of the run, since `fetch` is played here.
 */
import { Context, Effect, Exit, Layer } from "effect"
import { Telco } from "simplan/ports"
import { type CallFailure, Journal, Purchases } from "../../../adapters/telco-calls/index.ts"
import * as Example from "../../../examples/wholesale/seller.ts"
import * as SellerSuite from "../SellerSuite.ts"

/** What a run may have planted: orders are not found by their notes. */
export interface Planted {
  readonly isUnsearched?: boolean
}

/** Where each process of a run sends its requests. */
const wholesalers = new Map<string, (request: Request) => Promise<Response>>()

let processes = 0

const real = globalThis.fetch

const played: typeof fetch = (input, init) => {
  const request = new Request(input, { ...init, signal: null })
  return wholesalers.get(new URL(request.url).host)?.(request) ?? real(input, init)
}

const STATUS: { readonly [Reason in CallFailure.Refusal]?: number } = { no_balance: 402, sold_out: 410 }

const statusOf = ({ outcome, reason }: CallFailure.CallFailure): number | null => {
  if (outcome === "Unknown") return null
  if (outcome === "NotFound") return 404
  return outcome === "NotDone" ? 429 : ((reason === undefined ? undefined : STATUS[reason]) ?? 422)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The wholesaler over a seller by references, which fails as it does. */
const wholesaler =
  (seller: Purchases.Referenced, { inItsTime, takeBack }: SellerSuite.Surroundings, { isUnsearched }: Planted) =>
  async (request: Request): Promise<Response> => {
    const { method } = request
    const { pathname, searchParams } = new URL(request.url)
    const [, , reference = ""] = pathname.split("/")
    const fields: Readonly<Record<string, unknown>> = { ...JSON.parse((await request.text()) || "{}") }
    const purchase = {
      purchaseId: textOf(fields["note"]),
      load: textOf(fields["offer"]),
      organizationId: "shop",
      label: "Green",
      limit: null
    } as const

    /** An order with its eSIM, as the wholesaler has it. */
    const ordered = Effect.fnUntraced(function* ({ reference, cost, text }: Purchases.Placed & { text: string }) {
      const sim = yield* seller.read({ reference, purchase })
      return { id: reference, note: text, cents: cost?.units ?? 0, iccid: sim?.iccid, code: sim?.lpa }
    })
    const answer = Effect.gen(function* () {
      if (method === "DELETE") return yield* Effect.as(takeBack(reference), {})
      if (method === "POST") {
        const placed = yield* seller.order({ key: purchase.purchaseId, purchase, price: null })
        return yield* ordered({ ...placed, text: purchase.purchaseId })
      }
      const found = isUnsearched === true ? [] : yield* seller.search(searchParams.get("note") ?? "", 0)
      if (reference === "") return yield* Effect.forEach(found, ordered)
      const own = found.find((one) => one.reference === reference)
      return own === undefined ? null : yield* ordered(own)
    })
    const exit = await inItsTime(Effect.result(answer))
    if (Exit.isFailure(exit)) throw new TypeError("fetch failed")
    if (exit.value._tag === "Success" && exit.value.success !== null) return Response.json(exit.value.success)
    const status = exit.value._tag === "Success" ? 404 : statusOf(exit.value.failure)
    if (status === null) throw new TypeError("fetch failed")
    return new Response("{}", { status })
  }

const none = () => Effect.die("it has no such operation")

/** The purchases of the example, for the runs of sellers by references. */
const purchases =
  (planted: Planted): NonNullable<SellerSuite.Planted["purchases"]> =>
  (seller, surroundings) => {
    if (seller.strategy !== "Referenced") throw new Error("the example finds its orders by references")
    const host = `wholesale-${processes++}.test`
    wholesalers.set(host, wholesaler(seller, surroundings, planted))
    const { journal } = surroundings
    const layer = Example.layer({ url: `http://${host}`, key: "key" }).pipe(
      Layer.provide(Layer.succeed(Journal.Journal, journal))
    )
    const { buySim = none, returnSim = none } = Context.get(
      Effect.runSync(Effect.scoped(Layer.build(layer))),
      Telco.Telco
    )
    const { boughtOf, strangers } = Purchases.make(seller, { telco: "wholesale", journal })
    return {
      // Its activation code ends with the reference of the order.
      buy: (of) => Effect.map(buySim(of), (sim) => ({ ...sim, subscriberId: sim.lpa.split("$").at(-1) ?? null })),
      giveBack: (of) => returnSim(of),
      boughtOf,
      strangers
    }
  }

/** Runs one seed. */
export const run = async (seed: number, planted: Planted = {}): Promise<SellerSuite.Run> => {
  globalThis.fetch = played
  try {
    return await SellerSuite.run("Referenced", seed, { purchases: purchases(planted) })
  } finally {
    globalThis.fetch = real
    wholesalers.clear()
  }
}
