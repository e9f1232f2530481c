/**
 * Other settings take the place of those in force while the service runs, and no call under way is
 * lost.
 */
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Catalogues, Organizations, Problems, Reports, Sims, UsageReconciliation } from "simplan"
import { Telco } from "simplan/ports"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import * as Connected from "../../adapters/telco-routes/Connected.ts"
import { type Settings, Routes } from "../../adapters/telco-routes/index.ts"
import { Books } from "../../adapters/telco-simulator/index.ts"
import * as FakeSmsc from "../fakes/smsc/FakeSmsc.ts"
import * as Bridge from "../telco-http/Bridge.ts"
import { until } from "../telco-smpp/Smsc.ts"
import * as World from "./World.ts"
import * as Tests from "../setup/Tests.ts"

const env = { KEY: "a-key-of-the-test", SMSC: FakeSmsc.password }

/** A bridge that answers when it may. */
const bridge = async () => {
  const held: Array<() => void> = []
  let holds = false
  const started = await Bridge.start((asked, response, socket) => {
    const answer = () => Bridge.answer(200, { telco_package_id: "t" })(asked, response, socket)
    if (holds) held.push(answer)
    else answer()
  })
  onTestFinished(started.close)
  return {
    ...started,
    hold: () => {
      holds = true
    },
    release: () => {
      for (const answer of held.splice(0)) answer()
    }
  }
}

const http = (url: string, more: object = {}) => ({ kind: "http", url, key: { env: "KEY" }, ...more })

describe("settings that take the place of others", () => {
  it("are in force for the next call, while a call under way ends where it began", async () => {
    const [before, after] = [await bridge(), await bridge()]
    const settings = (url: string) => World.settings({ a: http(url) }, [{ packages: "a" }], env)
    const { run } = await World.start(settings(before.url))
    const { organizationId } = await run(World.organization)
    const [iccid = ""] = await run(World.sims(organizationId, "Green", 1))
    const cancel = (packageId: string) => Telco.Telco.use((telco) => telco.cancelPackage({ packageId, iccid }))
    before.hold()
    const first = run(cancel("p-1"))
    await expect.poll(() => before.asked.length).toBe(1)
    await run(Routes.Routes.use(({ replace }) => replace(settings(after.url))))
    await run(cancel("p-2"))
    expect([before.asked.length, after.asked.length]).toEqual([1, 1])
    before.release()
    await first
    expect(before.asked).toHaveLength(1)
  })

  it("that ask for longer calls than the process gives are refused, and the others stay", async () => {
    const [one, other] = [await bridge(), await bridge()]
    const { run } = await World.start(World.settings({ a: http(one.url) }, [{ packages: "a" }], env))
    const { organizationId } = await run(World.organization)
    const [iccid = ""] = await run(World.sims(organizationId, "Green", 1))
    const longer = World.settings({ a: http(other.url, { timeout: "1m" }) }, [{ packages: "a" }], env)
    const refused = await run(Effect.flip(Routes.Routes.use(({ replace }) => replace(longer))))
    expect(refused.message).toBe("A telco's timeout is longer than calls are given since the start: restart for it")
    await run(Telco.Telco.use((telco) => telco.cancelPackage({ packageId: "p-1", iccid })))
    expect([one.asked.length, other.asked.length]).toEqual([1, 0])
  })

  Tests.scoped("leave a telco connected that has the same in them, and disconnect one that has not", function* () {
    const smsc = yield* FakeSmsc.make
    const settings = (routes: ReadonlyArray<object>, more: object = {}) => {
      const telco = { kind: "smpp", url: smsc.url, password: { env: "SMSC" }, ...more }
      return World.settings({ smsc: telco, sandbox: { kind: "simulator" } }, routes, env)
    }
    const all = [{ packages: "sandbox", sms: "smsc" }]
    const kept = Layer.mergeAll(Memory.layer, Journal.layerMemory, Books.layerMemory)
    const context = yield* Layer.build(Layer.provide(Routes.layer(settings(all)), kept))
    const { replace } = Context.get(context, Routes.Routes)
    yield* until(() => smsc.boundSessions() === 1)
    yield* replace(settings([{ label: "Green", packages: "sandbox", sms: "smsc" }, ...all]))
    expect([smsc.binds.length, smsc.counts.unbinds]).toEqual([1, 0])
    yield* replace(settings(all, { system_type: "other" }))
    yield* until(() => smsc.counts.unbinds === 1 && smsc.binds.length === 2 && smsc.boundSessions() === 1)
    expect(smsc.binds.map(({ systemType }) => systemType)).toEqual(["", "other"])
  })
})

