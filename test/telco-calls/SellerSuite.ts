/**
 * Purchases of SIMs under faults, from a seed: buyers that try again, processes that die and stand
 * still at any call, and a supplier that loses, delays and refuses. All in virtual time, and the
 * course of a run is the seed's.
 */
import { Clock, Effect, type Exit, Fiber, Latch, Logger, Random, Scheduler } from "effect"
import type { Amount, Telco } from "simplan/ports"
import * as Machine from "../../adapters/simulation/Machine.ts"
import { type CallFailure, Journal, Purchases } from "../../adapters/telco-calls/index.ts"
import * as Supplier from "./selling/Supplier.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 1_440 * MINUTE

const START = Date.UTC(2026, 10, 30)

/** Which seller is run. */
export type Strategy = Purchases.Seller["strategy"]

/** What is run of purchases. */
export type Used = Pick<Purchases.Purchases, "buy" | "giveBack" | "boughtOf" | "strangers">

/** What purchases are made over, in a process of a run. */
export interface Surroundings {
  readonly journal: Journal.Journal["Service"]
  /** What the supplier takes back. */
  readonly takeBack: (reference: string) => Effect.Effect<Telco.Refund>
  /** Runs in the time of the run. */
  readonly inItsTime: <A, E>(effect: Effect.Effect<A, E>) => Promise<Exit.Exit<A, E>>
}

/**
 * What a run may have planted: a fault of the strategy, which the suite has to find. `purchases`:
 * what is run instead, which may wait for promises, and whose supplier allocates at once.
 */
export interface Planted {
  readonly seller?: (seller: Purchases.Seller) => Purchases.Seller
  readonly journal?: (journal: Journal.Journal["Service"]) => Journal.Journal["Service"]
  readonly lateMillis?: number
  readonly purchases?: (seller: Purchases.Seller, of: Surroundings) => Used
}

/** What came of a run. */
export interface Run {
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  readonly struck: ReadonlyMap<string, number>
  /** Shows whether two runs went the same way. */
  readonly trace: string
}

interface Process {
  readonly purchases: Used
  readonly isDead: () => boolean
  readonly died: Effect.Effect<void>
}

/** What a buyer has been answers. */
interface Answered {
  sim: Telco.BoughtSim | null
  refusal: Telco.Refused | null
  isReturned: boolean
}

/** How many microtasks a promise of what is run has until time goes on. */
const MICROTASKS = 40

const make = (seed: number, isOfPromises: boolean) => {
  const next = Machine.generator(seed)
  const random = (bound: number): number => next() % bound
  const oneIn = (number: number): boolean => random(number) === 0
  const pick = <A>(from: ReadonlyArray<A>): A => {
    const found = from[random(from.length)]
    if (found === undefined) throw new Error("nothing to pick from")
    return found
  }
  const machine = Machine.time(START, random, isOfPromises ? MICROTASKS : 0)
  const now = () => machine.clock.currentTimeMillisUnsafe()
  const calmFrom = START + 40 * MINUTE
  const isFaulty = !oneIn(10)
  // Orders may come after the time for which they are waited for.
  const isTooLate = oneIn(6)
  const isCalm = () => !isFaulty || now() > calmFrom
  const skew = oneIn(2) ? 0 : random(180 * SECOND) - 90 * SECOND
  const laziness = pick([0, 0, 20 * SECOND, 50 * SECOND])
  const refusing = { from: START + random(30 * MINUTE), for: oneIn(3) ? random(10 * MINUTE) : 0 }
  const refusal = pick(["sold_out", "no_balance"] as const)
  const supplier = Supplier.make({
    now,
    skew,
    refusesFirst: oneIn(2),
    latency: () => (oneIn(20) ? SECOND * (1 + random(8)) : pick([0, 0, 100, SECOND])),
    lag: () => (laziness === 0 ? 0 : random(laziness)),
    allocation: () => (isOfPromises || oneIn(2) ? 0 : random(30 * SECOND)),
    price: (load) => 100 * load.length + (isFaulty ? Math.floor((now() - START) / (7 * MINUTE)) : 0),
    refusal: () => (!isCalm() && now() >= refusing.from && now() < refusing.from + refusing.for ? refusal : null),
    readFault: () => !isCalm() && oneIn(10),
    orderFault: () => {
      if (isCalm() || oneIn(2)) return null
      const kind = pick(["request lost", "answer lost", "half body", "late", "late", "too many"] as const)
      return kind === "late" ? { kind, after: random(isTooLate ? 30 * MINUTE : 100 * SECOND) } : { kind }
    }
  })
  return { random, oneIn, pick, machine, now, isCalm, isTooLate, calmFrom, supplier }
}

