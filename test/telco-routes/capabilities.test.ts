/** Rule P4: which of several telcos says what can be done with a SIM. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Capabilities, Telco, TelcoCapabilities } from "simplan/ports"
import { Routes } from "../../adapters/telco-routes/index.ts"
import { SimulatorBundles } from "../../adapters/telco-simulator/index.ts"
import * as World from "./World.ts"

const env = { SECRET: "secret-of-the-account", CODE: "code-of-the-account", PASSWORD: "of-the-smsc" }

const telcos = {
  sandbox: { kind: "simulator" },
  go: { kind: "esim-go", key: { env: "SECRET" } },
  access: { kind: "esim-access", access_code: { env: "CODE" } },
  airalo: { kind: "airalo", client_id: "shop", client_secret: { env: "SECRET" } },
  smsc: { kind: "smpp", url: "smpp://user@127.0.0.1:9", password: { env: "PASSWORD" } }
}

const routes = [
  { label: "Green", loads: ["esim_*"], packages: "go" },
  { label: "Green", loads: ["AU_1_7"], packages: "access" },
  { label: "Green", packages: "sandbox" },
  { label: "Aqua", packages: "airalo" },
  { label: "Blue", packages: "sandbox", sms: "smsc" }
]

describe("What can be done with a SIM", () => {
  it("is what the telco of its packages declares, by its label and by the load that it is bought with", async () => {
    const { run } = await World.start(World.settings(telcos, routes, env))
    const can = await run(TelcoCapabilities.current)
    const of = (label: "Green" | "Aqua" | "Blue" | "Red", load?: string) =>
      run(can({ organizationId: "shop", label, ...(load !== undefined && { purchase: { load } }) }))
    expect(await of("Green")).toEqual(Capabilities.full)
    expect(await of("Blue")).toEqual(Capabilities.full)
    expect(await of("Green", "esim_1GB_7D_GB_V2")).toMatchObject({
      ...{ suspension: "package", cancellation: "any", pause: true, windows: false, throttling: false, volumes: false },
      ...{ bundles: true, mobilePlans: false, sms: { longest: 160, senders: ["eSIM"] } },
      topUps: { most: 30, afterExpiry: true, kept: "apart" }
    })
    expect(await of("Green", "AU_1_7")).toMatchObject({
      ...{ suspension: "sim", cancellation: "unused", pause: true, sms: { longest: 500, senders: null } },
      topUps: { most: 10, afterExpiry: false, kept: "merged" }
    })
    expect(await of("Aqua")).toMatchObject({
      ...{ suspension: "none", cancellation: "load", pause: false, mobilePlans: false, sms: null, firstUse: "either" },
      downloads: false,
      topUps: { most: null, afterExpiry: true, kept: "apart" }
    })
    // The order of a SIM without a telco says so.
    expect(await of("Red")).toEqual({ ...Capabilities.full, pause: false })
  })

  it("is what the telco declares that has sold it, whatever the routes say by now", async () => {
    const load = SimulatorBundles.all[0]?.code ?? ""
    const sending = (packages: string, sms = packages) =>
      World.settings(telcos, [{ label: "Green", packages, sms }], env)
    const { run } = await World.start(sending("sandbox"))
    const purchase = { purchaseId: "pur-1", organizationId: "shop", label: "Green", load, limit: null } as const
    const { iccid } = await run(Telco.Telco.use(({ buySim }) => buySim?.(purchase) ?? Effect.die("it sells none")))
    await run(Routes.Routes.use(({ replace }) => replace(sending("airalo", "access"))))
    const can = await run(TelcoCapabilities.current)
    const of = { organizationId: "shop", label: "Green", purchase: { load } } as const
    expect(await run(can({ ...of, iccid }))).toEqual(Capabilities.full)
    const toBeBought = { pause: false, sms: { longest: 500, senders: null } }
    expect(await run(can(of))).toMatchObject(toBeBought)
    // One that was imported has no seller.
    expect(await run(can({ ...of, purchase: null, iccid }))).toMatchObject(toBeBought)
  })
})
