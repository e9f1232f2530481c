/**
 * Suppliers in the settings file (rule I15): what it says of them, routes by load, and which telco
 * has a SIM that was bought.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { Plans, Problems, SoldBundles } from "simplan"
import { type Label, SimIdentities, Storage, Telco, TelcoBundles, TelcoPurchases } from "simplan/ports"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Books } from "../../adapters/telco-simulator/index.ts"
import * as Connected from "../../adapters/telco-routes/Connected.ts"
import { Routes, Routing, TelcoFile } from "../../adapters/telco-routes/index.ts"
import * as RoutedTelco from "../../adapters/telco-routes/RoutedTelco.ts"
import * as Values from "../domain/Values.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as Leaks from "../setup/Leaks.ts"
import * as Tests from "../setup/Tests.ts"
import * as Shop from "../setup/Shop.ts"
import * as SupplierServer from "../telco-esim-go/SupplierServer.ts"
import * as EsimGo from "../telco-esim-go/World.ts"
import * as Suppliers from "./Suppliers.ts"
import * as World from "./World.ts"

const spending = { amount: "50.00", currency: "USD" }

const env = { SECRET: "secret-of-the-account", CODE: "code-of-the-account", SHORT: "short" }

const accounts = {
  go: { kind: "esim-go", key: { env: "SECRET" } },
  access: { kind: "esim-access", access_code: { env: "CODE" } },
  airalo: { kind: "airalo", client_id: "shop", client_secret: { env: "SECRET" } }
}

const parse = (telcos: unknown, routes: unknown) =>
  TelcoFile.parse({ text: JSON.stringify({ telcos, routes }, null, 2), name: "telcos.json", directory: "/", env })

const message = (telcos: unknown, routes: unknown = [{ packages: "go" }]) => {
  const read = parse(telcos, routes)
  return Result.isFailure(read) ? read.failure.message : "no mistake"
}

describe("the settings of suppliers", () => {
  it("are no more than their secrets; addresses and limits are the suppliers' own", () => {
    const { telcos } = Result.getOrThrow(parse(accounts, [{ packages: "go" }]))
    const common = { callsAtOnce: 16, timeoutMillis: 30_000, balanceLevel: null, callbacks: null }
    const watched = { ...common, lateMillis: 300_000 }
    expect(telcos).toMatchObject([
      { ...watched, name: "go", url: "https://api.esim-go.com/v2.5", refunds: false, callsPerSecond: 8 },
      { ...common, name: "access", url: "https://api.esimaccess.com/api/v1/open", callsPerSecond: 8 },
      { ...watched, name: "airalo", url: "https://partners-api.airalo.com/v2", clientId: "shop", callsPerSecond: 5 }
    ])
    const [go] = telcos
    expect(go?.kind === "esim-go" ? Redacted.value(go.key) : "").toBe(env.SECRET)
    expect(JSON.stringify(telcos)).not.toMatch(/-of-the-account/)
  })

  const go = (changes: unknown) => ({ go: { ...accounts.go, ...Object(changes) } })

  it.each([
    [{ go: { kind: "esim-go" } }, "line 3: telcos.go.key is required"],
    [go({ key: "geheim" }), 'line 5: telcos.go.key must be {"file": "<path>"} or {"env": "<NAME>"}'],
    [go({ access_code: { env: "CODE" } }), "line 8: telcos.go.access_code is not known"],
    [go({ refunds: "no" }), "line 8: telcos.go.refunds must be true or false"],
    [go({ watch: "4 seconds" }), 'line 8: telcos.go.watch must be a time from 5s to 1d, such as "10 seconds"'],
    [go({ balance_level: 0.5 }), "line 8: telcos.go.balance_level must be an integer of at least 1"],
    [go({ calls_per_second: 0 }), "line 8: telcos.go.calls_per_second must be an integer of at least 1"],
    [go({ callbacks: { secret: { env: "SHORT" } } }), "names a secret of less than 16 characters"],
    [go({ callbacks: true }), "telcos.go.callbacks must be an object or null"],
    [{ go: { kind: "esim-access" } }, "line 3: telcos.go.access_code is required"],
    [{ go: { kind: "airalo", client_secret: { env: "SECRET" } } }, "line 3: telcos.go.client_id is required"]
  ])("are refused, with the line: %j", (telcos, sentence) => {
    const read = message(telcos)
    expect(read).toContain("telcos.json, ")
    expect(read).toContain(sentence)
  })
})

it("an order that eSIM Go has not answered holds up the next one as long as `watch` says", async () => {
  const server = await SupplierServer.start({ now: () => Date.now() })
  onTestFinished(server.close)
  Leaks.know(SupplierServer.KEY)
  const account = { kind: "esim-go", url: server.url, key: { env: "KEY" }, watch: "1 hour" }
  const settings = World.settings({ go: account }, [{ packages: "go" }], { KEY: SupplierServer.KEY })
  const layer = Layer.provide(Routes.layer(settings), [Journal.layerMemory, Books.layerMemory, Memory.layer])
  server.faults.set("POST orders", [{ fault: "request lost" }])
  const bought = (purchaseId: string) =>
    Telco.Telco.use((telco) => EsimGo.buy(telco, EsimGo.purchase(purchaseId))).pipe(Effect.flip)
  const [, next] = await Effect.runPromise(Effect.provide(Effect.all([bought("1"), bought("2")]), layer))
  expect(next).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: expect.any(Number) })
  expect(next._tag === "Telco.Unavailable" ? next.retryAfterSeconds : 0).toBeGreaterThan(3_500)
})

describe("routes by load", () => {
  const bridge = { kind: "http", url: "http://bridge.example", key: { env: "SECRET" } }
  const telcos = { ...accounts, bridge, ocs: { kind: "smpp", url: "smpp://a@b", password: { env: "SECRET" } } }
  const loads = ["esim_*", "AU_1_7"]

  const find = (routes: unknown, load?: string, label: Label.Label = "Green") =>
    Routing.find(Result.getOrThrow(parse(telcos, routes)).routes, {
      label,
      organizationId: "acme",
      ...(load !== undefined && { load })
    })?.telcos.packages

  it("take SIMs that are bought with one of their loads, or with one that begins so", () => {
    const routes = [
      { label: "Green", loads, packages: "go" },
      { loads: ["*"], packages: "access" },
      { packages: "airalo" }
    ]
    expect(find(routes, "esim_1GB_7D_GB_V2")).toBe("go")
    expect(find(routes, "AU_1_7")).toBe("go")
    expect(find(routes, "AU_1_7", "Blue")).toBe("access")
    expect(find(routes, "AU_1_70")).toBe("access")
    expect(find(routes, "esim_")).toBe("go")
    expect(find(routes, "esim")).toBe("access")
    expect(find(routes)).toBe("airalo")
    expect(find([{ loads: ["*"], packages: "access" }])).toBeUndefined()
  })

  it.each([
    [[{ packages: "go" }, { loads, packages: "access" }], "routes[1] is never taken"],
    [
      [
        { loads: ["esim_*", "AU*"], packages: "go" },
        { label: "Green", loads, packages: "access" }
      ],
      "routes[1] is never"
    ],
    [[{ loads: [], packages: "go" }], "routes[0].loads must be an array of codes of bundles"],
    [[{ loads: [""], packages: "go" }], "routes[0].loads[0] must"],
    [[{ loads, packages: "ocs" }], "routes[0].packages names a telco of the kind smpp, which sells no eSIMs"],
    [[{ loads, packages: "go", sms: "ocs" }], "routes[0].sms cannot stand beside loads"],
    [[{ packages: "go", limits: {} }], "routes[0].limits must be an object with unsold, with spending_per_day or"],
    [[{ packages: "go", limits: { unsold: 0 } }], "routes[0].limits.unsold must"],
    ...[{}, 50, { ...spending, amount: "0.00" }, { ...spending, amount: "5,0" }, { ...spending, currency: "usd" }].map(
      (wrong): [ReadonlyArray<unknown>, string] => [
        [{ packages: "go", limits: { spending_per_day: wrong } }],
        "routes[0].limits.spending_per_day"
      ]
    ),
    [[{ packages: "bridge", limits: { unsold: 1 } }], "routes[0].limits can be of a telco that sells eSIMs only"]
  ])("are refused: %j", (routes, sentence) => {
    expect(message(telcos, routes)).toContain(sentence)
  })

  it.each([
    [[{ loads, packages: "go" }, { packages: "access" }]],
    [
      [
        { loads: ["esim_*"], packages: "go" },
        { loads, packages: "access" }
      ]
    ],
    [
      [
        { label: "Green", loads, packages: "go" },
        { loads, packages: "access" }
      ]
    ]
  ])("are all taken by some SIM: %j", (routes) => {
    expect(message(telcos, routes)).toBe("no mistake")
  })
})

const spendingPerDay = { units: 5_000, scale: 2, currency: "USD" }

it("limits of purchases are those of the route of the organization and the load (rule I16)", async () => {
  const routes = [
    { organization_id: "acme", loads: ["esim_*"], packages: "shop", limits: { unsold: 2, spending_per_day: spending } },
    { label: "Green", organization_id: "third", packages: "shop", limits: { spending_per_day: spending } },
    { packages: "shop", limits: { unsold: 9 } }
  ]
  const { run } = await World.start(World.settings({ shop: { kind: "simulator" } }, routes))
  const limits = (organizationId: string, load: string) =>
    run(Effect.flatMap(TelcoPurchases.TelcoPurchases, (of) => of.limits({ organizationId, label: "Green", load })))
  expect(await limits("acme", "esim_1")).toEqual({ unsold: 2, spendingPerDay })
  expect(await limits("acme", "other")).toEqual({ unsold: 9, spendingPerDay: null })
  expect(await limits("other", "esim_1")).toEqual({ unsold: 9, spendingPerDay: null })
  expect(await limits("third", "esim_1")).toEqual({ unsold: null, spendingPerDay })
})

const ICCID = "8900000000000000011"

const owner = { label: "Green", organizationId: "acme" } as const

/** A telco that sells the SIM, and writes down the calls that it gets. */
const recording = (name: string, calls: Array<string>): Connected.Connected => {
  const call =
    <A>(operation: string, answer: A) =>
    (): Effect.Effect<A> =>
      Effect.sync(() => {
        calls.push(`${name} ${operation}`)
        return answer
      })
  const sold = { ...SimIdentities.none, iccid: ICCID, lpa: "LPA:1$smdp.example$A", sellBy: null, cost: null }
  return {
    ...Connected.onlyCalls,
    name,
    kind: "simulator",
    telco: {
      createPackage: call("create", { telcoPackageId: name, activationAt: null, expirationAt: null }),
      suspendPackage: call("suspend", undefined),
      cancelPackage: call("cancel", undefined),
      sendSms: call("sms", undefined),
      releaseProfile: call("release", undefined),
      setMobilePlan: call("plan", undefined),
      setService: call("service", undefined),
      listPackages: call("list", []),
      buySim: call("buy", sold),
      returnSim: call("return", "credit" as const)
    },
    check: Effect.succeed([])
  }
}

