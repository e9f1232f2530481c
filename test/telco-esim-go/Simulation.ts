/**
 * The port of eSIM Go under faults, from a seed: customers who try again, processes that die at any
 * call, and a supplier that loses, delays and refuses. All in virtual time, over the model without
 * HTTP, so that thousands of runs are made in a minute.
 */
import { Clock, Effect, Latch, Logger, Random, Scheduler } from "effect"
import type { Telco } from "simplan/ports"
import * as Machine from "../../adapters/simulation/Machine.ts"
import { CallFailure, Journal } from "../../adapters/telco-calls/index.ts"
import { type AccountApi, EsimGo } from "../../adapters/telco-esim-go/index.ts"
import * as Shapes from "../../adapters/telco-esim-go/Shapes.ts"
import * as Values from "../domain/Values.ts"
import * as Supplier from "./Supplier.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const START = Date.UTC(2026, 10, 30)

const bundles: ReadonlyArray<Supplier.Bundle> = [
  Supplier.week,
  { name: "esim_1GB_1Y_GB", cents: 1_200, megaBytes: 3_000, days: 30, parts: 3 }
]

/** What a run may have planted: a fault of the adapter, which the runs have to find. */
export interface Planted {
  readonly api?: (api: AccountApi.AccountApi["Service"]) => AccountApi.AccountApi["Service"]
  readonly journal?: (journal: Journal.Journal["Service"]) => Journal.Journal["Service"]
  readonly lateMillis?: number
}

export interface Run {
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  readonly struck: ReadonlyMap<string, number>
  /** Shows whether two runs went the same way. */
  readonly trace: string
}

const failure = (outcome: CallFailure.Outcome, message: string, more: Partial<CallFailure.CallFailure> = {}) =>
  new CallFailure.CallFailure({ outcome, message, ...more })

const refusalOf = ({ message, status }: Supplier.Refusal) =>
  status === 403
    ? failure("NotFound", message)
    : failure("Refused", message, message.includes("balance") ? { reason: "no_balance" } : {})

const make = (seed: number) => {
  const next = Machine.generator(seed)
  const random = (bound: number): number => next() % bound
  const oneIn = (number: number): boolean => random(number) === 0
  const pick = <A>(from: ReadonlyArray<A>): A => {
    const found = from[random(from.length)]
    if (found === undefined) throw new Error("nothing to pick from")
    return found
  }
  const machine = Machine.time(START, random)
  const now = () => machine.clock.currentTimeMillisUnsafe()
  const skew = oneIn(2) ? 0 : random(180 * SECOND) - 90 * SECOND
  const isFaulty = !oneIn(10)
  const isCalm = () => !isFaulty || now() > START + HOUR
  const returned = new Set<string>()
  const supplier = new Supplier.Supplier({
    now: () => now() + skew,
    bundles,
    hasRefunds: oneIn(2),
    returnsEsims: oneIn(2),
    // It takes days, in which nobody goes on to use the SIM: one that has left the account with its
    // last bundle is sold only once it was given back, and once for that.
    isSoldAgain: (iccid) => returned.delete(iccid)
  })
  const struck = new Map<string, number>()
  const count = (what: string): void => void struck.set(what, (struck.get(what) ?? 0) + 1)
  return { random, oneIn, pick, machine, now, isCalm, supplier, returned, struck, count, ours: new Set<string>() }
}

type World = ReturnType<typeof make>

