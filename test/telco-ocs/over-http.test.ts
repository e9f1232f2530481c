/**
 * The adapter over HTTP and the fake system: it is a telco, and whatever comes late, twice or not
 * at all, the caller's repetitions and the watch time leave exactly one package, or none after a
 * cancellation.
 */
import { Effect, Layer } from "effect"
import { Telco } from "simplan/ports"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Stack from "./Stack.ts"

let ocs: Fake.Fake
let next = 0

beforeAll(async () => {
  ocs = await Fake.start({ subscribers: 100 })
})
afterAll(() => ocs.close())

const freshIccid = () => Fake.iccidOf(++next)

const left = (iccid: string) => ocs.books().packages.filter((one) => one.iccid === iccid && one.deletedAt === null)

const faults: ReadonlyArray<readonly [string, Fake.Fault]> = [
  ["the request is lost", { fault: "lose_request" }],
  ["it is done, and its answer is lost", { fault: "lose_answer", at: "start" }],
  ["it is done, and half of its answer comes", { fault: "lose_answer", at: "body" }],
  ["it is done late after the time-out", { fault: "late", millis: 700 }],
  ["the connection ends, and it is done late", { fault: "late", millis: 700, cut: true }],
  ["it is done, and answered after the time-out", { fault: "slow", millis: 700 }],
  ["it is answered twice", { fault: "twice" }],
  ["it is answered with something else", { fault: "garbage" }],
  ["the system has too many calls", { fault: "traffic_control" }],
  ["what is in front of it fails", { fault: "http", status: 502 }]
]

type Prepare = (iccid: string) => Effect.Effect<string, unknown, Telco.Telco>
type Call = (iccid: string) => Effect.Effect<unknown, unknown, Telco.Telco>

/**
 * Lets each fault befall an operation about a SIM of its own. `prepare` gives a part of the
 * request's text that no other SIM's has. Gives the number of packages that are left after the
 * watch time.
 */
const play = (operation: string, prepare: Prepare, call: Call) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const cases = yield* Effect.forEach(faults, ([name, fault]) => {
        const iccid = freshIccid()
        return Effect.map(prepare(iccid), (containing) => ({ name, iccid, fault: { ...fault, operation, containing } }))
      })
      ocs.setFaults(cases.map(({ fault }) => fault))
      yield* Effect.forEach(cases, ({ iccid }) => call(iccid), { concurrency: "unbounded" })
      expect(ocs.faults()).toEqual([])
      yield* Effect.promise(() => ocs.settled())
      yield* Stack.settle
      return cases.map(({ iccid, name }) => [name, left(iccid).length] as const)
    }).pipe(Effect.provide(Stack.layer(ocs.origin, "300 millis")))
  )

const each = (count: number) => faults.map(([name]) => [name, count])

const byIccid: Prepare = (iccid) => Effect.succeed(iccid)

describe("whatever befalls the call", () => {
  it("an order leaves exactly one package", async () => {
    expect(await play("affectPackageToSubscriber", byIccid, (iccid) => Stack.create(iccid))).toEqual(each(1))
  })

  it("a cancellation leaves none, also if the order's outcome was unknown", async () => {
    const tried = (iccid: string) =>
      Telco.Telco.use((telco) => Effect.exit(telco.createPackage(Stack.order(iccid)))).pipe(
        Effect.repeat({ while: () => ocs.faults().some(({ containing }) => containing === iccid) })
      )
    const call: Call = (iccid) => Effect.andThen(tried(iccid), Stack.cancel(iccid))
    expect(await play("affectPackageToSubscriber", byIccid, call)).toEqual(each(0))
  })

  it("a cancellation whose own call it befalls leaves none", async () => {
    const created: Prepare = (iccid) =>
      Effect.map(Stack.create(iccid), ({ telcoPackageId }) => `{"deleteSubscriberPackage":${telcoPackageId}}`)
    expect(await play("deleteSubscriberPackage", created, Stack.cancel)).toEqual(each(0))
  })
})

const iccid = Fake.iccidOf(100)

const observe: TelcoSuite.Observe<Stack.Services> = {
  packages: Effect.fnUntraced(function* (ids) {
    const journal = yield* Journal.Journal
    const entries = yield* Effect.forEach(ids, (key) => journal.get({ telco: "ocs", kind: "package", key }))
    return left(iccid).filter(({ id }) => entries.some((entry) => entry?.externalId === String(id))).length
  }),
  messages: (iccid, text) =>
    Effect.sync(() => ocs.books().messages.filter((one) => one.iccid === iccid && one.text === text).length),
  mobilePlan: (iccid) =>
    Effect.sync(() => ocs.books().subscribers.find((one) => one.iccid === iccid)?.mobilePlanId === 10)
}

TelcoSuite.run<Stack.Services, never>(
  "The online charging system over HTTP",
  Layer.unwrap(Effect.sync(() => Stack.layer(ocs.origin))),
  { describe, it, afterAll },
  { iccid, terms: Stack.terms, observe }
)