const route = (packages: string, loads: ReadonlyArray<string> | null = null): Routing.Route => ({
  ...{ label: null, organizationId: null, loads },
  telcos: { packages, sms: packages, profiles: packages }
})

const setUp = Effect.gen(function* () {
  const calls: Array<string> = []
  const storage = Context.get(yield* Layer.build(Memory.layer), Storage.Storage)
  const journal = yield* Journal.makeMemory
  const all = new Map(["one", "other"].map((name) => [name, recording(name, calls)]))
  const over = (routes: ReadonlyArray<Routing.Route>, telcos: ReadonlyMap<string, Connected.Connected> = all) => {
    const ownerOf = () => Effect.succeed(owner)
    const simAggregates = { ...storage.simAggregates, owner: ownerOf }
    const of = { journal, routes, telcos, ownerOf, storage: { ...storage, simAggregates } }
    const { buySim, returnSim, setService, listPackages, ...telco } = RoutedTelco.make(of)
    if (!buySim || !returnSim || !setService || !listPackages) throw new Error("an operation is missing")
    const telcoOf = { ...telco, buySim, returnSim, setService, listPackages }
    return { telco: telcoOf, identities: RoutedTelco.makeIdentities(of) }
  }
  return { all, calls, over }
})

const bought = { ...owner, purchaseId: "p", load: "1 GB", limit: null }

