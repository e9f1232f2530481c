/** Rule P4: which of several telcos says what can be done with a SIM. */
import { describe, expect, it } from "vitest"
import { Capabilities, TelcoCapabilities } from "simplan/ports"
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
      can({ organizationId: "shop", label, ...(load !== undefined && { purchase: { load } }) })
    expect(of("Green")).toEqual(Capabilities.full)
    expect(of("Blue")).toEqual(Capabilities.full)
    expect(of("Green", "esim_1GB_7D_GB_V2")).toMatchObject({
      ...{ suspension: "package", cancellation: "any", pause: true, windows: false, throttling: false, volumes: false },
      ...{ bundles: true, mobilePlans: false, sms: { longest: 160, senders: ["eSIM"] } },
      topUps: { most: 30, afterExpiry: true, kept: "apart" }
    })
    expect(of("Green", "AU_1_7")).toMatchObject({
      ...{ suspension: "sim", cancellation: "unused", pause: true, sms: { longest: 500, senders: null } },
      topUps: { most: 10, afterExpiry: false, kept: "merged" }
    })
    expect(of("Aqua")).toMatchObject({
      ...{ suspension: "none", cancellation: "load", pause: false, mobilePlans: false, sms: null, firstUse: "either" },
      downloads: false,
      topUps: { most: null, afterExpiry: true, kept: "apart" }
    })
    // The order of a SIM without a telco says so.
    expect(of("Red")).toEqual({ ...Capabilities.full, pause: false })
  })
})
