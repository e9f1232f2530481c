/**
 * Shops that sell eSIMs of eSIM Access under faults, from a seed: buyers and packages that try
 * again, processes that die at any call, and a supplier that loses, delays, cuts and refuses. All
 * in virtual time, over the requests that the adapter makes and the fake's answers, without a
 * socket.
 */
import { Clock, Context, Effect, Fiber, Latch, Layer, Logger, Random, Redacted, Scheduler, Scope, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { Telco } from "simplan/ports"
import * as Machine from "../../adapters/simulation/Machine.ts"
import { Account, type CallFailure, Journal, Purchases } from "../../adapters/telco-calls/index.ts"
import { EsimAccess, HttpApi } from "../../adapters/telco-esim-access/index.ts"
import * as FakeEsimAccess from "./FakeEsimAccess.ts"
import * as Opened from "./Opened.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const START = Date.UTC(2026, 10, 30)
const LATE = 300_000
const CODE = "11111111222222223333333344444444"
const LOADS = ["AU_1_7", "CKH491", "JP_0.5_Daily:3"]

/** A fault that a run has planted, which its checks have to find. */
export interface Planted {
  readonly journal?: (journal: Journal.Journal["Service"]) => Journal.Journal["Service"]
  /** Changes what comes back of a path. */
  readonly answer?: (path: string, text: string) => string
  /** Whether an order that comes again with its key is another one. */
  readonly forgetsKeys?: boolean
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
  readonly port: Telco.Telco["Service"]
  readonly purchases: Purchases.Purchases
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
  const isFaulty = !oneIn(10)
  const isCalm = () => !isFaulty || now() > calmFrom
  const struck = new Map<string, number>()
  const count = (what: string): void => void struck.set(what, (struck.get(what) ?? 0) + 1)
  const account = FakeEsimAccess.account(CODE, now)
  account.state.refusesFirst = oneIn(2)
  account.state.balance = oneIn(4) ? 20_000 * (1 + random(8)) : 1_000_000_000
  const opening = account.state.balance
  return { random, oneIn, machine, now, calmFrom, isCalm, struck, count, account, opening }
}

type World = ReturnType<typeof make>

/** Calls after which an eSIM is another one than before. */
const CHANGES = new Set(["/esim/order", "/esim/cancel", "/esim/revoke", "/esim/suspend", "/esim/unsuspend"])

const lost = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause: new Error("the connection was lost") })
  })

/** An answer whose body is there at once: a socket's would wait for something outside. */
export const reply = (request: HttpClientRequest.HttpClientRequest, status: number, text: string) => {
  const headers: Record<string, string> = status === 429 ? { "retry-after": "2" } : {}
  const response = HttpClientResponse.fromWeb(request, new Response(null, { status, headers }))
  const body = text === "" ? Stream.empty : Stream.succeed(new TextEncoder().encode(text))
  return Object.defineProperty(response, "stream", { value: body })
}

export const fieldsOf = ({ body }: HttpClientRequest.HttpClientRequest): Readonly<Record<string, unknown>> => {
  const parsed: unknown = body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : {}
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {}
}

