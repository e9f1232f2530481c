/**
 * What the suppliers of the settings file have in common: each sells eSIMs with their bundles of an
 * account, which has a catalogue and a balance.
 */
import { Context, Effect, Layer, Metric, Result, type Scope, Semaphore } from "effect"
import { Problems } from "simplan"
import { Amount, Clocks, Problem, Storage, Telco, type TelcoBundles, Time } from "simplan/ports"
import {
  Account,
  AccountComparison,
  Background,
  type CallFailure,
  CallGate,
  Journal,
  Polls
} from "../../telco-calls/index.ts"
import * as Connected from "../Connected.ts"
import type * as Settings from "../Settings.ts"

/** What the settings of every supplier have. */
type Supplier = Settings.Of<"esim-go" | "esim-access" | "airalo">

/** How often the balance is read, in milliseconds. */
const EVERY = 10 * Time.MINUTE

const balanceOf = (telco: string, currency: string) =>
  Metric.gauge("simplan_telco_balance", {
    description: "What the account at a supplier has left, in units of its currency",
    attributes: { telco, currency }
  })

const record = (telco: string, { currency, scale, units }: Amount.Amount) =>
  Metric.update(balanceOf(telco, currency), units / 10 ** scale)

/** How old a balance is that is not read anew before something is refused, in milliseconds. */
const FRESH = 30_000

/** How long a refusal waits for the balance. */
const WAIT_LIMIT = "5 seconds"

/** Whether the balance pays for the price; null: for anything. Of another currency nobody knows. */
const pays = (balance: Amount.Amount, price: Amount.Amount | null): boolean =>
  price === null ? balance.units > 0 : Result.getOrElse(Amount.compare(balance, price), () => 0) >= 0

/** The balance of an account, as it was read last. */
const makeBalance = (telco: string, read: Account.Account["Service"]["balance"]) => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let last: Amount.Amount | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  const balance = Effect.gen(function* () {
    askedAt = yield* Clocks.monotonicNow
    const found = yield* read
    last = found
    yield* record(telco, found)
    return found
  })
  const refresh = Effect.gen(function* () {
    if ((yield* Clocks.monotonicNow) - askedAt < FRESH) return
    // Failure: the one of before goes on.
    yield* Effect.ignore(Effect.timeoutOption(balance, WAIT_LIMIT))
  })
  const covers = (price: Amount.Amount | null) =>
    Effect.gen(function* () {
      if (last !== null && !pays(last, price)) yield* oneAtATime.withPermits(1)(refresh)
      return last === null || pays(last, price)
    })
  /** The balance that was read last, if that is not long ago. */
  const recent = Effect.suspend(() => {
    const known = last
    return known === null
      ? balance
      : Effect.flatMap(Clocks.monotonicNow, (now) => (now - askedAt < EVERY ? Effect.succeed(known) : balance))
  })
  return { balance, covers, recent }
}

/** Whether a balance is below a level in whole units. */
const isBelow = ({ scale, units }: Amount.Amount, level: number): boolean => units < level * 10 ** scale

const ofBalance = (balance: Amount.Amount, level: number | null) =>
  level !== null && isBelow(balance, level)
    ? { works: false, message: `is ${Amount.text(balance)}, which is below the balance_level of ${level}` }
    : { works: true, message: `is ${Amount.text(balance)}` }

/** Rule I16: that a balance is below its level is one problem, until it is not. */
const review = Effect.fnUntraced(function* (telco: string, balance: Amount.Amount, level: number | null) {
  const problems = yield* Problems.Problems
  const findingIds = [Problem.balanceFindingId(telco)]
  if (level === null || !isBelow(balance, level)) return yield* problems.withdraw({ findingIds })
  const added = yield* problems.addOfAccounts({ findings: [Problem.lowBalance(telco, balance, level)] })
  for (const { message } of added) yield* Effect.logWarning(message)
})

/** Reads the balance now and then, for its metric too. */
const watching = (
  telco: string,
  level: number | null,
  balance: Effect.Effect<Amount.Amount, CallFailure.TelcoFailure>
): Background.Turn<Problems.Problems> =>
  Background.turn(
    `The balance at ${telco}`,
    // Failure: the metric and the problem stay as they were until it is read again.
    Effect.as(Effect.ignore(Effect.flatMap(balance, (found) => review(telco, found, level))), EVERY)
  )

