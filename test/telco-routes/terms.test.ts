import { Effect } from "effect"
import { Coverage, Plans } from "simplan"
import { describe, expect, it } from "vitest"
import { Routes } from "../../adapters/telco-routes/index.ts"
import * as World from "./World.ts"

// Terms are checked against the settings and the journal, so nobody has to listen there.
const ocs = { kind: "ocs", url: "http://127.0.0.1:9/v1", token: { env: "TOKEN" }, reseller_id: 1 }
const env = { TOKEN: "a-token-of-the-test" }

const settings = (zones: unknown, routes: unknown = [{ label: "Green", packages: "ocs" }]) =>
  World.settings({ ocs: { ...ocs, zones }, sandbox: { kind: "simulator" } }, routes, env)

const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

describe("P4: a plan's terms", () => {
  it("are refused where no telco takes the label", async () => {
    const { run } = await World.start(settings({}))
    const { organizationId } = await run(World.organization)
    expect(await run(refusal(World.plan(organizationId, "Blue")))).toMatchObject({
      _tag: "TermsRefused",
      message: "No telco takes SIMs of the label Blue here: the operator adds a route for it to the settings of telcos"
    })
  })

  it("are taken where the telco of the packages needs no settings for them", async () => {
    const routes = [{ label: "Green", packages: "ocs" }, { packages: "sandbox" }]
    const { run } = await World.start(settings({}, routes))
    const { organizationId } = await run(World.organization)
    expect(await run(World.plan(organizationId, "Blue"))).toMatchObject({ terms: { label: "Blue" } })
  })

  it("need a zone of the coverage profile, which the settings name by its region code", async () => {
    const durable = World.durable()
    const first = await World.start(settings({}), { kept: durable })
    const { organizationId } = await first.run(World.organization)
    const { coverageId, regionCode } = await first.run(World.coverage("Green"))
    expect(await first.run(refusal(World.plan(organizationId, "Green")))).toMatchObject({
      _tag: "TermsRefused",
      message:
        `No location zone of ocs is set for label Green, region ${regionCode}, coverage ${coverageId}: ` +
        'the operator sets it with PUT /admin/v1/telcos/ocs/zones {"label", "coverage_id", "zone_id"}'
    })
    await first.close()
    const second = await World.start(settings({ Green: { [regionCode]: 27 } }), { kept: durable })
    expect(await second.run(World.plan(organizationId, "Green"))).toMatchObject({ terms: { coverageId } })
  })

  it("need of a custom region that its zone was set", async () => {
    const { run } = await World.start(settings({}))
    const { organizationId } = await run(World.organization)
    const region = await run(
      Coverage.Coverage.use((of) =>
        of.createRegion({ organizationId, regionName: "North", label: "Green", iso2List: ["SE", "NO"] })
      )
    )
    const { coverageId } = region
    const create = Plans.Plans.use((of) => of.create({ organizationId, terms: World.terms(coverageId) }))
    expect(await run(refusal(create))).toMatchObject({ _tag: "TermsRefused" })
    const zones = await run(
      Effect.gen(function* () {
        const telco = (yield* Routes.Routes).telcos.get("ocs")
        if (telco === undefined || telco.zones === null) throw new Error("no zones")
        yield* telco.zones.set({ label: "Green", coverageId, zoneId: 1 }, Effect.void)
        yield* telco.zones.set({ label: "Blue", coverageId: "another", zoneId: 3 }, Effect.void)
        yield* telco.zones.set({ label: "Green", coverageId, zoneId: 2 }, Effect.void)
        return yield* telco.zones.list
      })
    )
    expect(zones).toEqual([
      { label: "Blue", coverageId: "another", zoneId: 3 },
      { label: "Green", coverageId, zoneId: 2 }
    ])
    expect(await run(create)).toMatchObject({ terms: { coverageId, label: "Green" } })
  })
})