type World = ReturnType<typeof make>

const inTime = <A, E>({ clock, scheduler }: Machine.MachineTime, effect: Effect.Effect<A, E>) =>
  effect.pipe(
    Effect.provideService(Logger.CurrentLoggers, new Set()),
    Effect.provideService(Clock.Clock, clock),
    Effect.provideService(Scheduler.Scheduler, scheduler)
  )

/** Starts a process, with a mishap to come in many cases. */
const start = (
  { machine, now, oneIn, random, supplier }: World,
  shared: Journal.Journal["Service"],
  strategy: Strategy,
  { isSafe, planted }: { readonly isSafe: boolean; readonly planted: Planted }
): Process => {
  const died = Latch.makeUnsafe(false)
  let isDead = false
  let dieIn = !isSafe && oneIn(2) ? 1 + random(80) : 0
  let freezeIn = !isSafe && oneIn(2) ? 1 + random(60) : 0
  let frozenUntil = 0

  const point = Effect.gen(function* () {
    if (oneIn(2)) yield* Effect.sleep(random(oneIn(8) ? 2 * SECOND : 50))
    if (freezeIn > 0 && --freezeIn === 0) {
      frozenUntil = now() + random(60 * SECOND)
      supplier.count("process stands still")
    }
    if (dieIn > 0 && --dieIn === 0) {
      isDead = true
      died.openUnsafe()
      supplier.count("process dies")
    }
    while (!isDead && frozenUntil > now()) yield* Effect.sleep(frozenUntil - now())
    if (isDead) yield* Effect.interruptible(Effect.never)
  })

  /** An operation, with a point before it and after it. */
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

  /** A write of the journal, which may fail, and may be done all the same. */
  const written = <A>(operation: Effect.Effect<A, Journal.JournalError>): Effect.Effect<A, Journal.JournalError> =>
    Effect.suspend(() => {
      if (isSafe || !oneIn(40)) return operation
      supplier.count("write of the journal fails")
      const failure = new Journal.JournalError({ message: "The journal is out of reach" })
      return oneIn(2) ? Effect.andThen(operation, failure) : Effect.fail(failure)
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
  const { seller: change = (seller) => seller, journal: changed = (one) => one, lateMillis, purchases } = planted
  const seller = withPoints(change(supplier.sellers[strategy]), around)
  return {
    isDead: () => isDead,
    died: died.await,
    purchases:
      purchases?.(seller, {
        journal: changed(journal),
        takeBack: (reference) => around(supplier.takeBack(reference)),
        inItsTime: (effect) => Effect.runPromiseExit(inTime(machine, effect))
      }) ??
      Purchases.make(seller, {
        telco: "supplier",
        journal: changed(journal),
        ...(lateMillis !== undefined && { lateMillis })
      })
  }
}

const withPoints = (
  seller: Purchases.Seller,
  around: <A, E>(operation: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Purchases.Seller => {
  const { order, quote, read } = seller
  const base = {
    order: (of: Purchases.Order) => around(order(of)),
    read: (of: Parameters<typeof read>[0]) => around(read(of)),
    ...(quote !== undefined && { quote: (of: Telco.SimPurchase) => around(quote(of)) })
  }
  const searching =
    (search: Purchases.Referenced["search"]): Purchases.Referenced["search"] =>
    (key, since) =>
      around(search(key, since))
  switch (seller.strategy) {
    case "Keyed":
      return { ...base, strategy: "Keyed", ...(seller.search !== undefined && { search: searching(seller.search) }) }
    case "Referenced":
      return { ...base, strategy: "Referenced", search: searching(seller.search) }
    case "Anonymous":
      return { ...base, strategy: "Anonymous", list: (of) => around(seller.list(of)) }
  }
}

const simulate = Effect.fnUntraced(function* (world: World, strategy: Strategy, planted: Planted) {
  const { calmFrom, isCalm, isTooLate, now, oneIn, pick, random, supplier } = world
  const memory = yield* Journal.makeMemory
  // Locks that never hold anybody up, as if each holder had stood still for too long: nothing may
  // depend on them.
  const shared = oneIn(4) ? { ...memory, lock: () => Effect.succeed(true) } : memory
  const problems: Array<string> = []
  const sleep = (bound: number) => Effect.sleep(random(bound))
  const loads = oneIn(2) ? ["daily"] : ["daily", "weekly"]
  const count = 1 + random(12)
  const answers = new Map<string, Answered>()

  const begin = (isSafe: boolean) => start(world, shared, strategy, { isSafe, planted })
  const processes = [begin(false), begin(false)]
  const alive = Effect.fnUntraced(function* () {
    const slot = random(processes.length)
    if (processes[slot]?.isDead() !== true) return processes[slot] ?? begin(true)
    yield* sleep(20 * SECOND)
    if (processes[slot]?.isDead() === true) processes[slot] = begin(isCalm())
    return processes[slot] ?? begin(true)
  })

  type Use<A> = (purchases: Used) => Effect.Effect<A, CallFailure.TelcoFailure>

  /** A call whose caller may wait no longer. Null: it has no answer. */
  const attempt = Effect.fnUntraced(function* <A>(use: Use<A>) {
    const process = yield* alive()
    const waitLimit = !isCalm() && oneIn(6) ? random(5 * SECOND) : 10 * MINUTE
    const gone = Effect.race(Effect.sleep(waitLimit), process.died)
    return yield* Effect.raceFirst(Effect.result(use(process.purchases)), Effect.as(gone, null))
  })

  const until = Effect.fnUntraced(function* <A>(use: Use<A>, tries: number) {
    for (let tried = 0; tried < tries; tried++) {
      const result = yield* attempt(use)
      if (result?._tag === "Success") return result
      if (result?.failure._tag === "Telco.Refused") return result
      yield* sleep(oneIn(3) ? 90 * SECOND : 5 * SECOND)
    }
    return null
  })

  const same = (purchaseId: string, sim: Telco.BoughtSim | null, refusal: Telco.Refused | null) => {
    const known = answers.get(purchaseId)
    if (known === undefined) return void answers.set(purchaseId, { sim, refusal, isReturned: false })
    if (known.sim?.subscriberId !== sim?.subscriberId || known.refusal?.message !== refusal?.message) {
      problems.push(`${purchaseId} has another outcome the second time`)
    }
  }

  const limitOf = new Map<string, Amount.Amount | null>()
  const buy = (purchaseId: string, load: string, tries: number) =>
    Effect.gen(function* () {
      const limit = limitOf.get(purchaseId) ?? null
      const purchase = { purchaseId, load, limit, organizationId: "shop", label: "Green" } as const
      const answer = yield* until((purchases) => purchases.buy(purchase), tries)
      if (answer?._tag === "Success") same(purchaseId, answer.success, null)
      if (answer?._tag === "Failure" && answer.failure._tag === "Telco.Refused") same(purchaseId, null, answer.failure)
      return answer
    })

  const buyer = Effect.fnUntraced(function* ([purchaseId, load]: readonly [string, string]) {
    yield* sleep(oneIn(2) ? SECOND : 20 * MINUTE)
    if (oneIn(5)) limitOf.set(purchaseId, { units: 100 * load.length + random(3), scale: 2, currency: "USD" })
    const twin = oneIn(3) ? yield* Effect.forkChild(Effect.andThen(sleep(30 * SECOND), buy(purchaseId, load, 2))) : null
    const answer = yield* buy(purchaseId, load, oneIn(4) ? 1 + random(3) : 1_000)
    if (twin !== null) yield* Fiber.join(twin)
    if (answer?._tag !== "Success" || !oneIn(3)) return
    const { iccid, subscriberId } = answer.success
    const returned = yield* until(
      (purchases) =>
        purchases.giveBack({ purchaseId, iccid }, ({ reference }) => {
          if (reference !== subscriberId) problems.push(`${purchaseId} gives back ${reference}`)
          return supplier.takeBack(reference)
        }),
      1_000
    )
    if (returned?._tag !== "Success") problems.push(`${purchaseId} cannot be given back`)
    const known = answers.get(purchaseId)
    if (known !== undefined) known.isReturned = true
  })

  const elsewhere = Effect.gen(function* () {
    while (oneIn(2)) {
      yield* sleep(10 * MINUTE)
      supplier.count("sold elsewhere")
      supplier.sellElsewhere(pick(loads), pick(["", "a gift", "pur-1 of another shop"]))
    }
  })
  const others = yield* Effect.forkChild(elsewhere)
  const wanted = Array.from({ length: count }, (_, index) => [`pur-${index}`, pick(loads)] as const)
  yield* Effect.forEach(wanted, buyer, { concurrency: "unbounded", discard: true })
  yield* Fiber.join(others)

  // On to where nothing is late any more. What was given up by then is bought.
  yield* Effect.sleep(Math.max(0, calmFrom - now()) + 31 * MINUTE)
  processes.splice(0, 2, begin(true))
  for (const [purchaseId, load] of wanted) {
    if ((yield* buy(purchaseId, load, 1_000)) === null) problems.push(`${purchaseId} does not end`)
  }
  yield* Effect.sleep(2 * DAY)

  const owners = new Map<string, string>()
  for (const [purchaseId, { sim }] of answers) {
    if (sim === null) continue
    const reference = sim.subscriberId ?? ""
    const sale = supplier.sales.find((one) => one.reference === reference)
    const owner = owners.get(reference)
    if (owner !== undefined) problems.push(`${purchaseId} and ${owner} have the same eSIM`)
    owners.set(reference, purchaseId)
    if (sale === undefined) problems.push(`${purchaseId} has an eSIM that was not sold`)
    if (sale?.price !== sim.cost?.units) {
      problems.push(`${purchaseId} was charged ${sale?.price}, and says ${sim.cost?.units}`)
    }
    if (sale !== undefined && sale.iccid !== sim.iccid) problems.push(`${purchaseId} has another ICCID`)
  }
  const strangers = new Set<string>()
  for (const load of loads) {
    const found = yield* Effect.orDie(begin(true).purchases.strangers({ load, since: START - DAY }))
    for (const { reference } of found) strangers.add(reference)
  }
  let ours = 0
  for (const { isOurs, reference } of supplier.sales) {
    const owner = owners.get(reference)
    if (owner !== undefined && strangers.has(reference)) problems.push(`${reference} of ${owner} is a stranger too`)
    if (isOurs) ours++
    if (strategy === "Anonymous") {
      if (owner === undefined && !strangers.has(reference))
        problems.push(`${reference} is neither bought nor a stranger`)
    } else if (isOurs ? owner === undefined && !isTooLate : owner !== undefined) {
      problems.push(`${reference} is ${owner === undefined ? "nobody's" : `${owner}'s, and not its own`}`)
    }
  }
  if (ours > owners.size && !isTooLate) problems.push(`${ours} eSIMs were ordered for ${owners.size} purchases`)

  for (const [purchaseId, { isReturned, sim }] of answers) {
    if (sim === null) continue
    const bought = yield* Effect.orDie(begin(true).purchases.boughtOf(sim.iccid))
    const sales = supplier.sales.filter(({ iccid, reference }) => iccid === sim.iccid && owners.has(reference))
    if (bought?.reference !== sales.at(-1)?.reference) problems.push(`${sim.iccid} is not of its last purchase`)
    if (bought?.purchaseId === purchaseId && (bought.returned !== null) !== isReturned) {
      problems.push(`${purchaseId} is not known as ${isReturned ? "given back" : "kept"}`)
    }
  }
  return problems
})

/** Runs one seed. */
export const run = async (strategy: Strategy, seed: number, planted: Planted = {}): Promise<Run> => {
  const world = make(seed, planted.purchases !== undefined)
  const problems = await simulate(world, strategy, planted).pipe(
    Random.withSeed(seed),
    Effect.catchCause((cause) => Effect.succeed([`the run has failed: ${String(cause)}`])),
    (run) => inTime(world.machine, run),
    Effect.runPromise
  )
  const { calls, sales, struck } = world.supplier
  return { problems, struck, trace: JSON.stringify([calls(), world.now(), sales]) }
}