/** The calls over the model. */
export const apiOf = ({
  count,
  isCalm,
  oneIn,
  ours,
  pick,
  random,
  supplier
}: Pick<
  World,
  "count" | "isCalm" | "oneIn" | "ours" | "pick" | "random" | "supplier"
>): AccountApi.AccountApi["Service"] => {
  const latency = Effect.suspend(() => Effect.sleep(oneIn(20) ? SECOND * (1 + random(8)) : pick([0, 0, 100, SECOND])))

  const attempt = <A>(act: () => A) =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(act())
      } catch (error) {
        return error instanceof Supplier.Refusal ? Effect.fail(refusalOf(error)) : Effect.die(error)
      }
    })

  const reading = <A>(act: () => A) =>
    Effect.gen(function* () {
      yield* latency
      if (!isCalm() && oneIn(15)) {
        count("look lost")
        return yield* failure("Unknown", "a look was lost")
      }
      return yield* attempt(act)
    })

  const changing = <A>(act: () => A) =>
    Effect.gen(function* () {
      yield* latency
      supplier.lag = isCalm() || oneIn(2) ? 0 : random(100 * SECOND)
      supplier.isSlow = oneIn(3)
      const fault =
        isCalm() || oneIn(2) ? null : pick(["request lost", "answer lost", "late", "late", "too many"] as const)
      if (fault !== null) count(fault)
      if (fault === "too many") return yield* failure("NotDone", "too many calls", { retryAfterSeconds: 1 })
      if (fault === "late") {
        const later = Effect.andThen(Effect.sleep(random(100 * SECOND)), attempt(act))
        yield* Effect.forkDetach(Effect.ignore(later))
      }
      if (fault === "late" || fault === "request lost") return yield* failure("Unknown", "a call was lost")
      const answer = yield* attempt(act)
      yield* latency
      if (fault !== null) return yield* failure("Unknown", "an answer was lost")
      return answer
    })

  const esimOf = ({ iccid, matchingId }: Pick<Supplier.Order, "iccid" | "matchingId">) => ({
    iccid,
    matchingId,
    smdpAddress: "http://smdp.example.com"
  })

  const orderFrom = (order: Supplier.Order): AccountApi.Order => ({
    reference: order.reference,
    status: "completed",
    createdAt: order.createdAt,
    items: [{ type: order.type, name: order.item, quantity: 1, esims: [esimOf(order)] }],
    total: { units: order.cents, scale: 2, currency: "USD" }
  })

  return {
    quote: ({ bundle, iccid }) =>
      reading(() => ({ units: supplier.check(bundle, iccid).cents, scale: 2, currency: "USD" })),
    order: ({ bundle, iccid }) =>
      changing(() => {
        const order = supplier.order(bundle, iccid)
        ours.add(order.reference)
        return orderFrom(order)
      }),
    orders: (since) =>
      reading(() =>
        supplier
          .listed()
          .filter(({ createdAt }) => createdAt >= since)
          .map(orderFrom)
      ),
    orderOf: (reference) =>
      reading(() => {
        const order = supplier.orders.find((one) => one.reference === reference)
        if (order === undefined) throw new Supplier.Refusal(403, "no such order")
        return orderFrom(order)
      }),
    details: (iccid) =>
      reading(() => {
        const esim = supplier.esim(iccid)
        return { ...esimOf(esim), profileStatus: null, installedAt: esim.installedAt, state: "active" as const }
      }),
    assignments: (iccid) =>
      reading(() =>
        supplier.assignments(iccid).map((one) => ({
          name: one.name,
          assignmentId: one.id,
          order: Shapes.orderOf(one.reference),
          state: Shapes.stateOf(Supplier.stateOf(one, supplier.now)),
          initialBytes: one.initial,
          remainingBytes: one.remaining,
          assignedAt: one.assignedAt,
          startedAt: one.startedAt,
          endsAt: null,
          isUnlimited: false
        }))
      ),
    revoke: ({ assignment: { assignmentId, name }, iccid, isRefunded }) =>
      changing(() => supplier.revoke(iccid, name, assignmentId, isRefunded)),
    history: (iccid) =>
      reading(() => supplier.esim(iccid).history.map(({ at, bundle, name }) => ({ action: name, bundle, at }))),
    setSuspended: ({ iccid, isSuspended }) => changing(() => void supplier.suspend(iccid, isSuspended)),
    sendSms: ({ from, iccid, text }) => changing(() => supplier.send(iccid, text, from)),
    bundles: Effect.succeed([]),
    balance: reading(() => ({ units: supplier.balance, scale: 2, currency: "USD" }))
  }
}