/** The fake, each call with a fate. */
const clientOver = (world: World, { answer: changed = (_, text) => text, forgetsKeys = false }: Planted) => {
  const { account, count, isCalm, oneIn, random } = world
  const latency = Effect.suspend(() => Effect.sleep(oneIn(4) ? random(2 * SECOND) : 0))
  account.state.forgetsKeys = forgetsKeys

  return HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const path = url.pathname.replace(/^.*\/open/, "")
      const isChange = CHANGES.has(path)
      const fields = fieldsOf(request)
      const perform = Effect.gen(function* () {
        yield* latency
        account.state.allocatesIn = random(3)
        account.state.isOutOfStock = !isCalm() && oneIn(30)
        if (!isCalm() && oneIn(20)) account.state.risesBy = 100
        const text = changed(path, account.answer(path, request.headers["rt-accesscode"], fields))
        yield* latency
        return text
      })
      const strike = (what: string) => count(`${isChange ? path : "read"}: ${what}`)
      const fate = isCalm() ? 99 : random(isChange ? 16 : 80)
      if (fate === 0) {
        strike("request lost")
        return yield* lost(request)
      }
      if (fate === 1) {
        strike("too many")
        return reply(request, 429, "")
      }
      if (fate === 2) {
        strike("busy")
        return reply(request, 200, '{"success":false,"errorCode":"900001","errorMsg":"busy"}')
      }
      if ((fate === 3 || fate === 4) && isChange) {
        strike("late")
        yield* Effect.forkDetach(Effect.delay(perform, random(100 * SECOND)))
        return yield* lost(request)
      }
      const text = yield* perform
      if (fate === 5 || fate === 6) {
        strike("answer lost")
        return yield* lost(request)
      }
      if (fate === 7) {
        strike("half body")
        return reply(request, 200, text.slice(0, text.length / 2))
      }
      if (fate === 8) {
        strike("no JSON")
        return reply(request, 502, "<html>Bad Gateway</html>")
      }
      if (fate === 9) {
        strike("contradiction")
        return reply(request, 200, '{"success":true,"errorCode":"200002","errorMsg":"what?"}')
      }
      return reply(request, 200, text)
    })
  )
}

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
    const written = <A>(operation: Effect.Effect<A, Journal.JournalError>): Effect.Effect<A, Journal.JournalError> =>
      Effect.suspend(() => {
        if (isSafe || !oneIn(60)) return operation
        count("write of the journal fails")
        const failed = new Journal.JournalError({ message: "The journal is out of reach" })
        return oneIn(2) ? Effect.andThen(operation, failed) : Effect.fail(failed)
      })
    const { journal: changed = (one: Journal.Journal["Service"]) => one } = planted
    const journal = changed({
      ...shared,
      get: (place) => around(shared.get(place)),
      ofSim: (of) => around(shared.ofSim(of)),
      ofExternalId: (of) => around(shared.ofExternalId(of)),
      add: (entry, also) => around(written(shared.add(entry, also))),
      replace: (entry, also) => around(written(shared.replace(entry, also))),
      // A lock of a dead process is over at once: nothing may depend on it.
      lock: (of) => (oneIn(4) ? Effect.succeed(true) : around(shared.lock(of))),
      unlock: (of) => around(shared.unlock(of))
    })
    const client = clientOver(world, planted)
    const mortal = HttpClient.make((request) => around(client.execute(request)))
    const services = yield* Layer.buildWithScope(
      EsimAccess.layer({ telco: "esim-access", lateMillis: LATE }).pipe(
        Layer.fresh,
        Layer.provide([
          Layer.succeed(Journal.Journal, journal),
          Layer.fresh(
            HttpApi.layerWithoutClient({
              ...{ accessCode: Redacted.make(CODE), callsPerSecond: Number.POSITIVE_INFINITY, failures: 1_000_000 }
            })
          ).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, mortal)))
        ])
      ),
      yield* Scope.make()
    )
    const process: Process = {
      port: Context.get(services, Telco.Telco),
      purchases: Context.get(services, Account.Account).purchases,
      isDead: () => isDead,
      died: died.await
    }
    return process
  })

/** What became of a package, as its shop knows. */
interface Tracked {
  readonly packageId: string
  readonly iccid: string
  isMade: boolean
  isRefused: boolean
  isCancelled: boolean
}

/** An eSIM that was bought, and what became of it. */
interface Bought {
  readonly sim: Telco.BoughtSim
  readonly packages: Array<Tracked>
  isReturned: boolean
}

