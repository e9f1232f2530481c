/**
 * Pauses over several telcos: which of them can, and where a SIM is paused whose packages are at
 * two (rule S7).
 */
import { Context, Effect, Layer } from "effect"
import { Pauses, Sims, Subscriptions } from "simplan"
import { type Label, Storage, Telco, TelcoCapabilities } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import type { Connected } from "../../adapters/telco-routes/index.ts"
import * as RoutedTelco from "../../adapters/telco-routes/RoutedTelco.ts"
import * as World from "./World.ts"

describe("A pause", () => {
  it("is refused where the telco of the SIM's packages cannot, and goes to the telco that can", async () => {
    const bridge = { kind: "http", url: "http://127.0.0.1:9/telco", key: { env: "KEY" } }
    const telcos = { sandbox: { kind: "simulator" }, old: bridge, young: { ...bridge, pauses: true } }
    const routes = [{ label: "Green", packages: "sandbox" }, { label: "Blue", packages: "old" }, { packages: "young" }]
    const { run } = await World.start(World.settings(telcos, routes, { KEY: "a-key-of-the-test" }))
    const { organizationId } = await run(World.organization)
    const can = await run(TelcoCapabilities.current)
    const pauses = (label: Label.Label) => run(Effect.map(can({ organizationId, label }), ({ pause }) => pause))
    expect([await pauses("Green"), await pauses("Blue"), await pauses("Red")]).toEqual([true, false, true])

    const [iccid = ""] = await run(World.sims(organizationId, "Green", 1))
    const { planId } = await run(World.plan(organizationId, "Green"))
    await run(
      Subscriptions.Subscriptions.use((of) =>
        of.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })
      )
    )
    await run(Pauses.Pauses.use((of) => of.pause({ organizationId, iccid })))
    const sim = await run(Sims.Sims.use((of) => of.get({ organizationId, iccid })))
    expect(sim.service.pausedAt).not.toBeNull()
  })
})

describe("A SIM whose route has changed", () => {
  const iccid = "8900000000000000011"

  /** A telco that can pause, and that refuses to if asked to. */
  const telcoOf = (name: string, calls: Array<string>, refuses: ReadonlySet<string>): Connected.Connected => {
    const done = () => Effect.void
    return {
      name,
      kind: "simulator",
      telco: {
        createPackage: () => Effect.succeed({ telcoPackageId: name, activationAt: null, expirationAt: null }),
        suspendPackage: done,
        cancelPackage: done,
        sendSms: done,
        releaseProfile: done,
        setMobilePlan: done,
        setService: ({ active }) =>
          Effect.suspend(() => {
            calls.push(`${name} ${active}`)
            return refuses.has(name) ? Effect.fail(new Telco.Refused({ message: "no such SIM" })) : Effect.void
          })
      },
      checkTerms: done,
      zones: null,
      notifications: null,
      imsiOf: null,
      check: Effect.succeed([]),
      missing: Effect.succeed([]),
      background: null
    }
  }

  it("is paused at both telcos; the one before may not know it any more", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const refuses = new Set<string>()
      const stored = Context.get(yield* Layer.build(Memory.layer), Storage.Storage)
      const simAggregates = {
        ...stored.simAggregates,
        owner: () => Effect.succeed({ organizationId: "acme", label: "Green" as const })
      }
      const journal = yield* Journal.makeMemory
      const telcos = new Map(["first", "second"].map((name) => [name, telcoOf(name, calls, refuses)]))
      const routed = (packages: string) =>
        RoutedTelco.make({
          journal,
          ownerOf: RoutedTelco.makeOwners({ ...stored, simAggregates }),
          routes: [
            { label: null, organizationId: null, loads: null, telcos: { packages, sms: packages, profiles: packages } }
          ],
          telcos
        })
      const window = { start: 0, end: 1 }
      const terms = { ...World.terms("c"), regionCode: "FR", label: "Green" as const }
      yield* routed("first").createPackage({ packageId: "a:0", iccid, window, terms })
      const set = (key: string, active: boolean) => routed("second").setService?.({ key, iccid, active }) ?? Effect.void
      yield* set("a", false)
      expect(calls.splice(0).toSorted()).toEqual(["first false", "second false"])
      refuses.add("first")
      yield* set("b", true)
      expect(calls.splice(0).toSorted()).toEqual(["first true", "second true"])
      refuses.add("second")
      expect(yield* Effect.flip(set("c", false))).toMatchObject({ _tag: "Telco.Refused" })
    }).pipe(Effect.scoped, Effect.runPromise))
})
