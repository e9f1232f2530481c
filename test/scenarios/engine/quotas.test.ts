/**
 * How much an organization may have (rule W13): plans, custom regions, webhook endpoints and API
 * keys.
 */
import { Effect, Layer, Stream } from "effect"
import { ApiKeys, Coverage, Organizations, Plans, Services, Settings, Webhooks } from "simplan"
import * as Memory from "simplan/memory"
import { Clocks } from "simplan/ports"
import { expect } from "vitest"
import * as Ports from "../Ports.ts"
import * as Tests from "../../setup/Tests.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const quotas = { plans: 2, regions: 2, webhookEndpoints: 2, apiKeys: 2 }

const limits = Layer.effect(
  Settings.Settings,
  Effect.map(Settings.Settings, (preset) => ({ ...preset, quotas }))
)

const run = Tests.by<Services.Services>((test) => {
  const ports = Layer.mergeAll(Memory.layer, Ports.make(Clocks.virtual(NOW)))
  const services = Layer.provide(Layer.provide(Services.layer, ports), limits)
  return test.pipe(Effect.provide(services), Effect.runPromise)
})

const scene = Effect.gen(function* () {
  const { organizationId } = yield* (yield* Organizations.Organizations).create({ name: "Shop" })
  const coverage = yield* Coverage.Coverage
  const asked = { organizationId, regionCode: null, label: "Green" }
  const [profile] = yield* Stream.runCollect(Stream.take(coverage.list(asked), 1))
  const plans = yield* Plans.Plans
  const apiKeys = yield* ApiKeys.ApiKeys
  const webhooks = yield* Webhooks.Webhooks
  const terms = {
    coverageId: profile?.coverageId ?? "",
    dataMegaBytes: 1,
    periodDays: 1,
    throttling: [],
    recurrence: null
  }
  const countries = ["FR", "DE", "ES", "IT", "SE"]
  const request = { organizationId, label: "Green" } as const
  return {
    organizationId,
    plans,
    apiKeys,
    webhooks,
    create: {
      plans: (name: string) => plans.create({ organizationId, terms: { ...terms, name } }),
      regions: (name: string) =>
        coverage.createRegion({
          ...request,
          regionName: name,
          iso2List: ["NO", countries[Number(name)] ?? ""]
        }),
      webhookEndpoints: (name: string) =>
        webhooks.create({ organizationId, url: `https://hooks.example/${name}`, events: null, description: "" }),
      apiKeys: (name: string) => apiKeys.create({ organizationId, name, scope: "full", expiresAt: null })
    }
  }
})

const kinds = ["plans", "regions", "webhookEndpoints", "apiKeys"] as const

for (const kind of kinds) {
  run(`an organization has no more ${kind} than its quota`, function* () {
    const { create } = yield* scene
    yield* create[kind]("0")
    yield* create[kind]("1")
    for (const name of ["2", "3"]) {
      const another: Effect.Effect<unknown, unknown> = create[kind](name)
      expect(yield* Effect.flip(another)).toMatchObject({ _tag: "QuotaExceeded", kind, quota: 2 })
    }
    const other = yield* scene
    yield* other.create[kind]("0")
  })
}

run("what is deleted or revoked makes room, and an archived plan or a disabled endpoint does not", function* () {
  const { apiKeys, create, organizationId, plans, webhooks } = yield* scene
  const [first] = [yield* create.plans("0"), yield* create.plans("1")]
  const plan = { organizationId, planId: first.planId }
  yield* plans.archive(plan)
  expect(yield* Effect.flip(create.plans("2"))).toMatchObject({ _tag: "QuotaExceeded" })
  yield* plans.remove(plan)
  yield* create.plans("2")

  const [hook] = [yield* create.webhookEndpoints("0"), yield* create.webhookEndpoints("1")]
  const endpoint = { organizationId, endpointId: hook.endpointId }
  yield* webhooks.update({ ...endpoint, enabled: false })
  expect(yield* Effect.flip(create.webhookEndpoints("2"))).toMatchObject({ _tag: "QuotaExceeded" })
  yield* webhooks.remove(endpoint)
  yield* create.webhookEndpoints("2")

  const [made] = [yield* create.apiKeys("0"), yield* create.apiKeys("1")]
  const { apiKeyId } = made.apiKey
  yield* apiKeys.rotate({ organizationId, apiKeyId })
  yield* apiKeys.revoke({ organizationId, apiKeyId })
  yield* create.apiKeys("2")
  expect(yield* Effect.flip(create.apiKeys("3"))).toMatchObject({ _tag: "QuotaExceeded" })
})