const simulate = Effect.fnUntraced(function* (world: World, planted: Planted) {
  const { account, calmFrom, count, isCalm, now, oneIn, opening, random } = world
  const memory = yield* Journal.makeMemory
  const problems: Array<string> = []
  const sleep = (bound: number) => Effect.sleep(random(bound))
  const begin = (isSafe: boolean) => start(world, memory, planted, isSafe)
  const processes = [yield* begin(false), yield* begin(false)]

  const alive = Effect.gen(function* () {
    const slot = random(processes.length)
    if (processes[slot]?.isDead() === true) {
      yield* sleep(20 * SECOND)
      if (processes[slot]?.isDead() === true) processes[slot] = yield* begin(isCalm())
    }
    return processes[slot] ?? (yield* begin(true))
  })

  type Use<A> = (port: Telco.Telco["Service"]) => Effect.Effect<A, CallFailure.TelcoFailure>

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
  const no = Effect.die("the port has no such operation")

  const outcomes = new Map<string, Bought | null>()

  const buy = Effect.fnUntraced(function* (purchaseId: string, load: string, tries: number) {
    const limit = purchaseId.length % 2 === 0 ? null : { units: 1_000_000, scale: 4, currency: "USD" }
    const outcome = yield* until((port) => port.buySim?.(Opened.purchase(purchaseId, { load, limit })) ?? no, tries)
    if (outcome === null) return null
    const sim = "value" in outcome ? outcome.value : null
    if ("refusal" in outcome) count(`refused: ${outcome.refusal.reason ?? "for good"}`)
    const known = outcomes.get(purchaseId)
    if (known !== undefined && known?.sim.subscriberId !== sim?.subscriberId) {
      problems.push(`${purchaseId} has another outcome later`)
    }
    if (known === undefined) outcomes.set(purchaseId, sim && { sim, packages: [], isReturned: false })
    return outcomes.get(purchaseId) ?? null
  })

  const create = Effect.fnUntraced(function* (tracked: Tracked, load: string, tries: number) {
    const { iccid, packageId } = tracked
    const outcome = yield* until((port) => port.createPackage(Opened.order(iccid, { packageId, load })), tries)
    if (outcome === null) return
    if ("refusal" in outcome) {
      tracked.isRefused = true
      if (tracked.isMade && !tracked.isCancelled) problems.push(`${packageId} is refused after it was there`)
    } else tracked.isMade = true
  })

  const profileOf = ({ sim }: Bought) => account.profiles.find(({ esimTranNo }) => esimTranNo === sim.subscriberId)

  const cancel = Effect.fnUntraced(function* (tracked: Tracked) {
    const { iccid, packageId } = tracked
    const outcome = yield* until((port) => port.cancelPackage({ iccid, packageId }), 1_000)
    if (outcome === null) problems.push(`${packageId} is neither cancelled nor refused`)
    tracked.isCancelled = outcome !== null && "value" in outcome
    if (tracked.isCancelled) count("package cancelled")
  })

  const life = Effect.fnUntraced(function* (purchaseId: string, load: string) {
    yield* sleep(oneIn(2) ? SECOND : 15 * MINUTE)
    const twin = oneIn(3) ? yield* Effect.forkChild(Effect.andThen(sleep(20 * SECOND), buy(purchaseId, load, 3))) : null
    const bought = yield* buy(purchaseId, load, oneIn(5) ? 1 + random(3) : 1_000)
    if (twin !== null) yield* Fiber.join(twin)
    if (bought === null) return
    const { iccid } = bought.sim
    for (let index = 0; index < 3 && oneIn(index + 1); index++) {
      const packageId = `${purchaseId}-${index}:0`
      const tracked: Tracked = { packageId, iccid, isMade: false, isRefused: false, isCancelled: false }
      bought.packages.push(tracked)
      yield* create(tracked, load, oneIn(4) ? 1 : 1_000)
      yield* sleep(oneIn(2) ? SECOND : 5 * MINUTE)
      const profile = profileOf(bought)
      if (oneIn(6) && profile !== undefined && tracked.isMade && !tracked.isCancelled) {
        count("used")
        profile.orderUsage = 1_000_000
        profile.esimStatus = "IN_USE"
      }
      if (oneIn(5) && profile?.esimStatus !== "IN_USE") {
        for (const active of [false, true]) {
          const key = `${purchaseId}-${index}-${active}`
          const service = yield* until((port) => port.setService?.({ iccid, key, active }) ?? no, 1_000)
          if (service === null || "refusal" in service)
            problems.push(`${iccid} is not ${active ? "resumed" : "paused"}`)
        }
      }
      if (oneIn(2)) yield* cancel(tracked)
    }
    const isLeft = bought.packages.some(({ isCancelled, isRefused }) => !isCancelled && !isRefused)
    if (isLeft || profileOf(bought)?.orderUsage !== 0 || !oneIn(2)) return
    const returned = yield* until((port) => port.returnSim?.({ purchaseId, iccid }) ?? no, 1_000)
    if (returned === null || "refusal" in returned) problems.push(`${purchaseId} cannot be given back`)
    else bought.isReturned = true
    count("given back")
  })
  const ids = Array.from(
    { length: 1 + random(6) },
    (_, index) => [`pur-${index === 0 ? 1 : 9 + index}`, LOADS[random(LOADS.length)] ?? ""] as const
  )
  yield* Effect.forEach(ids, ([id, load]) => life(id, load), { concurrency: "unbounded", discard: true })

  // On to where nothing is late any more. What was given up by then is bought.
  yield* Effect.sleep(Math.max(0, calmFrom - now()) + 12 * MINUTE)
  const last = yield* begin(true)
  processes.splice(0, 2, last)
  for (const [id, load] of ids) {
    if ((yield* buy(id, load, 1_000)) === null && !outcomes.has(id)) problems.push(`${id} does not end`)
  }

  const owners = new Map<string, string>()
  for (const [id, bought] of outcomes) {
    const own = account.profiles.filter(({ transactionId }) => transactionId === Purchases.keyOf(id))
    if (own.length !== (bought === null ? 0 : 1)) problems.push(`${id} was ordered ${own.length} times`)
    if (bought === null) continue
    const { isReturned, packages, sim } = bought
    const profile = profileOf(bought)
    if (profile === undefined || profile !== own[0]) problems.push(`${id} has an eSIM of another order`)
    if (owners.has(sim.subscriberId ?? "")) problems.push(`${id} has an eSIM of another purchase`)
    owners.set(sim.subscriberId ?? "", id)
    if (profile?.charged !== sim.cost?.units) {
      problems.push(`${id} was charged ${profile?.charged}, and says ${sim.cost?.units}`)
    }
    if (profile?.iccid !== sim.iccid) problems.push(`${id} has another ICCID`)
    if ((profile?.esimStatus === "CANCEL") !== isReturned) problems.push(`${id} is ${profile?.esimStatus}`)
    const known = yield* Effect.orDie(last.purchases.boughtOf(sim.iccid))
    // Its ICCID may have been sold again.
    if (known?.purchaseId !== id) continue
    for (const tracked of packages) {
      if (!tracked.isRefused && !tracked.isMade && !tracked.isCancelled) {
        yield* create(tracked, ids.find(([other]) => other === id)?.[1] ?? "", 1_000)
      }
    }
    const kept = packages.filter(({ isCancelled, isMade }) => isMade && !isCancelled)
    if (kept.length > 1) problems.push(`${sim.iccid} has its load ${kept.length} times`)
    const listed = yield* Effect.orDie(last.port.listPackages?.({ iccid: sim.iccid }) ?? Effect.succeed(null))
    const expected = kept.map(({ packageId }) => packageId)
    if (JSON.stringify(listed?.toSorted()) !== JSON.stringify(expected.toSorted())) {
      problems.push(`${sim.iccid} lists ${JSON.stringify(listed)} for ${JSON.stringify(expected)}`)
    }
    if (isReturned) continue
    const usage = yield* Effect.orDie(last.port.readUsage?.({ iccid: sim.iccid, stopped: [] }) ?? Effect.succeed(null))
    const used = kept.map(({ packageId }) => ({ packageId, usedBytes: profile?.orderUsage }))
    if (JSON.stringify(usage) !== JSON.stringify(used)) problems.push(`${sim.iccid} has used ${JSON.stringify(usage)}`)
  }
  for (const { esimTranNo, transactionId } of account.profiles) {
    if (!owners.has(esimTranNo)) problems.push(`the eSIM of ${transactionId} is nobody's`)
  }
  const charged = account.profiles
    .filter(({ esimStatus }) => esimStatus !== "CANCEL")
    .reduce((sum, profile) => sum + profile.charged, 0)
  if (opening - account.state.balance !== charged) {
    problems.push(`${opening - account.state.balance} was charged, and ${charged} is known`)
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
  const { account, now, struck } = world
  return { problems, struck, trace: JSON.stringify([now(), account.profiles, account.state.balance]) }
}
