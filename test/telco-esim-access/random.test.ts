/**
 * Purchases at a fake of eSIM Access over HTTP, from seeds: any call may be lost, late, cut or
 * refused, and any process may die in the middle of one.
 */
import { Effect, Exit, Fiber, Scope } from "effect"
import { Telco } from "simplan/ports"
import { describe, expect } from "vitest"
import * as Machine from "../../adapters/simulation/Machine.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import * as Tests from "../setup/Tests.ts"
import * as FakeEsimAccess from "./FakeEsimAccess.ts"
import * as Opened from "./Opened.ts"

const RUNS = Number(process.env["SELLER_RUNS"] ?? 3)
const FROM = Number(process.env["SELLER_FROM"] ?? 1)

const mishaps = [
  "request lost",
  "answer lost",
  "late",
  "half body",
  "too many",
  "busy",
  "no JSON",
  "contradiction"
] as const
const paths = ["/package/list", "/esim/order", "/esim/order", "/esim/query", "/esim/cancel"] as const

/** What does not hold after the run of a seed, a line each. */
const run = Effect.fnUntraced(function* (seed: number) {
  const next = Machine.generator(seed)
  const random = (bound: number): number => next() % bound
  const pick = <A>(from: ReadonlyArray<A>): A | undefined => from[random(from.length)]
  const fake = yield* FakeEsimAccess.make
  const journal = yield* Journal.makeMemory
  fake.state.balance = 60_000 + random(200_000)
  fake.state.refusesFirst = random(2) === 0
  const problems: Array<string> = []

  /** A process that may die in the middle of a call: then it writes nothing more. */
  const during = Effect.fnUntraced(function* <A>(
    use: (telco: Opened.Port) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ) {
    let left = random(3) === 0 ? 1 + random(25) : Number.POSITIVE_INFINITY
    const alive = <B, E>(effect: Effect.Effect<B, E>): Effect.Effect<B, E> =>
      Effect.suspend(() => (--left <= 0 ? Effect.interruptible(Effect.never) : effect))
    const mortal: Journal.Journal["Service"] = {
      ...journal,
      get: (place) => alive(journal.get(place)),
      ofSim: (of) => alive(journal.ofSim(of)),
      add: (entry, also) => alive(journal.add(entry, also)),
      replace: (entry, also) => alive(journal.replace(entry, also)),
      // A lock of a dead process is over at once: nothing may depend on it.
      lock: () => Effect.succeed(true),
      unlock: () => Effect.void
    }
    const scope = yield* Scope.make()
    const { telco } = yield* Effect.provideService(Opened.process(fake, mortal, { lateMillis: 0 }), Scope.Scope, scope)
    const fiber = yield* Effect.forkDetach(Effect.result(use(telco)))
    while (left > 0 && fiber.pollUnsafe() === undefined) yield* Effect.sleep(1)
    const answer = left > 0 ? yield* Fiber.join(fiber) : null
    yield* Fiber.interrupt(fiber)
    yield* Scope.close(scope, Exit.void)
    return answer
  })

  const until = Effect.fnUntraced(function* <A>(
    use: (telco: Opened.Port) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ) {
    for (let tries = 0; tries < 60; tries++) {
      for (let many = random(3); many > 0 && tries < 20; many--) {
        fake.befall(pick(paths) ?? "/esim/order", pick(mishaps) ?? "late")
      }
      if (random(6) === 0 && tries < 20) fake.state.risesBy = random(2) * 100
      fake.state.allocatesIn = random(2)
      const answer = yield* during(use)
      // What was late comes before an order could be given up.
      fake.settle()
      if (answer?._tag === "Success") return answer.success
      if (answer !== null && answer.failure._tag === "Telco.Refused") return answer.failure
    }
    problems.push("a call does not end")
    return null
  })

  const owners = new Map<string, string>()
  let returned = 0
  for (let index = 0; index < 5; index++) {
    const purchase = Opened.purchase(`pur-${index}`, { load: pick(["AU_1_7", "CKH491", "JP_0.5_Daily:3"]) ?? "" })
    const sim = yield* until((telco) => telco.buySim(purchase))
    if (sim === null || sim instanceof Telco.Refused) continue
    const profile = fake.profiles.find(({ esimTranNo }) => esimTranNo === sim.subscriberId)
    if (owners.has(sim.subscriberId ?? "")) problems.push(`${purchase.purchaseId} has another one's eSIM`)
    owners.set(sim.subscriberId ?? "", purchase.purchaseId)
    if (profile?.transactionId !== purchase.purchaseId) problems.push(`${purchase.purchaseId} has not its own order`)
    if (profile?.charged !== sim.cost?.units) problems.push(`${purchase.purchaseId} was charged ${profile?.charged}`)
    if (random(3) > 0) continue
    const of = { purchaseId: purchase.purchaseId, iccid: sim.iccid }
    if ((yield* until((telco) => telco.returnSim(of))) === "credit") returned++
    else problems.push(`${purchase.purchaseId} was not given back`)
  }
  for (const { esimTranNo, transactionId } of fake.profiles) {
    if (!owners.has(esimTranNo)) problems.push(`the eSIM of ${transactionId} is nobody's`)
  }
  if (fake.profiles.filter(({ esimStatus }) => esimStatus === "CANCEL").length !== returned) {
    problems.push("not as many are cancelled as were given back")
  }
  return problems
}, Effect.scoped)

describe("Purchases of eSIM Access under faults", () => {
  Tests.scoped(
    "are one order each, and each order is one's",
    function* () {
      const failures: Array<string> = []
      for (let seed = FROM; seed < FROM + RUNS; seed++) {
        for (const problem of yield* run(seed)) failures.push(`${seed}: ${problem}`)
      }
      expect(failures).toEqual([])
    },
    600_000
  )
})