/** The findings of the catalogue, and of what an order of its first bundle would cost. */
const ofCatalogue = (
  { bundles }: Account.Account["Service"],
  quote: ((code: string) => Effect.Effect<Amount.Amount, CallFailure.TelcoFailure>) | undefined
) =>
  Effect.matchEffect(bundles, {
    onFailure: ({ message }) => Effect.succeed([{ what: "catalogue", works: false, message }]),
    onSuccess: (all) => {
      const catalogue = { what: "catalogue", works: all.length > 0, message: `answers, and has ${all.length} bundles` }
      const first = all.find(({ kind }: TelcoBundles.Bundle) => kind !== "topUp")
      if (quote === undefined || first === undefined) return Effect.succeed([catalogue])
      const order = Connected.finding("order", quote(first.code), (price) => ({
        works: true,
        message: `of ${first.code} would cost ${Amount.text(price)}; nothing was bought`
      }))
      return Effect.map(order, (found) => [catalogue, found])
    }
  })

/**
 * The ICCIDs in a body, as texts or as numbers: eSIM Go writes 19 digits so, which `JSON.parse`
 * cannot keep.
 */
const ICCIDS = /"iccid"\s*:\s*"?(\d{18,20})(?!\d)/gi

/** How many SIMs one body may be about; a supplier names one. */
const MOST_HINTS = 20

/**
 * Takes callbacks as hints: SIMs that they name are polled soon. Whatever else a body is, it is
 * left alone.
 */
const hinting =
  ({ hint }: Polls.Polls["Service"]): NonNullable<Connected.Connected["callbacks"]>["take"] =>
  (body) => {
    const iccids = new Set([...body.matchAll(ICCIDS)].slice(0, MOST_HINTS).flatMap(([, iccid]) => iccid ?? []))
    return Effect.mapError(
      Effect.forEach([...iccids], hint, { discard: true }),
      ({ cause, message }) => new Storage.StorageError({ message, cause })
    )
  }

/** Connects an account. `quote`: says what an order would cost, and buys nothing. */
export const connect = <R>(
  { balanceLevel, callbacks, kind, name }: Supplier,
  layer: Layer.Layer<Telco.Telco | Account.Account | CallGate.CallGate | Polls.Polls | R, never, Journal.Journal>,
  quote?: (code: string) => Effect.Effect<Amount.Amount, CallFailure.TelcoFailure, R>
): Effect.Effect<Connected.Connected, never, Journal.Journal | Storage.Storage | Scope.Scope> =>
  Effect.gen(function* () {
    // Each account has its own calls, also if two have the same settings.
    const context = yield* Layer.build(Layer.fresh(layer))
    const account = Context.get(context, Account.Account)
    const { balance, covers, recent } = makeBalance(name, account.balance)
    const polls = Context.get(context, Polls.Polls)
    const comparison = AccountComparison.make({
      ...{ telco: name, account, journal: yield* Journal.Journal, storage: yield* Storage.Storage }
    })
    const asked = quote && ((code: string) => Effect.provideContext(quote(code), context))
    return {
      ...Connected.onlyCalls,
      name,
      kind,
      telco: Context.get(context, CallGate.CallGate).inSlots(Context.get(context, Telco.Telco)),
      usageAsOf: ({ iccid }) => polls.asOf(iccid),
      seller: { bundles: account.bundles, balance, covers },
      // The settings name nothing at the supplier; a wrong key is told by this too.
      missing: Effect.mapBoth(balance, {
        onSuccess: () => [],
        onFailure: ({ message }) => new Telco.Unavailable({ message })
      }),
      check: Effect.map(
        Effect.all([
          Connected.finding("balance", balance, (found) => ofBalance(found, balanceLevel)),
          ofCatalogue(account, asked)
        ]),
        ([balance, catalogue]) => [balance, ...catalogue]
      ),
      ...(callbacks !== null && { callbacks: { secret: callbacks.secret, take: hinting(polls) } }),
      background: {
        forever: Effect.andThen(
          Effect.all([Background.forever([watching(name, balanceLevel, balance), comparison.turn]), polls.forever], {
            concurrency: 2,
            discard: true
          }),
          Effect.never
        ),
        drain: Effect.andThen(
          Background.drain([...(balanceLevel === null ? [] : [watching(name, balanceLevel, recent)]), comparison.turn]),
          polls.drain
        )
      }
    }
  })
