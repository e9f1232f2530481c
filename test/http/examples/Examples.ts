/**
 * The documented examples of requests, as calls of a service that has what the samples name. The
 * ids that a service makes itself stand in place of those of the samples.
 */
import { Effect, Layer } from "effect"
import { TelcoBundles } from "simplan/ports"
import { SimulatorBundles, TelcoSimulator } from "simplan/telco-simulator"
import { expect } from "vitest"
import { Document, RouteGroups } from "../../../adapters/http/index.ts"
import { Sim, Storage } from "simplan/ports"
import { Samples } from "simplan/views"
import * as Telcos from "../Telcos.ts"
import * as World from "../World.ts"

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON of many shapes
export type Json = any

const document: Json = Document.document()

// The body of a notification is described by the telco's own documents.
/** The operations, but for what telcos notify. */
export const operations = Object.entries<Json>(document.paths)
  .filter(([path]) => /^\/(?:v3|admin|telco)\//.test(path) && !RouteGroups.isNotification(path))
  .flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )

/** What stands in place of the samples. */
export type Instead = ReadonlyMap<string, string>

export const instead = (text: string, of: Instead): string =>
  [...of].reduce((changed, [sample, real]) => changed.replaceAll(sample, real), text)

const expected = <A>(value: A | undefined, of: string): A => {
  if (value === undefined) throw new Error(`There is no ${of}`)
  return value
}

/** Makes what the samples name. */
export const prepare = async (world: World.World): Promise<{ readonly key: string; readonly of: Instead }> => {
  const tenant = await World.tenant(world)
  const organization = `/organizations/${tenant.organizationId}`
  const sim = { iccid: Samples.iccid, label: "Green", is_esim: true, lpa: Samples.lpa }
  const [deleted, located, waiting] = [World.iccid(2), World.iccid(3), World.iccid(4)]
  // The last one is for a subscription that moves.
  const sims = [Samples.iccid, deleted, located, waiting, World.iccid(5)].map((iccid) => ({ ...sim, iccid }))
  await world.admin("POST", `${organization}/sims`, { sims })
  const endpoint = (await world.admin("POST", `${organization}/webhook-endpoints`, { url: "https://example.com" })).body
  const { body: profiles } = await tenant.get("/v3/coverage-profiles?region_code=SE&label=Green")
  const { body: operators } = await tenant.get("/v3/operators?country=SE")
  const coverageId: string = profiles.data[0].coverage_id
  const terms = { coverage_id: coverageId, data_MBs: 5_120, name: "Sweden 5 GB", period_days: 30 }
  const { body: plan } = await tenant.post("/v3/plans", { ...terms, recurring: false, throttling: false })

  // An eSIM that was bought, and that nobody has.
  const purchase = { purchaseId: "bought", load: "1 GB", sellBy: null, cost: null, boughtAt: World.START }
  const bought = Sim.imported({
    ...{ organizationId: tenant.organizationId, simId: "bought", iccid: Samples.boughtIccid, label: "Green" },
    ...{ isEsim: true, createdAt: World.START, ...Sim.leftOut, purchase }
  })
  await world.run(Storage.Storage.use((of) => of.sims.import([bought])))
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.sell({ iccid: bought.iccid, purchaseId: "bought" })))

  // A deletion that the telco refuses for good is a problem.
  const subscribe = async (iccid: string) => {
    const made = await tenant.post("/v3/subscription", { plan_id: plan.plan_id, metadata: "", iccid })
    expect(made.status, made.text).toBe(201)
    return made.body.subscription_id as string
  }
  const refused = await subscribe(deleted)
  const refusal = [{ fault: "refuse", on: "cancelPackage", message: "no" }] as const
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults(refusal)))
  await tenant.call("DELETE", `/v3/subscriptions/${deleted}`)
  await world.admin("POST", "/clock/advance", { by: "1 day" })

  // One whose cancellation the telco does not answer waits.
  const left = await subscribe(waiting)
  const silence = [{ fault: "unavailable", on: "cancelPackage" }] as const
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults(silence)))
  await tenant.call("DELETE", `/v3/subscriptions/${waiting}`)
  await world.admin("POST", "/clock/advance", { by: "1 second" })

  const subscriptionId = await subscribe(Samples.iccid)
  const { body: attachments } = await tenant.get(`/v3/subscriptions/${Samples.iccid}/plan-attachments`)
  const attachmentId: string = attachments.data[0].plan_attachment_id
  const place = { country_alpha_2: "SE", operator: "Telia", rat: "5G", imei: "490154203237518" }
  const { now } = (await world.admin("GET", "/clock")).body.data
  await world.telco([{ id: "located", type: "location", iccid: located, occurred_at: now, ...place }])
  const { body: deliveries } = await world.admin("GET", `${organization}/deliveries`)
  const { body: keys } = await world.admin("GET", `${organization}/api-keys`)
  const { body: operator } = await world.admin("POST", "/operators", { name: "Bob", role: "read" })
  return {
    key: tenant.key,
    of: new Map([
      [Samples.problemId, `release:${refused}`],
      [Samples.jobId, `release:${left}`],
      [Samples.deliveryId, expected<string>(deliveries.data[0]?.delivery_id, "delivery")],
      [Samples.organizationId, tenant.organizationId],
      [Samples.keyId, keys.data[0].api_key_id],
      [Samples.serviceOperatorId, operator.data.operator_id],
      [Samples.endpointId, endpoint.data.webhook_endpoint_id],
      [Samples.planId, plan.plan_id],
      [Samples.coverageId, coverageId],
      [Samples.subscriptionId, subscriptionId],
      [Samples.attachmentId, attachmentId],
      [Samples.packageId, `${attachmentId}:0`],
      [Samples.operatorId, operators.data[0].operator_id]
    ])
  }
}

