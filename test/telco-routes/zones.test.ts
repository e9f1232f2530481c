import { Effect } from "effect"
import { AuditLog, Organizations } from "simplan"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { Routes } from "../../adapters/telco-routes/index.ts"
import * as World from "./World.ts"

// A zone is set where the telco cannot be asked, so nobody has to listen there.
const ocs = { kind: "ocs", url: "http://127.0.0.1:9/v1", token: { env: "TOKEN" }, reseller_id: 1, timeout: "1s" }
const settings = World.settings({ ocs }, [{ packages: "ocs" }], { TOKEN: "a-token-of-the-test" })

const zone = (zoneId: number) => ({ label: "Green" as const, coverageId: "c-1", zoneId })

const setZone = Effect.fnUntraced(function* (zoneId: number, record: Effect.Effect<void, Storage.StorageError>) {
  const { telcos } = yield* Routes.Routes
  const zones = telcos.get("ocs")?.zones ?? expect.fail("an OCS has zones")
  const outcome = yield* Effect.result(zones.set(zone(zoneId), record))
  return { outcome: outcome._tag, zones: yield* zones.list }
})

describe("W11: a zone that is set", () => {
  it("and its audit entry are written together or not at all", async () => {
    const kept = World.embedded()
    const { run } = await World.start(settings, { kept })
    await run(
      Effect.gen(function* () {
        const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name: "Acme" }))
        const log = yield* AuditLog.AuditLog
        const action = "coverage_profile.set_zone"
        const record = log.record({ organizationId, resourceId: "c-1", iccid: null, action })
        const entries = Effect.map(
          log.page({
            organizationId,
            action,
            actor: null,
            resourceId: null,
            from: null,
            to: null,
            after: null,
            limit: 9
          }),
          ({ items }) => items.length
        )
        const broken = new Storage.StorageError({ message: "The process dies here" })
        expect(yield* setZone(27, Effect.andThen(record, Effect.fail(broken)))).toEqual({
          outcome: "Failure",
          zones: []
        })
        expect(yield* entries).toBe(0)
        expect(yield* setZone(28, record)).toEqual({ outcome: "Success", zones: [zone(28)] })
        expect(yield* entries).toBe(1)
        expect(yield* setZone(29, Effect.fail(broken))).toEqual({ outcome: "Failure", zones: [zone(28)] })
      })
    )
    await kept.dispose()
  })
})
