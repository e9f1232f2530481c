/**
 * A telco that sells eSIMs with bundles on them, over a wholesaler that keeps a note with each order. What an order
 * without an answer has done is found by its note.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SimIdentities, Telco, TelcoBundles, TelcoCapabilities } from "simplan/ports"
import { Answers, CallFailure, Journal, KeylessTelco, Polls, Purchases, Selling } from "simplan/telco-calls"

const instant = Schema.NullOr(Schema.Finite)

const { Int, String: Text } = Schema
const Order = Schema.Struct({ id: Text, note: Text, cents: Int, iccid: Text, code: Text })

const Bundle = Schema.Struct({
  ...{ order: Text, note: Text, bytes: Int, used: Int },
  begun: instant,
  ends: instant,
  state: Schema.Literals(["waiting", "active", "used up", "expired", "never used"])
})

const Offer = Schema.Struct({
  ...{ code: Text, name: Text, countries: Schema.Array(Text), bytes: Int, days: Int, cents: Int }
})

const ends = { "used up": "depleted", expired: "expired", "never used": "lapsed", waiting: null, active: null } as const

const usd = (cents: number) => ({ units: cents, scale: 2, currency: "USD" })

export interface Options {
  readonly url: string
  readonly key: string
}

const make = ({ key, url }: Options) =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const telco = "wholesale"

    /** One call. What it has done is unknown unless the wholesaler says so. */
    const call = <S extends Schema.ConstraintDecoder<unknown>>(
      schema: S,
      path: string,
      method = "GET",
      body?: object
    ) =>
      Effect.gen(function* () {
        const { status, text } = yield* Effect.tryPromise({
          try: async (signal) => {
            const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
            const response = await fetch(url + path, {
              method,
              headers,
              signal,
              body: body ? JSON.stringify(body) : null
            })
            return { status: response.status, text: await response.text() }
          },
          catch: (error) => Answers.disconnected("The wholesaler", path, error)
        })
        const message = `The wholesaler answers ${method} ${path} with HTTP ${status}`
        const fail = (outcome: CallFailure.Outcome, reason?: CallFailure.Refusal) =>
          Effect.fail(new CallFailure.CallFailure({ outcome, message, ...(reason && { reason }) }))
        if (status === 404) return yield* fail("NotFound")
        if (status === 402) return yield* fail("Refused", "no_balance")
        if (status === 410) return yield* fail("Refused", "sold_out")
        if (status === 422) return yield* fail("Refused")
        if (status === 401 || status === 429) return yield* fail("NotDone")
        const decoded = Schema.decodeUnknownOption(Schema.fromJsonString(schema))(text)
        return status < 300 && Option.isSome(decoded) ? decoded.value : yield* fail("Unknown")
      })

    const orders = (note: string) => call(Schema.Array(Order), `/orders?note=${encodeURIComponent(note)}`)
    const bundlesOn = (iccid: string) => call(Schema.Array(Bundle), `/sims/${iccid}/bundles`)
    const cancel = (id: string) => call(Schema.Unknown, `/orders/${id}`, "DELETE")
    const simOf = ({ cents, code: lpa, iccid }: typeof Order.Type): Telco.BoughtSim => ({
      ...{ ...SimIdentities.none, iccid, lpa, sellBy: null, cost: usd(cents) }
    })
    const placed = (order: typeof Order.Type) => ({ reference: order.id, sim: simOf(order), text: order.note })

    const purchases = Purchases.make(
      {
        strategy: "Referenced",
        order: (of) => Effect.map(call(Order, "/orders", "POST", { offer: of.purchase.load, note: of.key }), placed),
        search: (note) => Effect.map(orders(note), (all) => all.map(placed)),
        read: ({ reference }) => Effect.map(call(Order, `/orders/${reference}`), simOf)
      },
      { telco, journal }
    )

    const saidOf = ({ begun, bytes, ends: expirationAt, state, used: usedBytes }: typeof Bundle.Type) => {
      const reason = ends[state]
      const end = reason === null ? null : { reason, at: expirationAt }
      return { allowanceBytes: bytes, usedBytes, activationAt: begun, expirationAt, end }
    }

    const topUps = KeylessTelco.packages(
      {
        listPackages: (iccid) =>
          Effect.map(bundlesOn(iccid), (all) =>
            all.map((one) => ({ ...saidOf(one), telcoPackageId: one.order, packageId: one.note }))
          ),
        createPackage: ({ iccid, load, packageId }) =>
          Effect.map(call(Order, "/orders", "POST", { offer: load, note: packageId, iccid }), ({ cents, id }) => ({
            ...{ telcoPackageId: id, activationAt: null, expirationAt: null, cost: usd(cents) }
          })),
        cancelPackage: ({ telcoPackageId }) => Effect.asVoid(cancel(telcoPackageId))
      },
      { telco, journal }
    )

    const { calls, polls } = Selling.make({
      ...{ telco, journal, purchases, topUps, polls: { callsPerSecond: 10 } },
      readNow: ({ reference, sim }) =>
        Effect.map(CallFailure.ofBuyer(bundlesOn(sim.iccid), call(Order, `/orders/${reference}`)), (all) => {
          const load = all.find(({ order }) => order === reference)
          return { load: load ? saidOf(load) : null, topUps: new Map(all.map((one) => [one.note, saidOf(one)])) }
        }),
      // Unused, the eSIM goes back to the stock with its bundle.
      cancelLoad: Effect.fnUntraced(function* ({ reference, sim }, { isUndone, packageId }) {
        const all = yield* CallFailure.asPort(bundlesOn(sim.iccid))
        if (all.some(({ order, state }) => order === reference && state === "waiting")) return false
        if (isUndone) return yield* new Telco.Refused({ message: `The package ${packageId} is in use` })
        yield* CallFailure.asPort(CallFailure.unlessMissing(Effect.asVoid(cancel(reference))))
        return true
      }),
      giveBack: ({ reference }) => Effect.as(cancel(reference), "credit" as const)
    })

    const bundles = call(Schema.Array(Offer), "/offers").pipe(
      Effect.map((all) =>
        all.map(({ bytes, cents, ...of }) => ({ ...of, kind: "any" as const, dataBytes: bytes, price: usd(cents) }))
      ),
      CallFailure.asPort
    )
    const can = { windows: false, throttling: false, volumes: false } as const
    return Context.make(Telco.Telco, TelcoCapabilities.limited(can, calls)).pipe(
      Context.add(Polls.Polls, polls),
      Context.add(TelcoBundles.TelcoBundles, { telcos: Effect.succeed([telco]), of: () => bundles })
    )
  })

export const layer = (options: Options) => Layer.effectContext(make(options))
