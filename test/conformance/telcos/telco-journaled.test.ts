/**
 * A telco of plain functions over a charging system that knows no keys, with the journal around it:
 * the suite with calls lost, late and refused, and a service that is started again between a call
 * and its answer.
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Telco } from "simplan/ports"
import { createSimplan, journaledTelco, type TelcoSystem } from "simplan/promise"
import { Journal } from "simplan/telco-calls"
import { Client } from "pg"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { chargingSystem } from "../../../examples/charging/system.ts"
import * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import * as Charging from "../../fakes/charging/Charging.ts"
import * as Hosts from "../../promise/World.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import { iccid, order } from "./SimulatorBooks.ts"

/** How long the charging system may be late. It is late by 100 ms. */
const lateFor = "2 seconds"

class System extends Context.Service<System, Charging.Charging>()("test/Charging") {}

const system = Layer.effect(System, Charging.make)

const observe: TelcoSuite.Observe<System> = {
  packages: (ids) => System.useSync(({ bundles }) => ids.reduce((sum, id) => sum + bundles(id), 0)),
  messages: (to, text) => System.useSync(({ texts }) => texts(to, text)),
  mobilePlan: (of) => System.useSync(({ roaming }) => roaming(of)),
  service: (of) => System.useSync(({ service }) => service(of))
}

const fail = (fault: Charging.Fault) => (operation: Charging.Operation) =>
  System.useSync((charging) => void charging.fail(fault, operation))

const faults: TelcoSuite.Faults<System> = {
  loseRequest: fail("lose request"),
  loseAnswer: fail("lose answer"),
  doLate: (operation) =>
    System.useSync((charging) => {
      const done = charging.fail("do late", operation)
      return Effect.promise(() => done)
    }),
  refuse: fail("refuse")
}

const isTelco = (value: unknown): value is Layer.Layer<Telco.Telco> => Layer.isLayer(value)

const journaled = (of: TelcoSystem): Layer.Layer<Telco.Telco> => {
  const telco = journaledTelco(of, { lateFor, logger: false })
  if (!isTelco(telco)) throw new Error("no layer")
  return telco
}

/** The charging system's note of a bundle has the order's id. */
const withNotes = (url: string): TelcoSystem => ({
  ...chargingSystem(url),
  listPackages: async ({ iccid: sim }, { signal }) => {
    const response = await fetch(`${url}/sims/${sim}/bundles`, { signal })
    const bundles: ReadonlyArray<{ id: string; note: string }> = JSON.parse(await response.text())
    return bundles.map(({ id, note }) => ({ telcoPackageId: id, packageId: note }))
  }
})

/** One that can stop the service of a SIM. */
const withService = (url: string): TelcoSystem => ({
  ...chargingSystem(url),
  setService: async ({ active, iccid: sim }, { signal }) => {
    const response = await fetch(`${url}/sims/${sim}/service`, {
      method: "PUT",
      body: JSON.stringify({ active }),
      signal
    })
    await response.text()
  }
})

const over = (of: (url: string) => TelcoSystem) =>
  Layer.provideMerge(Layer.unwrap(System.useSync(({ url }) => journaled(of(url)))), system)

const runner = { describe, it, afterAll }
TelcoSuite.run("A journaled telco of plain functions", over(chargingSystem), runner, { observe, faults })
TelcoSuite.run("A journaled telco whose system can stop a SIM's service", over(withService), runner, {
  observe,
  faults: { loseAnswer: fail("lose answer"), loseRequest: fail("lose request") }
})
TelcoSuite.run("A journaled telco whose system keeps our ids", over(withNotes), runner, {
  observe,
  faults: { loseAnswer: fail("lose answer") }
})

it("is tested by all cases but that of times that the telco learns later", () => {
  expect(TelcoSuite.cases({ observe, faults })).toHaveLength(46)
})

const charging = async (): Promise<Charging.Charging> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(Effect.provideService(Charging.make, Scope.Scope, scope))
}

const open = (database: string, url: string) => {
  const telco = journaledTelco(chargingSystem(url), { lateFor: "1 hour" })
  const simplan = createSimplan({ database, schema: "esim", telco, webhooks: false, logger: false })
  onTestFinished(simplan.close)
  return simplan
}

describe("The journal of a journaled telco", () => {
  const database = Databases.forEachTest()

  it("is in the schema of the service: the next process finds what was asked for by one that has ended", async () => {
    const { bundles, count, fail: failNext, url } = await charging()
    const first = open(database(), url)
    const { organizationId } = await Hosts.stocked(first)
    const { planId } = await Hosts.plan(first, organizationId)
    void failNext("lose answer", "createPackage")
    await expect(first.subscriptions.create({ organizationId, planId })).rejects.toMatchObject({
      name: "TelcoUnavailableError"
    })
    await first.close()

    // The order is found on its SIM and taken away, although it may come for another hour.
    const second = open(database(), url)
    await expect.poll(() => count()).toBe(0)
    const { attachmentId } = await second.subscriptions.create({ organizationId, planId })
    expect([count(), bundles(`${attachmentId}:0`)]).toEqual([1, 1])
    const client = new Client(database())
    await client.connect()
    const { rows } = await client.query("select count(*)::int as orders from esim.telco_journal where kind = 'package'")
    await client.end()
    expect(rows).toEqual([{ orders: 2 }])
  })

  it("has no place in a storage of the host's own", async () => {
    const { url } = await charging()
    const telco = journaledTelco(chargingSystem(url))
    expect(() => createSimplan({ database: { storage: Journal.layerMemory }, telco })).toThrow(
      "telco keeps a journal, for which a storage of one's own has no place"
    )
  })
})