interface Process extends EsimGo.EsimGo {
  readonly isDead: () => boolean
  readonly died: Effect.Effect<void>
}

/** Starts a process, which dies at one of its calls in many cases. */
const start = (
  world: World,
  shared: Journal.Journal["Service"],
  isSafe: boolean,
  { api: changedApi = (api) => api, journal: changedJournal = (one) => one, lateMillis = 300_000 }: Planted,
  refunds: boolean
): Process => {
  const { count, oneIn, random } = world
  const died = Latch.makeUnsafe(false)
  let isDead = false
  let dieIn = !isSafe && oneIn(2) ? 1 + random(150) : 0
  const point = Effect.gen(function* () {
    if (oneIn(3)) yield* Effect.sleep(random(50))
    if (dieIn > 0 && --dieIn === 0) {
      isDead = true
      died.openUnsafe()
      count("process dies")
    }
    if (isDead) yield* Effect.interruptible(Effect.never)
  })
  const around = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (isDead) return Effect.die("the process is dead")
      return Effect.gen(function* () {
        yield* point
        const exit = yield* Effect.exit(operation)
        yield* point
        return yield* exit
      })
    })
  const written = <A>(operation: Effect.Effect<A, Journal.JournalError>): Effect.Effect<A, Journal.JournalError> =>
    Effect.suspend(() => {
      if (isSafe || !oneIn(60)) return operation
      count("write of the journal fails")
      const failed = new Journal.JournalError({ message: "The journal is out of reach" })
      return oneIn(2) ? Effect.andThen(operation, failed) : Effect.fail(failed)
    })
  const journal: Journal.Journal["Service"] = {
    ...shared,
    get: (place) => around(shared.get(place)),
    ofSim: (of) => around(shared.ofSim(of)),
    ofExternalId: (of) => around(shared.ofExternalId(of)),
    add: (entry, also) => around(written(shared.add(entry, also))),
    replace: (entry, also) => around(written(shared.replace(entry, also))),
    lock: (of) => around(shared.lock(of)),
    unlock: (of) => around(shared.unlock(of))
  }
  const plain = changedApi(apiOf(world))
  const api: AccountApi.AccountApi["Service"] = {
    quote: (of) => around(plain.quote(of)),
    order: (of) => around(plain.order(of)),
    orders: (of) => around(plain.orders(of)),
    orderOf: (of) => around(plain.orderOf(of)),
    details: (of) => around(plain.details(of)),
    assignments: (of) => around(plain.assignments(of)),
    revoke: (of) => around(plain.revoke(of)),
    history: (of) => around(plain.history(of)),
    setSuspended: (of) => around(plain.setSuspended(of)),
    sendSms: (of) => around(plain.sendSms(of)),
    bundles: around(plain.bundles),
    balance: around(plain.balance)
  }
  return {
    ...EsimGo.make(api, changedJournal(journal), { telco: "esim-go", refunds, lateMillis }),
    isDead: () => isDead,
    died: died.await
  }
}

/** A package that a customer has asked for. */
interface Wanted {
  readonly packageId: string
  readonly load: string
  made: Telco.TelcoPackage | null
  isRefused: boolean
  isCancelled: boolean
  /** What of the SIM had been used when it was cancelled, in bytes. */
  usedBefore: number
}

/** A customer, and the SIM. */
interface Customer {
  readonly purchaseId: string
  readonly load: string
  sim: Telco.BoughtSim | null
  isReturned: boolean
  readonly packages: Array<Wanted>
}

