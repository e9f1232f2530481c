import { Clock, Effect } from "effect"
import { Subscriptions } from "simplan"
import { expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import * as Fake from "../fakes/ocs/Fake.mjs"
import * as World from "./World.ts"

const TOKEN = "token-of-the-charging-system"

it("an order is looked at again when the watch time of the settings is over", async () => {
  const ocs = await Fake.start({ token: TOKEN })
  const system = { kind: "ocs", url: ocs.url, url_v2: ocs.urlV2, token: { env: "TOKEN" }, reseller_id: 1 }
  const { run } = await World.start(
    World.settings({ ocs: { ...system, watch: "2 minutes", zones: { Green: { AD: 28 } } } }, [{ packages: "ocs" }], {
      TOKEN
    })
  )
  const { due, since, until } = await run(
    Effect.gen(function* () {
      const { organizationId } = yield* World.organization
      const [iccid = ""] = yield* World.sims(organizationId, "Green", 1)
      ocs.addSubscribers({ iccids: [iccid] })
      const { planId } = yield* World.plan(organizationId, "Green")
      const since = yield* Clock.currentTimeMillis
      yield* Subscriptions.Subscriptions.use((of) =>
        of.create({ organizationId, planId, iccid, metadata: "", activePeriod: null })
      )
      const until = yield* Clock.currentTimeMillis
      const entries = yield* Journal.Journal.use((of) => of.ofSim({ telco: "ocs", kind: "package", iccid }))
      return { due: entries[0]?.dueAt ?? 0, since, until }
    })
  ).finally(() => ocs.close())
  expect(due).toBeGreaterThanOrEqual(since + 120_000)
  expect(due).toBeLessThanOrEqual(until + 120_000)
})