const order: Telco.PackageOrder = {
  packageId: "a:0",
  iccid: ICCID,
  window: null,
  terms: { ...World.terms("c"), regionCode: "FR", label: "Green" }
}

describe("a SIM that was bought", () => {
  Tests.scoped("is that of the telco that has sold it, whatever the routes say (I15)", function* () {
    const { calls, over } = yield* setUp
    const { telco } = over([route("one", ["1 GB"]), route("other")])
    expect(yield* telco.buySim(bought)).toMatchObject({ iccid: ICCID })
    yield* telco.createPackage(order)
    const later = over([route("other")]).telco
    yield* later.buySim(bought)
    yield* later.createPackage({ ...order, packageId: "a:1" })
    yield* later.cancelPackage(order)
    yield* later.sendSms({ messageId: "m", iccid: ICCID, from: "x", text: "y" })
    yield* later.releaseProfile({ key: "k", iccid: ICCID })
    yield* later.setService({ key: "k", iccid: ICCID, active: false })
    yield* later.listPackages({ iccid: ICCID })
    expect(yield* later.returnSim({ purchaseId: "p", iccid: ICCID })).toBe("credit")
    const operations = ["buy", "create", "buy", "create", "cancel", "sms", "release", "service", "list", "return"]
    expect(calls).toEqual(operations.map((operation) => `one ${operation}`))
  })

  Tests.scoped("is another telco's once that has sold its ICCID again; packages of before stay", function* () {
    const { calls, over } = yield* setUp
    const before = over([route("one")]).telco
    yield* before.buySim(bought)
    yield* before.createPackage(order)
    const after = over([route("other")]).telco
    yield* after.buySim({ ...bought, purchaseId: "q" })
    yield* after.createPackage({ ...order, packageId: "b:0" })
    yield* after.cancelPackage(order)
    expect(calls.slice(2)).toEqual(["other buy", "other create", "one cancel"])
  })

  Tests.scoped("is nobody else's while its telco is not in the settings", function* () {
    const { all, calls, over } = yield* setUp
    yield* over([route("one")]).telco.buySim(bought)
    const without = new Map([...all].filter(([name]) => name !== "one"))
    const { telco } = over([route("other")], without)
    // What may have been bought must not count as refused.
    expect(yield* Effect.flip(telco.buySim(bought))).toMatchObject({ _tag: "Telco.Unavailable" })
    expect(yield* Effect.flip(telco.createPackage(order))).toMatchObject({ _tag: "Telco.Unavailable" })
    const returned = Effect.flip(telco.returnSim({ purchaseId: "p", iccid: ICCID }))
    expect(yield* returned).toMatchObject({ _tag: "Telco.Refused" })
    expect(calls).toEqual(["one buy"])
  })

  Tests.scoped("is reported of by the telco that has sold it, and by no other (R1)", function* () {
    const { over } = yield* setUp
    const before = over([route("other")])
    const may = ({ identities }: ReturnType<typeof over>, name: string) =>
      identities.mayReport(name, ["packages"])(ICCID)
    expect([yield* may(before, "one"), yield* may(before, "other")]).toEqual([false, true])
    yield* over([route("one")]).telco.buySim(bought)
    expect([yield* may(before, "one"), yield* may(before, "other")]).toEqual([true, false])
  })

  Tests.scoped("goes back to no telco if it was bought of none", function* () {
    const { calls, over } = yield* setUp
    const { telco } = over([route("one")])
    const failure = yield* Effect.flip(telco.returnSim({ purchaseId: "p", iccid: ICCID }))
    expect(failure).toMatchObject({ _tag: "Telco.Refused" })
    expect(calls).toEqual([])
  })
})

