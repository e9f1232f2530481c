/**
 * Shops that sell eSIMs of Airalo under faults, from a seed: buyers and packages that try again,
 * processes that die at any call, and a supplier that loses, delays and refuses. All in virtual
 * time, over the requests that the adapter makes and the fake's answers, without a socket.
 */
import { Clock, Context, Effect, Fiber, Latch, Layer, Logger, Random, Scheduler } from "effect"
import { Telco } from "simplan/ports"
import * as Machine from "../../adapters/simulation/Machine.ts"
import * as Airalo from "../../adapters/telco-airalo/Airalo.ts"
import * as Envelope from "../../adapters/telco-airalo/Envelope.ts"
import * as PartnerApi from "../../adapters/telco-airalo/PartnerApi.ts"
import * as PartnerCalls from "../../adapters/telco-airalo/PartnerCalls.ts"
import { CallFailure, Journal, Purchases } from "../../adapters/telco-calls/index.ts"
import * as FakeBooks from "./FakeBooks.ts"
import { LATE, packageOrder, purchase, TOP_UP } from "./Shop.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const START = Date.UTC(2026, 10, 30)

/** A fault that a run has planted, which its checks have to find. */
export interface Planted {
  readonly ask?: (ask: PartnerCalls.Ask) => PartnerCalls.Ask
  readonly journal?: (journal: Journal.Journal["Service"]) => Journal.Journal["Service"]
  readonly lateMillis?: number
}

/** What came of a run. */
export interface Run {
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  readonly struck: ReadonlyMap<string, number>
  /** Shows whether two runs went the same way. */
  readonly trace: string
}

type Port = Telco.Telco["Service"]

interface Process {
  readonly port: Port
  readonly isDead: () => boolean
  readonly died: Effect.Effect<void>
}

const make = (seed: number) => {
  const next = Machine.generator(seed)
  const random = (bound: number): number => next() % bound
  const oneIn = (number: number): boolean => random(number) === 0
  const machine = Machine.time(START, random)
  const now = () => machine.clock.currentTimeMillisUnsafe()
  const calmFrom = START + 40 * MINUTE
  const isCalm = () => now() > calmFrom
  const struck = new Map<string, number>()
  const count = (what: string): void => void struck.set(what, (struck.get(what) ?? 0) + 1)
  const laziness = oneIn(2) ? 1 : 1 + random(60 * SECOND)
  const { answer, books } = FakeBooks.make({
    now,
    listLag: () => random(laziness),
    keepsTopUpText: oneIn(2),
    withNetPrice: oneIn(2),
    balance: oneIn(4) ? 450 * (1 + random(8)) : 10_000_000
  })
  return { random, oneIn, machine, now, calmFrom, isCalm, struck, count, answer, books, opening: books.balance }
}

type World = ReturnType<typeof make>

const lost = new CallFailure.CallFailure({ outcome: "Unknown", message: "no answer" })

const tooMany = { status: 429, body: { message: "Too Many Attempts." }, retryAfterSeconds: undefined }

const same = (text: string): string => text

/** Requests to the fake, each with a fate. */
const askOver =
  ({ answer, count, isCalm, oneIn, random }: World): PartnerCalls.Ask =>
  (request) =>
    Effect.gen(function* () {
      const { form = {}, json, method, path, query = {} } = request
      const fields = typeof json === "object" && json !== null ? { ...json } : form
      const asked = { method, path: `/${path}`, query: new URLSearchParams(query), headers: {}, fields }
      const perform = Effect.gen(function* () {
        yield* Effect.sleep(oneIn(4) ? random(2 * SECOND) : 0)
        const reply = answer(asked)
        yield* Effect.sleep(oneIn(4) ? random(2 * SECOND) : 0)
        return { ...reply, retryAfterSeconds: undefined }
      })
      const name = method === "GET" ? "look" : request.name
      const fate = isCalm() ? 99 : random(method === "GET" ? 60 : 12)
      if (fate < 2) {
        count(`${name}: request lost`)
        return yield* lost
      }
      if (fate === 2) {
        count(`${name}: too many`)
        return yield* Envelope.failureOf(request, tooMany, same)
      }
      if (fate < 5 && method === "POST") {
        count(`${name}: late`)
        yield* Effect.forkDetach(Effect.delay(perform, random(100 * SECOND)))
        return yield* lost
      }
      const received = yield* perform
      if (fate < 8 && method === "POST") {
        count(`${name}: answer lost`)
        return yield* lost
      }
      if (Envelope.isDone(received)) return received.body
      return yield* Envelope.failureOf(request, received, same)
    })