describe("A journaled telco", () => {
  const calls = (of: TelcoSystem, work: (telco: Telco.Telco["Service"]) => Effect.Effect<void, unknown>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(Telco.Telco, work), journaled(of)))

  it.each([
    ["refused", { code: "ECONNREFUSED" }],
    ["refused, as a client wraps it", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) }],
    ["not made in time", { code: "ETIMEDOUT", syscall: "connect" }],
    ["not made, for a certificate that is over", { code: "CERT_HAS_EXPIRED" }]
  ])("orders again at once where nothing was sent: the connection was %s", async (_, error) => {
    const { bundles, url } = await charging()
    let asked = 0
    const of = chargingSystem(url)
    const createPackage: TelcoSystem["createPackage"] = (...given) => {
      asked += 1
      if (asked === 1) throw Object.assign(new Error("no connection"), error)
      return of.createPackage(...given)
    }
    await calls({ ...of, createPackage }, (telco) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(telco.createPackage(order("a:0")))).toMatchObject({ _tag: "Telco.Unavailable" })
        yield* telco.createPackage(order("a:0"))
      })
    )
    expect(bundles("a:0")).toBe(1)
  })

  it("orders nothing else for a SIM while an order for it has no answer", async () => {
    const charged = await charging()
    await calls(chargingSystem(charged.url), (telco) =>
      Effect.gen(function* () {
        void charged.fail("lose request", "createPackage")
        expect(yield* Effect.flip(telco.createPackage(order("a:0")))).toMatchObject({ _tag: "Telco.Unavailable" })
        const waits = {
          _tag: "Telco.Unavailable",
          message: /has not answered an order for this SIM/
        }
        expect(yield* Effect.flip(telco.createPackage(order("b:0")))).toMatchObject(waits)
        yield* telco.createPackage({ ...order("c:0"), iccid: `${iccid}0` })
      })
    )
    expect([charged.bundles("a:0"), charged.bundles("b:0"), charged.bundles("c:0")]).toEqual([0, 0, 1])
  })

  it("leaves packages alone that were made by hand, before an order and after it", async () => {
    const charged = await charging()
    const byHand = (note: string) =>
      fetch(`${charged.url}/bundles`, { method: "POST", body: JSON.stringify({ sim: iccid, note }) })
    await byHand("before")
    await calls(chargingSystem(charged.url), (telco) =>
      Effect.gen(function* () {
        void charged.fail("lose answer", "createPackage")
        yield* Effect.flip(telco.createPackage(order("a:0")))
        const { telcoPackageId } = yield* telco.createPackage(order("a:0"))
        expect(telcoPackageId).toBe("b-2")
        yield* Effect.promise(() => byHand("after"))
        yield* telco.cancelPackage({ packageId: "a:0", iccid })
      })
    )
    expect(["before", "a:0", "after"].map(charged.bundles)).toEqual([1, 0, 1])
  })

  it("lists and cancels what a journal from a backup does not know, where the system keeps our ids", async () => {
    const charged = await charging()
    await fetch(`${charged.url}/bundles`, { method: "POST", body: JSON.stringify({ sim: iccid, note: "by hand" }) })
    const listed = (telco: Telco.Telco["Service"]) => telco.listPackages?.({ iccid }) ?? Effect.die("no list")
    await calls(chargingSystem(charged.url), (telco) =>
      Effect.gen(function* () {
        yield* telco.createPackage(order("a:0"))
        expect(yield* listed(telco)).toEqual(["a:0"])
      })
    )
    // Each has a journal of its own.
    await calls(chargingSystem(charged.url), (telco) => Effect.map(listed(telco), (ids) => expect(ids).toEqual([])))
    await calls(withNotes(charged.url), (telco) =>
      Effect.gen(function* () {
        expect(yield* listed(telco)).toEqual(["a:0"])
        yield* telco.cancelPackage({ packageId: "a:0", iccid })
        expect(yield* listed(telco)).toEqual([])
      })
    )
    expect([charged.bundles("a:0"), charged.bundles("by hand")]).toEqual([0, 1])
  })

  it("lets the change of a mobile plan hold that was asked for last, whatever became of the one before", async () => {
    const charged = await charging()
    const change = (key: string, applied: boolean) => ({ key, iccid, applied })
    await calls(chargingSystem(charged.url), (telco) =>
      Effect.gen(function* () {
        void charged.fail("lose request", "setMobilePlan")
        yield* Effect.flip(telco.setMobilePlan(change("1", true)))
        yield* telco.setMobilePlan(change("2", false))
        yield* telco.setMobilePlan(change("1", true))
      })
    )
    expect(charged.roaming(iccid)).toBe(false)
  })

  it("is refused where a function is missing, and names it", () => {
    const { cancelPackage: _, ...rest } = chargingSystem("http://127.0.0.1:1")
    expect(() => Reflect.apply(journaledTelco, undefined, [rest])).toThrow(
      "journaledTelco: cancelPackage must be an async function, not undefined"
    )
  })
})