it("S5: a SIM that was bought is compared with no OCS, to which the routes send what is imported", async () => {
  const ocs = await Fake.start({ token: "token-of-the-test", subscribers: 2 })
  onTestFinished(() => ocs.close())
  const system = { kind: "ocs", url: ocs.url, url_v2: ocs.urlV2, token: { env: "TOKEN" }, reseller_id: 1 }
  const { run } = await World.start(
    World.settings({ system }, [{ packages: "system" }], { TOKEN: "token-of-the-test" })
  )
  const { organizationId } = await run(World.organization)
  const purchase = { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: 0 }
  const stock = [{}, { purchase }].map((changes, index) =>
    Values.sim({ organizationId, simId: `sim-${index}`, iccid: Fake.iccidOf(index + 1), ...changes })
  )
  await run(Storage.Storage.use((storage) => storage.sims.import(stock)))
  const { comparison = expect.fail() } = await run(
    Routes.Routes.use(({ telcos }) => Effect.succeed(telcos.get("system") ?? expect.fail()))
  )
  await run(comparison.begin)
  const done = () =>
    run(
      Effect.andThen(
        Routes.Routes.use(({ drain }) => drain),
        comparison.progress
      )
    )
  await expect.poll(done).toMatchObject({ compared: 1, unanswered: 0, doneAt: expect.any(Number) })
})

