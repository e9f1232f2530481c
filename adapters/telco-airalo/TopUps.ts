/**
 * Top-ups of eSIMs, each bought once. A top-up is in the journal before it is ordered, and what
 * came of it after.
 *
 * An order without an answer is looked for by its description, as one of an eSIM is. "Submit top-up
 * order" shows another description than was sent, so the list may not have it: then the packages on
 * the eSIM are counted, once no order of that kind for it may still come or be missing in the list.
 * Packages of one kind are alike, so one more than are known is this order's. The order is made
 * again only if it is in neither, `lateMillis` after the call.
 */
import { Clock, Effect, Schema } from "effect"
import { Cost, Job, Telco } from "simplan/ports"
import { type Account, CallFailure, CallRecords, type Journal, Purchases } from "../telco-calls/index.ts"
import type * as PartnerApi from "./PartnerApi.ts"

/** The kind of the entries; they stay for good, as those of packages do. */
const KIND = "package"

const Money = Schema.Struct({ units: Schema.Int, scale: Schema.Int, currency: Schema.String })

/** What is known of a package of ours. */
const Known = Schema.Struct({
  iccid: Schema.String,
  /** The top-up in the catalogue; null: the package has the load of its eSIM. */
  topUp: Schema.NullOr(Schema.String),
  /** The order; null: there is none. */
  made: Schema.NullOr(Schema.Struct({ orderId: Schema.String, cost: Schema.NullOr(Money) })),
  /** When the order was last asked for; null: never. Lists may not have it for a while. */
  askedAt: Schema.NullOr(Schema.Finite),
  /** When the order was asked for without an answer; null: Airalo has certainly nothing of it. */
  unansweredAt: Schema.NullOr(Schema.Finite),
  refusal: Schema.NullOr(
    Schema.Struct({
      message: Schema.String,
      reason: Schema.NullOr(Schema.Literals(Job.unsoldReasons))
    })
  )
})

/** What is known of a package of ours. */
export type Known = typeof Known.Type

/** A package as it was read or written last, and how to write it. */
export type Record = CallRecords.CallRecord<Known>

/** A package of which nothing was asked for yet. */
export const unasked = (iccid: string): Known => ({
  iccid,
  topUp: null,
  made: null,
  askedAt: null,
  unansweredAt: null,
  refusal: null
})

/** The port's failure that a refusal is. */
export const refusedBy = ({ message, reason }: NonNullable<Known["refusal"]>): Telco.Refused =>
  new Telco.Refused(reason === null ? { message } : { message, reason })

/** What top-ups go by. */
export interface Options {
  /** Names Airalo in the journal, which several telcos may share. */
  readonly telco: string
  readonly journal: Journal.Journal["Service"]
  /** How long an order without an answer may still come, and be missing in lists. */
  readonly lateMillis: number
}

