/**
 * The books of a shop that buys of a supplier, from a seed (rules C1 to C3): what the model of the
 * supplier has charged and credited, beside what the ledger of the service says. Orders lose their
 * answers or never arrive, prices change, eSIMs are sold, topped up, used, deleted, sold again and
 * returned, those that nobody buys lapse, and months go by. What the supplier lists is compared
 * with the ledger at the end of each (rule C4).
 */
import { Clock as MachineClock, Context, Effect, Layer, Logger, ManagedRuntime, Result, Scope, Stream } from "effect"
import {
  Attachments,
  Clock,
  Costs,
  IdempotencyKeys,
  Organizations,
  Plans,
  Problems,
  Returns,
  Services,
  Sims,
  Subscriptions,
  Worker
} from "simplan"
import * as Memory from "simplan/memory"
import { Clocks, Cost, Sim, Storage, Telco, TelcoPorts, UsageBook } from "simplan/ports"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import {
  Account as TelcoAccount,
  AccountComparison,
  CallFailure,
  Journal
} from "../../../adapters/telco-calls/index.ts"
import * as Ports from "../../scenarios/Ports.ts"
import * as Shop from "../../setup/Shop.ts"
import * as SteppedClock from "../../setup/SteppedClock.ts"

const START = Date.UTC(2026, 8, 20, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** What a run may have planted: a fault of the service, which the runs have to find. */
export interface Planted {
  readonly commit?: (commit: Storage.Commit) => Storage.Commit
  readonly telco?: (telco: Telco.Telco["Service"]) => Telco.Telco["Service"]
}

/** What decides about a run. */
export interface World {
  readonly random: (bound: number) => number
  readonly oneIn: (bound: number) => boolean
  readonly count: (what: string) => void
  /** Business time. */
  readonly now: () => number
  /**
   * Makes a call that costs money. It may be lost on its way, and so may its answer; `what` it has
   * done is counted.
   */
  readonly fallible: <A>(
    what: string,
    call: Effect.Effect<A, CallFailure.CallFailure>
  ) => Effect.Effect<A, CallFailure.CallFailure>
}

/** What a process has of an account. */
export interface Connected {
  readonly telco: Telco.Telco["Service"]
  readonly account: TelcoAccount.Account["Service"]
}

/** What an adapter over a journal has. */
export const connected =
  (layer: Layer.Layer<Telco.Telco | TelcoAccount.Account, never, Journal.Journal>): Account["connect"] =>
  (journal) =>
    Effect.flatMap(Scope.make(), (scope) =>
      Layer.buildWithScope(Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(Journal.Journal, journal))), scope)
    ).pipe(
      Effect.map((context) => ({
        telco: Context.get(context, Telco.Telco),
        account: Context.get(context, TelcoAccount.Account)
      }))
    )

/** An account at the model of a supplier. */
export interface Account {
  /** What is left, in millionths of its currency. */
  readonly balance: () => bigint
  /** The port of a process, and what it knows of the account. */
  readonly connect: (journal: Journal.Journal["Service"]) => Effect.Effect<Connected>
  /** What eSIMs are bought with. */
  readonly loads: ReadonlyArray<string>
  /** A price in the catalogue becomes another one. */
  readonly changePrice: () => void
  /** The customer of an eSIM uses a little of what is on it. */
  readonly use: (iccid: string) => void
}

/** By month, as decimals. */
export interface Run {
  readonly charged: Readonly<Record<string, string>>
  readonly booked: Readonly<Record<string, string>>
  /** The report after another process has begun, and all that is old was purged. */
  readonly after: Readonly<Record<string, string>>
  /** What the daily comparison has found of charges. */
  readonly listed: ReadonlyArray<string>
  /** What the run has done, and how often. */
  readonly done: ReadonlyMap<string, number>
}

const unknown = (message: string) => new CallFailure.CallFailure({ outcome: "Unknown", message })