it("is told at the start that a secret is wrong, and no start fails for it", async () => {
  const supplier = await Suppliers.start["esim-go"]()
  onTestFinished(supplier.close)
  const settings = World.settings({ shop: supplier.telco({ env: "SECRET" }) }, [{ packages: "shop" }], env)
  const { logs, run } = await World.start(settings)
  await run(Effect.scoped(Routes.check))
  expect(logs.join()).toMatch(/The telco shop cannot be asked .*HTTP 403.*check the key/)
})

it.each(Suppliers.kinds)("I16: %s is not asked for an eSIM that the balance does not pay for", async (kind) => {
  const supplier = await Suppliers.start[kind]()
  onTestFinished(supplier.close)
  const settings = World.settings({ shop: supplier.telco({ env: "SECRET" }) }, [{ packages: "shop" }], {
    SECRET: supplier.secret
  })
  const { run } = await World.start(settings)
  const { organizationId } = await run(World.organization)
  const { planId } = await run(Shop.createPlan(organizationId, { periodDays: 7 }))
  const bundle = { load: supplier.load, topUpLoad: null, limit: null }
  await run(Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle })))
  const seller = (await run(Routes.Routes)).telcos.get("shop")?.seller ?? expect.fail()
  const create = () => run(Effect.result(Shop.subscribe({ organizationId, planId })))
  supplier.setBalance(0)
  await run(seller.balance)
  expect(await create()).toMatchObject({ failure: { _tag: "NoBalance", load: supplier.load } })
  // Some is left, but not the price, which is known by now.
  supplier.setBalance(1)
  await run(seller.balance)
  await run(SoldBundles.SoldBundles.use((of) => of.of("shop")))
  expect(await create()).toMatchObject({ failure: { _tag: "NoBalance" } })
  const problems = Problems.Problems.use((of) => of.page({ after: null, limit: 10 }))
  expect((await run(problems)).items).toEqual([])
  supplier.setBalance(10_000)
  await run(seller.balance)
  expect(await create()).toMatchObject({ success: {} })
  expect(supplier.sold()).toBe(1)
})