/** The simulator's bundles, by each name of a telco. */
export const beside = Layer.succeed(TelcoBundles.TelcoBundles, {
  telcos: Effect.succeed(["ocs", "simulator"]),
  of: () => Effect.succeed(SimulatorBundles.all)
})

/** A charging system by the name of the samples. */
export const telcos = () => new Map([["ocs", expected(Telcos.make().telcos.get("x"), "telco")]])

export const examplesOf = (content: Json): ReadonlyArray<{ readonly type: string; readonly text: string }> =>
  Object.entries<Json>(content ?? {}).flatMap(([type, { example, examples }]) =>
    (examples === undefined ? [example] : Object.values<Json>(examples).map((one) => one.value)).map((value) => ({
      type,
      text: typeof value === "string" ? value : JSON.stringify(value)
    }))
  )

/** What only the browser of a session may ask. */
const OF_SESSION = "DELETE /admin/v1/session"

/** The headers by which an operator's browser asks. */
const signIn = async (world: World.World) => {
  const { headers } = await world.admin("POST", "/session")
  const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";")
  return { cookie, "sec-fetch-site": "same-origin" }
}

/** What a request to the operation shows of its caller. */
export const credentialsOf = async (world: World.World, key: string, of: string): Promise<Record<string, string>> => {
  const [, path = ""] = of.split(" ")
  if (of === OF_SESSION) return signIn(world)
  if (path.startsWith("/v3/")) return { "x-api-key": key }
  return { authorization: `Bearer ${path.startsWith("/admin/") ? World.ADMIN_TOKEN : World.TELCO_TOKEN}` }
}

/** The address and the headers by the examples of the parameters. */
export const addressed = (path: string, parameters: ReadonlyArray<Json>, of: Instead) => {
  const named = (place: string) =>
    parameters
      .filter((one) => one.in === place)
      .map((one) => [String(one.name), instead(String(one.example), of)] as const)
  const target = named("path").reduce((at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value)), path)
  const query = new URLSearchParams(Object.fromEntries(named("query"))).toString()
  return { url: query === "" ? target : `${target}?${query}`, headers: Object.fromEntries(named("header")) }
}
