import { Context, Effect, Layer } from "effect"
import { Subscriptions, Messages } from "simplan"
import { type Label, Storage, type Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import type { Connected } from "../../adapters/telco-routes/index.ts"
import * as RoutedTelco from "../../adapters/telco-routes/RoutedTelco.ts"
import { Books } from "../../adapters/telco-simulator/index.ts"
import * as World from "./World.ts"
import * as Tests from "../setup/Tests.ts"

/** A telco that writes down the calls that it gets. */
const recording = (name: string, calls: Array<string>): Connected.Connected => {
  const call =
    (operation: string) =>
    ({ iccid }: { readonly iccid: string }): Effect.Effect<void> =>
      Effect.sync(() => void calls.push(`${name} ${operation} ${iccid}`))
  return {
    name,
    kind: "simulator",
    telco: {
      createPackage: (order) =>
        Effect.as(call("create")(order), { telcoPackageId: name, activationAt: null, expirationAt: null }),
      suspendPackage: call("suspend"),
      cancelPackage: call("cancel"),
      sendSms: call("sms"),
      releaseProfile: call("release"),
      setMobilePlan: call("plan")
    },
    checkTerms: () => Effect.void,
    zones: null,
    notifications: null,
    imsiOf: null,
    check: Effect.succeed([]),
    missing: Effect.succeed([]),
    background: null
  }
}

const GREEN = "8900000000000000011"
const BLUE = "8900000000000000029"

/** A storage whose inventory has two SIMs; it counts how often it was asked for their owner. */
const inventory = (asked: Array<string>) =>
  Effect.map(Layer.build(Memory.layer), (context): Storage.Storage["Service"] => {
    const storage = Context.get(context, Storage.Storage)
    const labels: Readonly<Record<string, Label.Label>> = { [GREEN]: "Green", [BLUE]: "Blue" }
    return {
      ...storage,
      simAggregates: {
        ...storage.simAggregates,
        owner: (iccid) =>
          Effect.sync(() => {
            asked.push(iccid)
            const label = labels[iccid]
            return label === undefined ? null : { organizationId: "acme", label }
          })
      }
    }
  })

const routes = (packages: string, sms = packages) => [
  { label: "Green" as const, organizationId: null, loads: null, telcos: { packages, sms, profiles: packages } }
]

const setUp = Effect.gen(function* () {
  const calls: Array<string> = []
  const asked: Array<string> = []
  const storage = yield* inventory(asked)
  const journal = yield* Journal.makeMemory
  const telcoOf = (names: ReadonlyArray<string>, of: ReturnType<typeof routes>) => {
    const telcos = new Map(names.map((name) => [name, recording(name, calls)]))
    return RoutedTelco.make({ journal, ownerOf: RoutedTelco.makeOwners(storage), routes: of, telcos })
  }
  return { asked, calls, journal, telcoOf }
})

const order: Telco.PackageOrder = {
  packageId: "a:0",
  iccid: GREEN,
  window: null,
  terms: {
    ...World.terms("c"),
    regionCode: "FR",
    label: "Green"
  }
}

describe("a call of the routed telco", () => {
  Tests.scoped(
    "goes to the telco that the SIM's route names, and asks each time, as its label may be corrected (I9)",
    function* () {
      const { asked, calls, telcoOf } = yield* setUp
      const telco = telcoOf(["a", "b"], routes("a", "b"))
      expect(yield* telco.createPackage(order)).toMatchObject({ telcoPackageId: "a" })
      yield* telco.sendSms({ messageId: "m", iccid: GREEN, from: "x", text: "y" })
      yield* telco.releaseProfile({ key: "k", iccid: GREEN })
      yield* telco.setMobilePlan({ key: "k", iccid: GREEN, applied: true })
      expect(calls).toEqual([`a create ${GREEN}`, `b sms ${GREEN}`, `a release ${GREEN}`, `a plan ${GREEN}`])
      expect(asked).toEqual([GREEN, GREEN, GREEN, GREEN])
    }
  )

  Tests.scoped("is refused where no route takes the SIM, and where nobody has it", function* () {
    const { telcoOf } = yield* setUp
    const telco = telcoOf(["a"], routes("a"))
    const sms = (iccid: string) => Effect.flip(telco.sendSms({ messageId: iccid, iccid, from: "x", text: "y" }))
    expect(yield* sms(BLUE)).toMatchObject({ _tag: "Telco.Refused", message: RoutedTelco.unrouted("Blue").message })
    expect(yield* sms("890")).toMatchObject({ _tag: "Telco.Refused" })
  })

  Tests.scoped("about a package goes where the package was created, whatever the routes are by then", function* () {
    const { calls, telcoOf } = yield* setUp
    yield* telcoOf(["a", "b"], routes("a")).createPackage(order)
    const later = telcoOf(["a", "b"], routes("b"))
    yield* later.createPackage(order)
    yield* later.suspendPackage(order)
    yield* later.cancelPackage(order)
    yield* later.createPackage({ ...order, packageId: "a:1" })
    expect(calls.map((call) => call.slice(0, -GREEN.length - 1))).toEqual([
      "a create",
      "a create",
      "a suspend",
      "a cancel",
      "b create"
    ])
    const without = telcoOf(["a", "b"], [])
    yield* without.cancelPackage(order)
    expect(calls.at(-1)).toBe(`a cancel ${GREEN}`)
  })

  Tests.scoped("lists what each telco has that took packages of the SIM, and cancels each where it is", function* () {
    const { calls, journal } = yield* setUp
    const listing = (name: string, ids: ReadonlyArray<string> | null): readonly [string, Connected.Connected] => {
      const of = recording(name, calls)
      return [name, { ...of, telco: { ...of.telco, listPackages: () => Effect.succeed(ids) } }]
    }
    const ownerOf = RoutedTelco.makeOwners(yield* inventory([]))
    const telcoOf = (name: string, telcos: ReadonlyArray<readonly [string, Connected.Connected]>) =>
      RoutedTelco.make({ journal, ownerOf, routes: routes(name), telcos: new Map(telcos) })
    const list = (telco: Telco.Telco["Service"]) => telco.listPackages?.({ iccid: GREEN }) ?? Effect.die("no list")
    yield* telcoOf("a", [["a", recording("a", calls)]]).createPackage(order)
    const later = telcoOf("b", [listing("a", ["a:0", "a/7"]), listing("b", ["b/7"]), listing("c", ["c/7"])])
    expect(yield* list(later)).toEqual(["b/7", "a:0", "a/7"])
    for (const packageId of ["b/7", "a/7"]) yield* later.cancelPackage({ packageId, iccid: GREEN })
    expect(calls.slice(-2)).toEqual([`b cancel ${GREEN}`, `a cancel ${GREEN}`])
    // A telco that cannot list hides nothing of one that can.
    expect(yield* list(telcoOf("b", [listing("a", ["a:0"]), listing("b", null)]))).toEqual(["a:0"])
    expect(yield* list(telcoOf("b", [["b", recording("b", calls)]]))).toBeNull()
  })

  Tests.scoped("reads what was used at each telco that took packages of the SIM", function* () {
    const { calls, journal } = yield* setUp
    const reading = (name: string, usedBytes: number | null): readonly [string, Connected.Connected] => {
      const of = recording(name, calls)
      const found = usedBytes === null ? null : [{ packageId: `${name}:0`, usedBytes }]
      return [name, { ...of, telco: { ...of.telco, readUsage: () => Effect.succeed(found) } }]
    }
    const ownerOf = RoutedTelco.makeOwners(yield* inventory([]))
    const read = (...telcos: ReadonlyArray<readonly [string, Connected.Connected]>) =>
      RoutedTelco.make({ journal, ownerOf, routes: routes("b"), telcos: new Map(telcos) }).readUsage?.({
        iccid: GREEN,
        stopped: []
      }) ?? Effect.die("no usage")
    yield* RoutedTelco.make({
      ...{ journal, ownerOf, routes: routes("a") },
      telcos: new Map([["a", recording("a", calls)]])
    }).createPackage(order)
    expect(yield* read(reading("a", 7), reading("b", 8), reading("c", 9))).toEqual([
      { packageId: "b:0", usedBytes: 8 },
      { packageId: "a:0", usedBytes: 7 }
    ])
    // What one cannot say is taken as it was reported; the others say theirs.
    expect(yield* read(reading("a", 7), ["b", recording("b", calls)])).toEqual([{ packageId: "a:0", usedBytes: 7 }])
    expect(yield* read(reading("a", null), ["b", recording("b", calls)])).toBeNull()
  })

  Tests.scoped(
    "spends the key of a package that is cancelled before it was created, where it would be created",
    function* () {
      const { calls, telcoOf } = yield* setUp
      yield* telcoOf(["a", "b"], routes("a")).cancelPackage(order)
      yield* telcoOf(["a", "b"], routes("b")).createPackage(order)
      expect(calls).toEqual([`a cancel ${GREEN}`, `a create ${GREEN}`])
    }
  )

  Tests.scoped(
    "tells of a telco that the settings do not name any more: refused for operators to see, unknown for a creation",
    function* () {
      const { telcoOf } = yield* setUp
      yield* telcoOf(["a"], routes("a")).createPackage(order)
      const telco = telcoOf(["b"], routes("b"))
      expect(yield* Effect.flip(telco.cancelPackage(order))).toMatchObject({
        _tag: "Telco.Refused",
        message: "This went to the telco a before, which the settings of telcos do not name any more"
      })
      expect(yield* Effect.flip(telco.createPackage(order))).toMatchObject({ _tag: "Telco.Unavailable" })
    }
  )

  Tests.scoped("is not made while the journal is out of reach", function* () {
    const { calls, journal } = yield* setUp
    const broken = { ...journal, add: () => Effect.fail(new Journal.JournalError({ message: "out of reach" })) }
    const telco = RoutedTelco.make({
      journal: broken,
      ownerOf: RoutedTelco.makeOwners(yield* inventory([])),
      routes: routes("a"),
      telcos: new Map([["a", recording("a", calls)]])
    })
    expect(yield* Effect.flip(telco.createPackage(order))).toMatchObject({ _tag: "Telco.Unavailable" })
    expect(calls).toEqual([])
  })
})

describe("the services over several telcos", () => {
  it("subscribe, and send messages, by label and organization", async () => {
    const telcos = { one: { kind: "simulator" }, two: { kind: "simulator" } }
    const of = World.settings(telcos, [{ label: "Green", packages: "one", sms: "two" }, { packages: "two" }])
    const { run } = await World.start(of)
    const { organizationId } = await run(World.organization)
    const [iccid = ""] = await run(World.sims(organizationId, "Green", 1))
    const { planId } = await run(World.plan(organizationId, "Green"))
    await run(
      Subscriptions.Subscriptions.use((all) =>
        all.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })
      )
    )
    await run(Messages.Messages.use((all) => all.send({ organizationId, iccid, from: "Acme", text: "Hello" })))
    expect(await run(Effect.map(Books.Books, Boolean))).toBe(true)
    const routes = (kind: string) => Journal.Journal.use((journal) => journal.ofSim({ telco: "*", kind, iccid }))
    // The package's stays; that of the message is purged some day.
    expect((await run(routes("route"))).map(({ document }) => document)).toEqual([{ telco: "one" }])
    expect((await run(routes(Journal.ROUTE))).map(({ document }) => document)).toEqual([{ telco: "two" }])
  })
})