/** Runs a shop for some months. */
export const run = async (
  accountOf: (world: World) => Account,
  seed: number,
  { commit = (one) => one, telco = (one) => one }: Planted = {}
): Promise<Run> => {
  const next = Machine.generator(seed)
  const random = (bound: number): number => next() % bound
  const oneIn = (bound: number): boolean => random(bound) === 0
  const done = new Map<string, number>()
  const count = (what: string) => void done.set(what, (done.get(what) ?? 0) + 1)
  const charged = new Map<string, bigint>()
  const { clock, step } = SteppedClock.of(await Effect.runPromise(MachineClock.clockWith(Effect.succeed)))
  const now = () => clock.currentTimeMillisUnsafe()
  let isCalm = false

  const fallible: World["fallible"] = (what, call) =>
    Effect.gen(function* () {
      const fault = isCalm ? 9 : random(8)
      if (fault === 0) {
        count("a request is lost")
        return yield* unknown("a request was lost")
      }
      const answer = yield* call
      count(what)
      if (fault > 2) return answer
      count("an answer is lost")
      return yield* unknown("an answer was lost")
    })
  const account = accountOf({ random, oneIn, count, now, fallible })
  let known = account.balance()

  const journal = await Effect.runPromise(Journal.makeMemory)
  const outside = ManagedRuntime.make(Layer.mergeAll(Memory.layer, Ports.make(Clocks.virtual(START)), Logger.layer([])))
  const context = await outside.context()
  /** The adapter goes by the time of the service, and what it costs counts in the month of that. */
  const watched = (port: Telco.Telco["Service"]) =>
    TelcoPorts.map(port, (call) =>
      Effect.gen(function* () {
        step((yield* Clocks.BusinessClock.use((of) => of.now)) - now())
        const month = UsageBook.textOfMonth(now())
        return yield* Effect.ensuring(
          Effect.provideService(call, MachineClock.Clock, clock),
          Effect.sync(() => {
            const balance = account.balance()
            charged.set(month, (charged.get(month) ?? 0n) + known - balance)
            known = balance
          })
        )
      }).pipe(Effect.provideContext(context))
    )
  const begin = async () => {
    const base = Layer.effectContext(Effect.succeed(context))
    const storage = Layer.effect(
      Storage.Storage,
      Effect.map(Storage.Storage, (one) => ({ ...one, commit: (of: Storage.Commit) => one.commit(commit(of)) }))
    )
    const known = await Effect.runPromise(account.connect(journal))
    const port = telco(watched(known.telco))
    const ports = Layer.mergeAll(storage, Layer.succeed(Telco.Telco, port)).pipe(Layer.provideMerge(base))
    const runtime = ManagedRuntime.make(Services.layer.pipe(Layer.provideMerge(ports)))
    const { due } = AccountComparison.make({
      ...{ telco: "shop", journal, account: known.account },
      storage: await runtime.runPromise(Storage.Storage.use(Effect.succeed))
    })
    return { runtime, compare: Effect.provideService(due, MachineClock.Clock, clock) }
  }
  let service = await begin()
  const ask = <A, E>(effect: Effect.Effect<A, E, Services.Services | Storage.Storage>) =>
    service.runtime.runPromise(effect)
  const drain = () => ask(Worker.Worker.use((of) => of.drain))
  const pass = async (millis: number) => {
    await ask(Clock.Clock.use((of) => of.advanceBy(millis)))
    await drain()
  }
  /** The comparison goes by the time of the service, too. */
  const compare = async () => {
    step((await ask(Clock.Clock.use((of) => of.read))).now - now())
    if ((await ask(service.compare)) !== null) count("a comparison is made")
  }
  // From now on it is compared.
  await compare()
  const { organizationId } = await ask(Organizations.Organizations.use((of) => of.create({ name: "Shop" })))
  const plan = async (load: string) => {
    const { planId } = await ask(Shop.createPlan(organizationId, { periodDays: 7 }))
    const bundle = { load, topUpLoad: null, limit: null }
    await ask(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
    return planId
  }
  const plans: Array<string> = []
  for (const load of account.loads) plans.push(await plan(load))
  const sims = async () =>
    (await ask(Sims.Sims.use((of) => of.page({ organizationId, label: null, limit: 100, after: null })))).items
  const one = <A>(of: ReadonlyArray<A>): A | undefined => of[random(Math.max(1, of.length))]
  let orders = 0

  /** A creation under a key, as often as it takes. */
  const order = async (iccid: string | null) => {
    const planId = one(plans) ?? ""
    const request = { organizationId, planId, metadata: "", iccid, activePeriod: null }
    const key = `order ${++orders}`
    for (let time = 0; time < 12; time++) {
      const creation = Subscriptions.Subscriptions.use((of) => of.create(request))
      const answer = await ask(
        IdempotencyKeys.IdempotencyKeys.use((keys) => keys.once("Created", creation)).pipe(
          Effect.provideService(IdempotencyKeys.CurrentRequest, { organizationId, key, fingerprint: key }),
          Effect.result
        )
      )
      if (Result.isSuccess(answer)) return count(iccid === null ? "a plan is sold" : "a plan is added")
      if (answer.failure._tag === "TelcoRefused") return count("an order is refused")
      // An attempt that its request does not go on with is undone.
      await pass(oneIn(2) ? 60_000 : 4_000)
    }
    count("an order is given up")
  }

  const inService = async () => one((await sims()).filter(Sim.isInService))
  const acts = [
    () => order(null),
    () => order(null),
    async () => {
      const sim = await inService()
      if (sim !== undefined) await order(sim.iccid)
    },
    async () => {
      const sim = await inService()
      if (sim === undefined) return
      account.use(sim.iccid)
      count("an eSIM is used")
    },
    async () => {
      const sim = await inService()
      if (sim === undefined) return
      const remove = Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid: sim.iccid }))
      const answer = await ask(Effect.result(remove))
      if (Result.isSuccess(answer)) count("a plan is deleted")
    },
    async () => {
      const sim = await inService()
      if (sim === undefined) return
      const of = { organizationId, iccid: sim.iccid }
      const plan = one(await ask(Attachments.Attachments.use((all) => all.list(of))))
      const { attachmentId } = plan?.attachment ?? { attachmentId: "" }
      const suspend = Attachments.Attachments.use((all) => all.suspend({ ...of, attachmentId }))
      if (Result.isSuccess(await ask(Effect.result(suspend)))) count("a plan is suspended")
    },
    async () => {
      const sim = one((await sims()).filter(Sim.isFree))
      if (sim === undefined) return
      const answer = await ask(
        Effect.result(Returns.Returns.use((of) => of.giveBack({ organizationId, iccid: sim.iccid })))
      )
      if (Result.isSuccess(answer)) count("an eSIM is returned")
    },
    async () => {
      account.changePrice()
      count("a price changes")
    }
  ]

  const report = async () => {
    const asked = { organizationId: null, from: "2026-09", to: "2027-12", by: [] }
    const totals = await ask(Costs.Costs.use((of) => Stream.runCollect(of.report(asked))))
    const dear = totals.filter(({ cost, currency }) => currency !== null || cost !== 0n)
    const named = totals.filter(({ currency }) => currency === null)
    return Object.fromEntries([
      ...dear.map(({ cost, month }) => [UsageBook.textOfMonth(month), Cost.decimal(cost)]),
      ...named.map(({ month }) => [`${UsageBook.textOfMonth(month)} without amounts`, "some"])
    ])
  }

  for (let months = 0; months < 3; months++) {
    for (let steps = 4 + random(8); steps > 0; steps--) {
      await acts[random(acts.length)]?.()
      await pass(oneIn(2) ? 0 : random(HOUR))
    }
    isCalm = true
    for (let time = 0; time < 6; time++) await pass(HOUR)
    isCalm = false
    await pass(31 * DAY)
    await compare()
    const later = (await ask(Clock.Clock.use((of) => of.read))).now
    for (const { purchase, allocation } of await sims())
      if (allocation._tag === "Free" && (purchase?.sellBy ?? later) < later) count("an eSIM has lapsed")
  }
  const booked = await report()
  const problems = await ask(Problems.Problems.use((of) => of.page({ after: null, limit: 1_000 })))
  const listed = problems.items.flatMap(({ jobId, refused }) =>
    jobId.includes("/charge/") ? [refused?.message ?? jobId] : []
  )
  await service.runtime.dispose()
  service = await begin()
  const later = (await ask(Clock.Clock.use((of) => of.read))).now + 3_650 * DAY
  await ask(
    Storage.Storage.use((of) =>
      Effect.all([
        of.purge({ idempotencyBefore: later, commandsBefore: later, sessionsBefore: later }),
        of.purgeEvents({ before: later, limit: 10_000 }),
        of.purgeAudit({ before: UsageBook.monthOf(later), now: later }),
        of.purgeUsage({ before: UsageBook.monthOf(later), now: later })
      ])
    )
  )
  const after = await report()
  await service.runtime.dispose()
  await outside.dispose()
  const text = [...charged].filter(([key, sum]) => sum !== 0n || key in booked).toSorted()
  return {
    charged: Object.fromEntries(text.map(([key, sum]) => [key, Cost.decimal(sum)])),
    ...{ booked, after, listed, done }
  }
}

/** What does not hold of a run, a line each. */
export const check = async (
  accountOf: (world: World) => Account,
  seed: number
): Promise<{ readonly problems: ReadonlyArray<string>; readonly struck: ReadonlyMap<string, number> }> => {
  const { after, booked, charged, done, listed } = await run(accountOf, seed)
  const [one, other, later] = [charged, booked, after].map((sums) => JSON.stringify(sums))
  const problems = [
    ...(one === other ? [] : [`The supplier has charged ${one}, and the ledger has ${other}`]),
    ...(other === later ? [] : [`The report was ${other}, and is ${later} after a purge`]),
    ...listed
  ]
  return { problems, struck: done }
}