/** Starts a process, which dies at a call or a write of the journal in many cases. */
const start = (world: World, shared: Journal.Journal["Service"], planted: Planted, isSafe: boolean) =>
  Effect.gen(function* () {
    const { count, oneIn, random } = world
    const died = Latch.makeUnsafe(false)
    let isDead = false
    let dieIn = !isSafe && oneIn(2) ? 1 + random(120) : 0
    const point = Effect.suspend(() => {
      if (dieIn > 0 && --dieIn === 0) {
        isDead = true
        died.openUnsafe()
        count("process dies")
      }
      return isDead ? Effect.interruptible(Effect.never) : Effect.void
    })
    const around = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.gen(function* () {
        if (isDead) return yield* Effect.die("the process is dead")
        yield* point
        const exit = yield* Effect.exit(operation)
        yield* point
        return yield* exit
      })
    const journal: Journal.Journal["Service"] = {
      ...shared,
      get: (place) => around(shared.get(place)),
      ofSim: (of) => around(shared.ofSim(of)),
      ofExternalId: (of) => around(shared.ofExternalId(of)),
      add: (entry, also) => around(shared.add(entry, also)),
      replace: (entry, also) => around(shared.replace(entry, also)),
      lock: (of) => around(shared.lock(of)),
      unlock: (of) => around(shared.unlock(of))
    }
    const { ask: change = (one) => one, journal: changed = (one) => one, lateMillis = LATE } = planted
    const ask = change(askOver(world))
    const services = yield* Effect.scoped(
      Layer.build(
        Airalo.layerWithoutApi({ lateMillis }).pipe(
          Layer.fresh,
          Layer.provide(Layer.succeed(Journal.Journal, changed(journal))),
          Layer.provide(
            Layer.succeed(
              PartnerApi.PartnerApi,
              PartnerCalls.make((request) => around(ask(request)))
            )
          )
        )
      )
    )
    const process: Process = { port: Context.get(services, Telco.Telco), isDead: () => isDead, died: died.await }
    return process
  })

/** What became of a package, as its shop knows. */
interface Tracked {
  readonly packageId: string
  readonly iccid: string
  made: Telco.TelcoPackage | null
  isRefused: boolean
  isCancelled: boolean
}