const simulate = Effect.fnUntraced(function* (world: World, planted: Planted) {
  const { count, isCalm, now, oneIn, ours, pick, random, supplier } = world
  const memory = yield* Journal.makeMemory
  // Locks that never hold anybody up: nothing may depend on them but the orders of one load.
  const shared = memory
  const refunds = oneIn(2)
  const problems: Array<string> = []
  const sleep = (bound: number) => Effect.sleep(random(bound))
  const begin = (isSafe: boolean) => start(world, shared, isSafe, planted, refunds)
  const processes = [begin(false), begin(false)]
  const alive = Effect.fnUntraced(function* () {
    const slot = random(processes.length)
    if (processes[slot]?.isDead() !== true) return processes[slot] ?? begin(true)
    yield* sleep(20 * SECOND)
    if (processes[slot]?.isDead() === true) processes[slot] = begin(isCalm())
    return processes[slot] ?? begin(true)
  })

  type Port = Telco.Telco["Service"]

  /** A call, again until it is done or refused; null: it was given up. */
  const until = Effect.fnUntraced(function* <A>(
    use: (port: Port) => Effect.Effect<A, CallFailure.TelcoFailure>,
    tries = 1_000
  ) {
    for (let tried = 0; tried < tries; tried++) {
      const process = yield* alive()
      const waitLimit = !isCalm() && oneIn(6) ? random(5 * SECOND) : 10 * MINUTE
      const gone = Effect.race(Effect.sleep(waitLimit), process.died)
      const result = yield* Effect.raceFirst(Effect.result(use(process.telco)), Effect.as(gone, null))
      if (result?._tag === "Success") return result
      if (result?.failure._tag === "Telco.Refused") return result
      yield* sleep(oneIn(3) ? 90 * SECOND : 5 * SECOND)
    }
    return null
  })

  const buySim = (port: Port, of: Telco.SimPurchase) => port.buySim?.(of) ?? Effect.die("it sells none")

  const purchase = Effect.fnUntraced(function* (customer: Customer, tries?: number) {
    const { load, purchaseId } = customer
    const limit = oneIn(3) ? { units: 1_000_000, scale: 2, currency: "USD" } : null
    const of = { purchaseId, load, limit, organizationId: "shop", label: "Green" } as const
    const answer = yield* until((port) => buySim(port, of), tries)
    if (answer?._tag !== "Success") return
    if (customer.sim !== null && customer.sim.lpa !== answer.success.lpa) problems.push(`${purchaseId} has another SIM`)
    customer.sim = answer.success
  })

  const create = Effect.fnUntraced(function* (iccid: string, wanted: Wanted, tries?: number) {
    const { load, packageId } = wanted
    const order = { packageId, iccid, window: null, terms: Values.terms(), load }
    const answer = yield* until((port) => port.createPackage(order), tries)
    if (answer === null) return
    if (answer._tag === "Failure") wanted.isRefused = true
    else {
      const { made } = wanted
      if (made !== null && made.telcoPackageId !== answer.success.telcoPackageId) {
        problems.push(`${packageId} is another package the second time`)
      }
      wanted.made = answer.success
    }
  })

  const usedOn = (iccid: string, made: Telco.TelcoPackage | null): number =>
    (supplier.esims.get(iccid)?.assignments ?? [])
      .filter(({ reference }) => made !== null && reference.startsWith(made.telcoPackageId))
      .reduce((sum, { initial, remaining }) => sum + initial - remaining, 0)

  const cancel = Effect.fnUntraced(function* (iccid: string, wanted: Wanted) {
    const { packageId } = wanted
    if (oneIn(3)) {
      const undone = yield* until((port) =>
        port.cancelPackage({ iccid, packageId, key: `undo ${packageId}`, isUndone: true })
      )
      if (undone?._tag === "Failure") count("undo refused")
    }
    const answer = yield* until((port) => port.cancelPackage({ iccid, packageId }))
    if (answer?._tag !== "Success")
      problems.push(`${packageId} cannot be cancelled: ${String(answer?.failure.message)}`)
    wanted.isCancelled = true
    wanted.usedBefore = usedOn(iccid, wanted.made)
  })

  const life = Effect.fnUntraced(function* (customer: Customer) {
    yield* sleep(oneIn(2) ? SECOND : 30 * MINUTE)
    yield* purchase(customer, oneIn(4) ? 1 + random(3) : undefined)
    if (customer.sim === null) return
    const { iccid } = customer.sim
    for (let index = 0; oneIn(index + 1) && index < 5; index++) {
      const packageId = `of-${customer.purchaseId}-${index}:0`
      const load = oneIn(4) ? pick(bundles).name : customer.load
      const wanted: Wanted = { packageId, load, made: null, isRefused: false, isCancelled: false, usedBefore: 0 }
      customer.packages.push(wanted)
      yield* create(iccid, wanted, oneIn(4) ? 1 + random(3) : undefined)
      if (oneIn(4)) yield* create(iccid, wanted, 2)
      yield* sleep(MINUTE)
      if (wanted.made !== null && oneIn(3)) {
        const assignments = supplier.esims.get(iccid)?.assignments ?? []
        for (const one of assignments) one.isProcessing = false
        const isLeft = assignments.some((one) => /queued|active/.test(Supplier.stateOf(one, supplier.now)))
        if (isLeft) supplier.use(iccid, 1 + random(1_500_000_000))
      }
      if (oneIn(6)) yield* until((port) => port.suspendPackage({ iccid, packageId }))
      if (oneIn(3)) yield* cancel(iccid, wanted)
    }
    if (customer.packages.every(({ isCancelled }) => isCancelled) && oneIn(2)) {
      const returned = yield* until(
        (port) => port.returnSim?.({ purchaseId: customer.purchaseId, iccid }) ?? Effect.die("it takes none back")
      )
      customer.isReturned = returned?._tag === "Success"
      if (customer.isReturned) {
        count("given back")
        world.returned.add(iccid)
      }
    }
  })

  const elsewhere = Effect.gen(function* () {
    while (oneIn(2)) {
      yield* sleep(20 * MINUTE)
      count("sold elsewhere")
      const { name } = pick(bundles)
      const { iccid } = supplier.order(name, null)
      if (oneIn(2)) supplier.order(name, iccid)
    }
  })

  const customers: ReadonlyArray<Customer> = Array.from({ length: 1 + random(8) }, (_, index) => ({
    purchaseId: `pur-${index}`,
    load: oneIn(3) ? pick(bundles).name : Supplier.week.name,
    sim: null,
    isReturned: false,
    packages: []
  }))
  yield* Effect.all([elsewhere, Effect.forEach(customers, life, { concurrency: "unbounded", discard: true })], {
    concurrency: "unbounded",
    discard: true
  })

  // On to where nothing is late any more. What was given up by then is done.
  yield* Effect.sleep(Math.max(0, START + HOUR - now()) + 11 * MINUTE)
  processes.splice(0, 2, begin(true))
  for (const customer of customers) {
    yield* purchase(customer)
    if (customer.sim === null) problems.push(`${customer.purchaseId} was not bought`)
    if (customer.sim === null) continue
    for (const wanted of customer.packages) {
      if (wanted.made === null && !wanted.isCancelled && !wanted.isRefused) yield* create(customer.sim.iccid, wanted)
    }
  }

  // Each eSIM is one purchase, and each package is one order.
  const owners = new Map<string, string>()
  const own = (reference: string, owner: string) => {
    const other = owners.get(reference)
    if (other !== undefined) problems.push(`${owner} and ${other} have the same order`)
    owners.set(reference, owner)
  }
  const last = begin(true)
  // All that was made is in the lists then.
  yield* Effect.sleep(5 * MINUTE)
  for (const { isReturned, load, packages, purchaseId, sim } of customers) {
    if (sim === null) continue
    const sale = supplier.orders.find(({ isNewEsim, matchingId }) => isNewEsim && sim.lpa.endsWith(`$${matchingId}`))
    if (sale === undefined || sale.item !== load) problems.push(`${purchaseId} has an eSIM that was not sold`)
    if (sale !== undefined) own(sale.reference, purchaseId)
    // Those of one that was given back too: what was used up stays in its list.
    for (const { made, packageId } of packages) {
      const order = supplier.orders.find(({ reference }) => reference === made?.telcoPackageId)
      if (order?.isNewEsim === false) own(order.reference, packageId)
    }
    if (sale !== undefined && sale.cents !== sim.cost?.units) problems.push(`${purchaseId} has another price`)
    const bought = yield* Effect.orDie(last.purchases.boughtOf(sim.iccid))
    if (bought?.purchaseId !== purchaseId) continue
    const listed = yield* Effect.orDie(last.telco.listPackages?.({ iccid: sim.iccid }) ?? Effect.succeed(null))
    const expected = packages.filter(({ isCancelled }) => !isCancelled).map(({ packageId }) => packageId)
    if (JSON.stringify(listed?.toSorted()) !== JSON.stringify(expected.toSorted()))
      problems.push(`${purchaseId} lists ${String(listed)}`)
    // One that has left the account, and may have been sold to somebody else.
    if (isReturned || supplier.esims.get(sim.iccid)?.matchingId !== sale?.matchingId) continue
    const usage = yield* Effect.orDie(last.telco.readUsage?.({ iccid: sim.iccid, stopped: [] }) ?? Effect.succeed(null))
    for (const { isCancelled, load: of, made, packageId, usedBefore } of packages) {
      if (made === null) continue
      const order = supplier.orders.find(({ reference }) => reference === made.telcoPackageId)
      if (order?.iccid !== sim.iccid || order.item !== of) problems.push(`${packageId} is no order of its own`)
      const assignments = supplier
        .esim(sim.iccid)
        .assignments.filter(({ reference }) => reference.startsWith(made.telcoPackageId))
      const used = usedOn(sim.iccid, made)
      const reported = usage?.find((one) => one.packageId === packageId)
      if (isCancelled !== (reported === undefined))
        problems.push(`${packageId} has ${reported === undefined ? "no" : "a"} usage`)
      if (reported !== undefined && reported.usedBytes !== used) problems.push(`${packageId} has used ${used}`)
      const isLeft = assignments.some(({ isRevoked, remaining }) => !isRevoked && remaining > 0)
      const isFree = order?.isNewEsim === true && usedBefore === 0
      if (isCancelled && isLeft && !isFree) problems.push(`${packageId} was cancelled, and is on ${sim.iccid}`)
    }
  }
  const strangers = new Set<string>()
  yield* Effect.sleep(48 * HOUR)
  for (const { name: load } of bundles) {
    const found = yield* Effect.orDie(last.purchases.strangers({ load, since: START - HOUR }))
    for (const { reference } of found) strangers.add(reference)
  }
  for (const { iccid, isNewEsim, reference } of supplier.orders) {
    const owner = owners.get(reference)
    if (owner !== undefined && strangers.has(reference)) problems.push(`${reference} of ${owner} is a stranger too`)
    if (isNewEsim && owner === undefined && !strangers.has(reference) && supplier.esims.has(iccid)) {
      problems.push(`${reference} is neither bought nor a stranger`)
    }
    const left = supplier.esims
      .get(iccid)
      ?.assignments.filter((one) => one.reference.startsWith(reference) && !one.isRevoked)
    if (!isNewEsim && ours.has(reference) && owner === undefined && left !== undefined && left.length > 0) {
      problems.push(`${reference} is a top-up that no package has`)
    }
  }
  const sold = supplier.orders.filter(({ isNewEsim, reference }) => isNewEsim && ours.has(reference)).length
  if (sold > customers.length) problems.push(`${sold} eSIMs were ordered for ${customers.length} purchases`)
  return problems
})

/** Runs one seed. */
export const run = async (seed: number, planted: Planted = {}): Promise<Run> => {
  const world = make(seed)
  const problems = await simulate(world, planted).pipe(
    Random.withSeed(seed),
    Effect.catchCause((cause) => Effect.succeed([`the run has failed: ${String(cause)}`])),
    Effect.provideService(Logger.CurrentLoggers, new Set()),
    Effect.provideService(Clock.Clock, world.machine.clock),
    Effect.provideService(Scheduler.Scheduler, world.machine.scheduler),
    Effect.runPromise
  )
  const { now, struck, supplier } = world
  return { problems, struck, trace: JSON.stringify([now(), supplier.orders]) }
}