/** A telco that writes down what happens to it. */
const watched = (seen: Array<string>, held: Deferred.Deferred<void>) => {
  const note = (what: string) => Effect.sync(() => void seen.push(what))
  const nothing = { checkTerms: () => Effect.void, zones: null, notifications: null, imsiOf: null }
  return ({ name, timeoutMillis }: Settings.Telco) => {
    const id = `${name} ${timeoutMillis}`
    const call = () => Effect.andThen(note(`${id} asked`), Deferred.await(held))
    const connected: Connected.Connected = {
      name,
      kind: "simulator",
      ...nothing,
      telco: {
        createPackage: () => Effect.fail(new Telco.Refused({ message: "not here" })),
        suspendPackage: call,
        cancelPackage: call,
        sendSms: call,
        releaseProfile: call,
        setMobilePlan: call,
        listPackages: () => Effect.succeed(["p"])
      },
      check: Effect.succeed([]),
      missing: Effect.succeed([]),
      background: {
        forever: Effect.ensuring(Effect.andThen(note(`${id} begins`), Effect.never), note(`${id} ends`)),
        drain: Effect.void
      }
    }
    return name === "broken"
      ? Effect.fail(new Connected.CannotConnect({ message: "broken" }))
      : Effect.acquireRelease(Effect.as(note(`${id} connected`), connected), () => note(`${id} closed`))
  }
}

const telcos = (of: Readonly<Record<string, number>>): Settings.Settings => ({
  telcos: Object.entries(of).map(([name, timeoutMillis]) => ({
    kind: "simulator",
    name,
    timeoutMillis,
    callsAtOnce: 1
  })),
  routes: Object.keys(of).map((name) => ({
    label: null,
    organizationId: null,
    loads: null,
    telcos: { packages: name, sms: name, profiles: name }
  }))
})

const make = Effect.gen(function* () {
  const seen: Array<string> = []
  const held = yield* Deferred.make<void>()
  const all = yield* Connected.make([], () => watched(seen, held))
  const take = (of: Readonly<Record<string, number>>, lacks: ReadonlyArray<string> = []) =>
    all.replace(telcos(of), () => Effect.succeed(lacks))
  return { all, seen, held, take }
})

const world = Tests.given(make, (test) => Effect.runPromise(Effect.scoped(test)))

/** The background of these telcos needs none of them. */
const services = Layer.mergeAll(
  Layer.mock(Reports.Reports)({}),
  Layer.mock(Catalogues.Catalogues)({}),
  Layer.mock(Problems.Problems)({}),
  Layer.mock(UsageReconciliation.UsageReconciliation)({}),
  Layer.mock(Organizations.Organizations)({}),
  Layer.mock(Sims.Sims)({})
)

const names = ({ routes, telcos }: Connected.ConnectedTelcos) => [
  [...telcos.keys()],
  routes.map((route) => route.telcos.packages)
]

describe("connected telcos", () => {
  world("are disconnected when their last call is over, and not before", function* ({ all, held, seen, take }) {
    yield* take({ a: 1, b: 1 })
    const telco = all.telcos.get("a")?.telco ?? expect.fail()
    const call = yield* Effect.forkChild(telco.releaseProfile({ key: "k", iccid: "8" }), { startImmediately: true })
    yield* take({ a: 2 })
    yield* until(() => seen.includes("b 1 closed"))
    expect(seen).toEqual(["a 1 connected", "b 1 connected", "a 1 asked", "a 2 connected", "b 1 closed"])
    yield* Deferred.succeed(held, undefined)
    yield* Fiber.join(call)
    yield* until(() => seen.includes("a 1 closed"))
    expect(seen).not.toContain("a 2 closed")
    expect(names(all)).toEqual([["a"], ["a"]])
    expect(all.names).toEqual(["a", "b"])
  })

  world("have all calls that their telcos have", function* ({ all, take }) {
    yield* take({ a: 1 })
    const { listPackages } = all.telcos.get("a")?.telco ?? expect.fail()
    expect(yield* listPackages?.({ iccid: "8" }) ?? Effect.succeed(null)).toEqual(["p"])
  })

  world(
    "stay as they are where a new one cannot be connected, or lacks what the settings name",
    function* ({ all, seen, take }) {
      yield* take({ a: 1 })
      expect((yield* Effect.flip(take({ c: 1, broken: 1 }))).message).toBe("broken")
      expect((yield* Effect.flip(take({ a: 2, d: 1 }, ["no zone.", "no zone."]))).message).toContain("no zone.")
      expect(names(all)).toEqual([["a"], ["a"]])
      expect(seen.filter((one) => one.endsWith("closed")).sort()).toEqual(["a 2 closed", "c 1 closed", "d 1 closed"])
    }
  )

  world("have their background done as long as they are connected", function* ({ all, seen, take }) {
    yield* take({ a: 1, b: 1 })
    const scope = yield* Scope.make()
    yield* Scope.provide(Effect.forkScoped(Effect.provide(all.background, services)), scope)
    yield* until(() => seen.includes("b 1 begins"))
    yield* take({ b: 1, a: 2 })
    yield* until(() => seen.includes("a 1 ends") && seen.includes("a 2 begins"))
    expect(seen.filter((one) => one.startsWith("b 1"))).toEqual(["b 1 connected", "b 1 begins"])
    yield* Scope.close(scope, Exit.void)
    expect(seen.filter((one) => one.endsWith("ends"))).toEqual(["a 1 ends", "b 1 ends", "a 2 ends"])
  })
})