it.each(Suppliers.kinds)("S6: a balance at %s below its level is one problem until it is above it", async (kind) => {
  const supplier = await Suppliers.start[kind]()
  onTestFinished(supplier.close)
  const shop = { ...supplier.telco({ env: "SECRET" }), balance_level: 50 }
  const settings = World.settings({ shop }, [{ packages: "shop" }], { SECRET: supplier.secret })
  const { logs, run } = await World.start(settings)
  const problems = async () =>
    (await run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items.map(({ jobId }) => jobId)
  const watched = async (cents: number) => {
    supplier.setBalance(cents)
    const { drain, telcos } = await run(Routes.Routes)
    await run(telcos.get("shop")?.seller?.balance ?? Effect.die("there is none"))
    await run(drain)
    return problems()
  }
  const isWarned = () => logs.filter((line) => line.includes("which is below its level of 50")).length
  expect(await watched(5_000)).toEqual([])
  expect(await watched(4_999)).toEqual(["review:shop/balance"])
  expect(await watched(4_000)).toEqual(["review:shop/balance"])
  expect(isWarned()).toBe(1)
  // It comes again if somebody takes it off meanwhile.
  await run(Problems.Problems.use((of) => of.resolve({ problemId: "review:shop/balance" })))
  expect(await watched(4_000)).toEqual(["review:shop/balance"])
  expect(await watched(5_001)).toEqual([])
})

it("S6: a balance is no problem any more once it has no level", async () => {
  const supplier = await Suppliers.start.airalo()
  onTestFinished(supplier.close)
  const of = (more: object) =>
    World.settings({ shop: { ...supplier.telco({ env: "SECRET" }), ...more } }, [{ packages: "shop" }], {
      SECRET: supplier.secret
    })
  const { run } = await World.start(of({ balance_level: 1_000_000 }))
  const { background, replace } = await run(Routes.Routes)
  const problems = async () =>
    (await run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items.length
  const ended = new AbortController()
  void run(
    Effect.raceFirst(
      background,
      Effect.callback<void>((resume) => {
        ended.signal.addEventListener("abort", () => resume(Effect.void))
      })
    )
  )
  onTestFinished(() => ended.abort())
  await expect.poll(problems).toBe(1)
  await run(replace(of({})))
  await expect.poll(problems).toBe(0)
})

it("P4: a plan may be made whose label has routes for loads only, and not one without any", async () => {
  const telcos = { one: { kind: "simulator" } }
  const { run } = await World.start(World.settings(telcos, [{ label: "Green", loads: ["*"], packages: "one" }]))
  const { organizationId } = await run(World.organization)
  expect(await run(World.plan(organizationId, "Green"))).toMatchObject({ terms: { label: "Green" } })
  expect(await run(Effect.flip(World.plan(organizationId, "Blue")))).toMatchObject({ _tag: "TermsRefused" })
})

it("P5: what the connected suppliers sell is there by their names", async () => {
  const supplier = await Suppliers.start.airalo()
  onTestFinished(supplier.close)
  const none = { kind: "smpp", url: "smpp://a@127.0.0.1:9", password: { env: "SECRET" } }
  const all = { none, shop: supplier.telco({ env: "SECRET" }), sandbox: { kind: "simulator" } }
  const settings = World.settings(all, [{ packages: "shop" }], { SECRET: supplier.secret })
  const { run } = await World.start(settings)
  const { of, telcos } = await run(TelcoBundles.TelcoBundles)
  expect(await run(telcos)).toEqual(["shop", "sandbox"])
  const bundle = { code: supplier.load, kind: "sim", days: 7, price: { units: 45, scale: 1, currency: "USD" } }
  expect(await run(of("shop"))).toContainEqual(expect.objectContaining(bundle))
  expect(await run(of("sandbox"))).toContainEqual(expect.objectContaining({ code: "sim_1GB_7D_FR" }))
  expect(await run(Effect.flip(of("none")))).toMatchObject({ _tag: "Telco.Refused" })
  expect(await run(Effect.flip(of("nobody")))).toMatchObject({ _tag: "Telco.Refused" })
})

it("P6: a plan is made of a bundle whose SIMs the routes have bought of its telco", async () => {
  const telcos = { one: { kind: "simulator" }, two: { kind: "simulator" } }
  const routes = [{ label: "Green", loads: ["sim_1GB*"], packages: "one" }, { packages: "two" }]
  const { run } = await World.start(World.settings(telcos, routes))
  const { organizationId } = await run(World.organization)
  const create = (telco: string, load: string, label: Label.Label) => {
    const bundle = { load, topUpLoad: null, limit: null }
    return Plans.Plans.use((of) =>
      of.createFromBundle({ organizationId, telco, bundle, label, name: null, dryRun: false })
    )
  }
  expect(await run(create("one", "sim_1GB_7D_FR", "Green"))).toMatchObject({ load: "sim_1GB_7D_FR" })
  expect(await run(create("two", "sim_5GB_30D_FR", "Green"))).toMatchObject({ load: "sim_5GB_30D_FR" })
  const wrong = [
    create("two", "sim_1GB_7D_FR", "Green"),
    create("one", "sim_1GB_7D_FR", "Aqua"),
    create("one", "sim_5GB_30D_FR", "Green")
  ]
  for (const one of wrong) expect(await run(Effect.flip(one))).toMatchObject({ _tag: "InvalidField", field: "label" })
})