const simulate = Effect.fnUntraced(function* (world: World, planted: Planted) {
  const { books, calmFrom, count, isCalm, now, oneIn, random } = world
  const memory = yield* Journal.makeMemory
  // Locks that never hold anybody up: nothing of purchases may depend on them.
  const problems: Array<string> = []
  const sleep = (bound: number) => Effect.sleep(random(bound))
  const begin = (isSafe: boolean) => start(world, memory, planted, isSafe)
  const processes = [yield* begin(false), yield* begin(false)]

  const alive = Effect.gen(function* () {
    const slot = random(processes.length)
    if (processes[slot]?.isDead() === true) {
      yield* sleep(20 * SECOND)
      processes[slot] = yield* begin(isCalm())
    }
    return processes[slot] ?? (yield* begin(true))
  })

  type Use<A> = (port: Port) => Effect.Effect<A, CallFailure.TelcoFailure>

  /** A call that is made until it has an outcome; null: it has none after so many tries. */
  const until = Effect.fnUntraced(function* <A>(use: Use<A>, tries: number) {
    for (let tried = 0; tried < tries; tried++) {
      const { died, port } = yield* alive
      const waitLimit = !isCalm() && oneIn(6) ? random(5 * SECOND) : 10 * MINUTE
      const gone = Effect.race(Effect.sleep(waitLimit), died)
      const result = yield* Effect.raceFirst(Effect.result(use(port)), Effect.as(gone, null))
      if (result?._tag === "Success") return { value: result.success }
      if (result?.failure._tag === "Telco.Refused") return { refusal: result.failure }
      yield* sleep(oneIn(3) ? 90 * SECOND : 5 * SECOND)
    }
    return null
  })

  const sims = new Map<string, Telco.BoughtSim | null>()
  const packages: Array<Tracked> = []

  const buy = Effect.fnUntraced(function* (purchaseId: string, tries: number) {
    const outcome = yield* until((port) => port.buySim?.(purchase(purchaseId)) ?? Effect.die("no"), tries)
    if (outcome === null) return null
    const sim = "value" in outcome ? outcome.value : null
    const known = sims.get(purchaseId)
    if (known !== undefined && known?.iccid !== sim?.iccid) problems.push(`${purchaseId} has another outcome later`)
    sims.set(purchaseId, sim)
    return sim
  })

  const create = Effect.fnUntraced(function* (tracked: Tracked, tries: number) {
    const outcome = yield* until((port) => port.createPackage(packageOrder(tracked.packageId, tracked.iccid)), tries)
    if (outcome === null) return
    if ("refusal" in outcome) tracked.isRefused = true
    else {
      if (tracked.made !== null && tracked.made.telcoPackageId !== outcome.value.telcoPackageId) {
        problems.push(`${tracked.packageId} is another package later`)
      }
      tracked.made = outcome.value
    }
  })

  const cancel = Effect.fnUntraced(function* (tracked: Tracked) {
    const { iccid, packageId } = tracked
    const outcome = yield* until((port) => port.cancelPackage({ iccid, packageId }), 1_000)
    if (outcome === null) problems.push(`${packageId} is neither cancelled nor refused`)
    tracked.isCancelled = outcome !== null && "value" in outcome
    if (tracked.isCancelled) count("package cancelled")
  })

  const actor = Effect.fnUntraced(function* (purchaseId: string) {
    yield* sleep(oneIn(2) ? SECOND : 15 * MINUTE)
    const twin = oneIn(3) ? yield* Effect.forkChild(Effect.andThen(sleep(20 * SECOND), buy(purchaseId, 3))) : null
    const sim = yield* buy(purchaseId, 1_000)
    if (twin !== null) yield* Fiber.join(twin)
    if (sim === null) return
    const wanted = Array.from({ length: random(4) }, (_, index): Tracked => {
      const packageId = `${purchaseId}-${index}:0`
      return { packageId, iccid: sim.iccid, made: null, isRefused: false, isCancelled: false }
    })
    packages.push(...wanted)
    yield* Effect.forEach(
      wanted,
      Effect.fnUntraced(function* (tracked) {
        yield* sleep(oneIn(2) ? SECOND : 5 * MINUTE)
        yield* create(tracked, oneIn(4) ? 1 : 1_000)
        if (oneIn(6)) books.use(sim.iccid, "sim", 1)
        if (oneIn(3)) yield* cancel(tracked)
      }),
      { concurrency: "unbounded", discard: true }
    )
  })
  const ids = Array.from({ length: 1 + random(5) }, (_, index) => `pur-${index === 0 ? 1 : 9 + index}`)
  yield* Effect.forEach(ids, actor, { concurrency: "unbounded", discard: true })

  // On to where nothing is late any more.
  yield* Effect.sleep(Math.max(0, calmFrom - now()) + 12 * MINUTE)
  processes.splice(0, 2, yield* begin(true))
  for (const id of ids) if ((yield* buy(id, 1_000)) === null && !sims.has(id)) problems.push(`${id} does not end`)
  for (const tracked of packages) if (!tracked.isCancelled) yield* create(tracked, 1_000)
  for (const tracked of packages) {
    if (tracked.isCancelled) {
      yield* create(tracked, 1_000)
      if (!tracked.isRefused) problems.push(`${tracked.packageId} is there after it was cancelled`)
    } else if (tracked.made === null && !tracked.isRefused) problems.push(`${tracked.packageId} does not end`)
  }

  let [charged, unknownCosts] = [0, 0]
  const pay = (cost: Telco.BoughtSim["cost"]) => {
    if (cost === null) unknownCosts++
    else charged += Math.round(cost.units * 10 ** (2 - cost.scale))
  }
  const owned = new Set<string>()
  for (const [id, sim] of sims) {
    const orders = books.orders.filter(({ description, kind }) => kind === "sim" && description === Purchases.keyOf(id))
    if (orders.length !== (sim === null ? 0 : 1)) problems.push(`${id} was ordered ${orders.length} times`)
    if (sim === null) continue
    if (orders[0]?.sims[0]?.iccid !== sim.iccid) problems.push(`${id} has an eSIM of another order`)
    if (owned.has(sim.iccid)) problems.push(`${id} has an eSIM of another purchase`)
    owned.add(sim.iccid)
    pay(sim.cost)
  }
  for (const iccid of owned) {
    const own = packages.filter((tracked) => tracked.iccid === iccid)
    const kept = own.filter(({ isCancelled, made }) => made !== null && !isCancelled)
    const load = books.orders.find(({ kind, sims: [sim] }) => kind === "sim" && sim?.iccid === iccid)
    const withLoad = kept.filter(({ made }) => made?.telcoPackageId === String(load?.id))
    if (withLoad.length > 1) problems.push(`${iccid} has its load ${withLoad.length} times`)
    const topUps = kept.filter((tracked) => !withLoad.includes(tracked))
    const orders = books.orders.filter(({ kind, sims: [sim] }) => kind === "topup" && sim?.iccid === iccid)
    if (orders.length !== topUps.length) {
      problems.push(`${iccid} was topped up ${orders.length} times for ${topUps.length} packages`)
    }
    const names = new Set(topUps.map(({ made }) => made?.telcoPackageId))
    if (names.size !== topUps.length) problems.push(`${iccid} has a top-up for two packages`)
    for (const { made } of topUps) pay(made?.cost ?? null)
    const port = (yield* begin(true)).port
    const listed = yield* port.listPackages?.({ iccid }) ?? Effect.succeed(null)
    const expected = kept.map(({ packageId }) => packageId).toSorted()
    if (JSON.stringify(listed?.toSorted()) !== JSON.stringify(expected)) {
      problems.push(`${iccid} lists ${JSON.stringify(listed)} for ${JSON.stringify(expected)}`)
    }
  }
  // What was found without its answer has the price that stands: prices do not move here.
  const topUpPrice = 410
  const spent = world.opening - books.balance
  if (charged + unknownCosts * topUpPrice !== spent) {
    problems.push(`${spent} was charged, and ${charged} and ${unknownCosts} times ${TOP_UP} is known`)
  }
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
  const { books, now, struck } = world
  return { problems, struck, trace: JSON.stringify([now(), books.orders, books.balance]) }
}
