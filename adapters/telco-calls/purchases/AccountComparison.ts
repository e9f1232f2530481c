/**
 * Compares the orders that a supplier lists for the account with what was bought here (rule C4),
 * once a day: each order once, a day after it was made, when its outcome is known for certain.
 * Found are orders that nothing here has made, eSIMs that the inventory does not have, and charges
 * that the ledger does not have, or has at another amount. What is here and not there is found by
 * the polls of each SIM.
 *
 * The journal's entry of the kind `compared` says up to when orders were compared. A comparison
 * that fails is made again with all orders since then.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Problems, Settings as Limits } from "simplan"
import { Amount, Cost, type Problem, type Storage, type Telco, Time } from "simplan/ports"
import type * as Account from "../Account.ts"
import * as Claims from "../Claims.ts"
import type * as Journal from "../Journal.ts"
import * as Background from "../polls/Background.ts"

const KIND = "compared"

/** There is one entry for a telco. */
const KEY = "*"

/** How often orders are compared, and how old they are then at least, in milliseconds. */
const EVERY = Time.DAY

/** How soon another turn asks whether a comparison is due, in milliseconds. */
const TURN = Time.MINUTE

const Progress = Schema.Struct({ until: Schema.Finite })

const decode = Schema.decodeUnknownOption(Progress)

/** What is compared. */
export interface Options {
  /** Names the supplier in the journal and in what is found. */
  readonly telco: string
  /** Where it is kept up to when orders were compared. */
  readonly journal: Journal.Journal["Service"]
  /** What the supplier lists, and what was bought. */
  readonly account: Pick<Account.Account["Service"], "orders" | "purchases">
  /** The inventory, and the ledger. */
  readonly storage: Pick<Storage.Reads, "ledger" | "simAggregates">
}

type Finding = Problem.AccountFinding

/** Suppliers say when an order was made to the second. */
const minuteOf = (at: Time.Instant): Time.Instant => Math.floor(at / Time.MINUTE) * Time.MINUTE

const amountOf = ({ cost }: Pick<Account.Order, "cost">): string => (cost === null ? "" : ` for ${Amount.text(cost)}`)

const describe = ({ iccid, load, reference, ...of }: Account.Order): string =>
  `the order ${reference} of ${load ?? "an unknown bundle"}${iccid === null ? "" : ` on the eSIM ${iccid}`}${amountOf(of)}`

/** The comparison of an account: `due` makes it if it is time, and `turn` does so now and then. */
export const make = ({ account, journal, storage, telco }: Options) => {
  let isBegun = false

  const unknown = (order: Account.Order): Finding => ({
    findingId: `${telco}/order/${order.reference}`,
    telco,
    message: `${telco} has ${describe(order)}, and nothing here has made it. If it is not yours, ask ${telco}; then resolve this`,
    sides: { ours: "no such order", theirs: describe(order) }
  })
  const missing = (iccid: string, order: Account.Order): Finding => ({
    findingId: `${telco}/esim/${iccid}`,
    telco,
    message: `${telco} has sold the eSIM ${iccid} by ${describe(order)}, and the inventory does not have it. Import it, or return it at ${telco}; then resolve this`,
    sides: { ours: "not in the inventory", theirs: `the eSIM ${iccid}` }
  })
  const charged = (order: Account.Order, cost: Amount.Amount, ours: string): Finding => ({
    findingId: `${telco}/charge/${order.reference}`,
    telco,
    message: `${telco} has charged ${Amount.text(cost)} for ${describe({ ...order, cost: null })}, and the ledger has ${ours} for it. Ask ${telco} which is right; then resolve this`,
    sides: { ours, theirs: Amount.text(cost) }
  })

  /** What differs of an order. */
  const compare = Effect.fnUntraced(function* (order: Account.Order) {
    const known = (yield* account.purchases.ofOrder(order)) ?? (yield* order.topUp)
    if (known === null) return [unknown(order)]
    const { costId, iccid } = known
    const on = iccid ?? order.iccid
    const owner = on === null ? null : yield* storage.simAggregates.owner(on)
    const organizationId = known.organizationId ?? owner?.organizationId
    const { cost } = order
    const ours =
      organizationId === undefined || costId === null || cost === null
        ? null
        : Cost.bookedOtherwise(yield* storage.ledger.booked({ organizationId, costId }), cost)
    return [
      ...(iccid !== null && owner === null ? [missing(iccid, order)] : []),
      ...(cost !== null && ours !== null ? [charged(order, cost, ours)] : [])
    ]
  })

  const next = Effect.fnUntraced(function* (entry: Journal.Entry, orders: NonNullable<Options["account"]["orders"]>) {
    const now = yield* Clock.currentTimeMillis
    const until = minuteOf(now - EVERY)
    const since = Option.match(decode(entry.document), { onNone: () => until, onSome: (known) => known.until })
    const listed = until > since ? yield* orders({ since, until }) : []
    const all = listed.filter(({ at }) => at === null || (at >= since && at < until))
    const findings = (yield* Effect.forEach(all, compare)).flat()
    const problems = yield* Problems.Problems
    for (const { message } of yield* problems.addOfAccounts({ findings })) yield* Effect.logWarning(message)
    yield* journal.replace({ ...entry, document: { until: Math.max(since, until) }, dueAt: now + EVERY })
    return findings
  })

  /** Null: it is not the time, or the supplier lists no orders. */
  const due: Effect.Effect<
    ReadonlyArray<Finding> | null,
    Journal.JournalError | Telco.Refused | Telco.Unavailable | Storage.StorageError,
    Problems.Problems
  > = Effect.gen(function* () {
    const { orders } = account
    if (orders === undefined) return null
    const now = yield* Clock.currentTimeMillis
    const place = { telco, kind: KIND, key: KEY, iccid: null, externalId: null }
    // What was bought before is not compared.
    if (!isBegun) yield* journal.add({ ...place, document: { until: minuteOf(now) }, dueAt: now + EVERY })
    isBegun = true
    const { leaseMillis } = yield* Limits.Settings
    return yield* Claims.use(journal, { telco, kind: KIND, leaseMillis, limit: 1 }, ({ entries: [entry] }) =>
      entry === undefined ? Effect.succeed(null) : next(entry, orders)
    )
  })

  return { due, turn: Background.turn(`The comparison of orders of ${telco}`, Effect.as(due, TURN)) }
}