/** The top-ups of a telco in a journal. */
export const make = (
  api: Pick<PartnerApi.PartnerApi["Service"], "topUp" | "ordersOf" | "packagesOf">,
  { journal, lateMillis, telco }: Options
) => {
  const records = CallRecords.make(journal, { telco, kind: KIND }, Known)

  /** The packages that are top-ups of one kind on an eSIM, the one asked for first coming first. */
  const alikeOn = (iccid: string, topUp: string) =>
    Effect.map(records.ofSim(iccid), (all) =>
      all.flatMap(({ get, key }) => {
        const known = get()
        return known?.topUp === topUp ? [{ key, known }] : []
      })
    )

  /** Of them, the ids of those that were bought. */
  const madeOn = (iccid: string, topUp: string) =>
    Effect.map(alikeOn(iccid, topUp), (all) => all.flatMap(({ key, known }) => (known.made === null ? [] : [key])))

  /** A reading that Airalo refuses says nothing about the order. */
  const asReading = <A>(call: Effect.Effect<A, CallFailure.CallFailure>) => Effect.mapError(call, CallFailure.later)

  /** The order of a package, by its text; undefined: the list has none. */
  const orderOf = (packageId: string) =>
    Effect.map(asReading(api.ordersOf(Purchases.keyOf(packageId))), (orders) =>
      orders.find(({ kind }) => kind === "topup")
    )

  /** Finds an order without an answer. Fails while it may still come. */
  const resolve = Effect.fnUntraced(function* (record: Record, known: Known, topUp: string) {
    const { iccid, made, unansweredAt } = known
    if (unansweredAt === null || made !== null) return known
    const put = Effect.fnUntraced(function* (next: Known) {
      yield* record.put(next)
      return next
    })
    const found = yield* orderOf(record.key)
    if (found !== undefined) {
      return yield* put({ ...known, unansweredAt: null, made: { orderId: found.id, cost: found.cost } })
    }
    const alike = yield* alikeOn(iccid, topUp)
    const until = Math.max(unansweredAt, ...alike.map((one) => one.known.askedAt ?? 0)) + lateMillis
    const now = yield* Clock.currentTimeMillis
    if (now < until) {
      const seconds = Math.max(1, Math.ceil((until - now) / 1_000))
      return yield* CallFailure.unavailable("Airalo has not answered a top-up, and may still have it", seconds)
    }
    const there = (yield* asReading(api.packagesOf(iccid))).filter(({ packageId }) => packageId === topUp)
    const names = alike.flatMap((one) => one.known.made?.orderId ?? [])
    // Another one without an answer is its own order's, if the list has that.
    const others = alike.filter((one) => one.key !== record.key && one.known.unansweredAt !== null)
    const owned = (yield* Effect.forEach(others, ({ key: other }) => orderOf(other))).filter((one) => one !== undefined)
    const free = there.map(({ id }) => `on ${iccid}: ${id}`).find((name) => !names.includes(name))
    const isMore = there.length > names.length + owned.length && free !== undefined
    return yield* put({ ...known, unansweredAt: null, made: isMore ? { orderId: free, cost: null } : null })
  })

  /** Makes the order, once. Its outcome is written down whoever gives up. */
  const order = Effect.fnUntraced(function* (record: Record, topUp: string) {
    const begun = record.get()
    if (begun === null) return yield* CallFailure.unavailable("The journal has no entry of a package")
    const known = yield* resolve(record, begun, topUp)
    if (known.made !== null) return known.made
    const at = yield* Clock.currentTimeMillis
    const asked = { ...known, topUp, askedAt: at, unansweredAt: at }
    yield* record.put(asked)
    const call = api.topUp({ iccid: known.iccid, packageId: topUp, reference: Purchases.keyOf(record.key) })
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const answer = yield* Effect.result(restore(call))
        const askedAt = yield* Clock.currentTimeMillis
        if (answer._tag === "Success") {
          const made = { orderId: answer.success.id, cost: answer.success.cost }
          yield* record.put({ ...asked, askedAt, unansweredAt: null, made })
          return made
        }
        const { message, outcome, reason = null } = answer.failure
        if (outcome === "Refused" || outcome === "NotFound") {
          yield* record.put({ ...asked, unansweredAt: null, refusal: { message, reason } })
        } else if (outcome === "NotDone") yield* record.put({ ...asked, unansweredAt: null })
        else yield* record.put({ ...asked, askedAt, unansweredAt: askedAt })
        return yield* CallFailure.toPort(answer.failure)
      })
    )
  })

  /** An order as it is compared with what was bought here. */
  const ordered = ({ cost, createdAt: at, id: reference, packageId: load, sims }: PartnerApi.Order): Account.Order => {
    const iccid = sims[0]?.iccid ?? null
    const topUp =
      iccid === null
        ? Effect.succeed(null)
        : Effect.map(records.ofSim(iccid), (all) => {
            const found = all.find(({ get }) => get()?.made?.orderId === reference)
            return found === undefined ? null : { iccid: null, costId: Cost.topUpId(found.key) }
          })
    return { reference, load, iccid, cost, at, topUp }
  }

  return { open: records.open, madeOn, order, ordered, resolve }
}

/** The top-ups of a telco in a journal. */
export type TopUps = ReturnType<typeof make>
