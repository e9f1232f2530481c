/**
 * An ICCID and an id are one thing in whatever way a host writes them (rules I1 and I13): every
 * method answers as ever when its ICCIDs are padded and its ids are in capitals. A method that is
 * not among these fails the test.
 */
import { type Catalogue, createSimplan, type Simplan } from "simplan/promise"
import { describe, expect, it } from "vitest"
import * as World from "./World.ts"

const ICCIDS = ["8999900000000010000", "898520302104026905", "8999900000000010018"] as const
const [ICCID, SHORT, FREE] = ICCIDS

/** What the requests name. */
interface Named {
  readonly organizationId: string
  readonly iccid: string
  readonly free: string
  readonly short: string
  readonly planId: string
  readonly unused: string
  readonly attachmentId: string
  readonly subscriptionId: string
  readonly coverageId: string
  readonly networkId: string
  readonly webhookEndpointId: string
  readonly deliveryId: string
  readonly eventId: string
  readonly apiKeyId: string
  readonly operatorId: string
}

const open = async () => {
  const simplan = createSimplan({
    database: "memory",
    telco: "simulator",
    clock: { start: "2026-01-31T12:00:00Z" },
    webhooks: { send: async () => ({ status: 200 }) }
  })
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  const rows = ICCIDS.map((iccid) => ({ iccid, label: "Green", isEsim: true, lpa: `LPA:1$smdp.example$${iccid}` }))
  await simplan.sims.import({ organizationId, rows })
  const endpoint = { organizationId, url: "https://example.com/hook", events: ["subscription.created"] as const }
  const { webhookEndpointId } = await simplan.webhooks.create(endpoint)
  const { planId } = await World.plan(simplan, organizationId)
  const { planId: unused } = await World.plan(simplan, organizationId, "Unused")
  const { attachmentId, subscriptionId } = await simplan.subscriptions.create({ organizationId, planId, iccid: ICCID })
  const [delivery] = await simplan.webhooks.deliveries({ organizationId }).toArray()
  const [network] = await simplan.operators.list({ organizationId, country: "SE" }).toArray()
  const { apiKeyId } = await simplan.apiKeys.create({ organizationId, name: "key" })
  const { operatorId } = await simplan.serviceOperators.create({ name: "Ada", role: "read" })
  const named: Named = {
    organizationId,
    iccid: ICCID,
    free: FREE,
    short: SHORT,
    planId,
    unused,
    attachmentId,
    subscriptionId,
    coverageId: await World.europe(simplan, organizationId),
    networkId: network?.operatorId ?? "",
    webhookEndpointId,
    deliveryId: delivery?.deliveryId ?? "",
    eventId: delivery?.event.eventId ?? "",
    apiKeyId,
    operatorId
  }
  return { simplan, named }
}

/** As a host may have written it. */
const written = (text: string): string =>
  /^\d{18,20}$/.test(text) ? ` ${text}${text.length === 18 ? "FF" : "F"}` : text.toUpperCase()

const spelled = (named: Named): Named => ({
  organizationId: written(named.organizationId),
  iccid: written(named.iccid),
  free: written(named.free),
  short: written(named.short),
  planId: written(named.planId),
  unused: written(named.unused),
  attachmentId: written(named.attachmentId),
  subscriptionId: written(named.subscriptionId),
  coverageId: written(named.coverageId),
  networkId: written(named.networkId),
  webhookEndpointId: written(named.webhookEndpointId),
  deliveryId: written(named.deliveryId),
  eventId: written(named.eventId),
  apiKeyId: written(named.apiKeyId),
  operatorId: written(named.operatorId)
})

type Asked = (simplan: Simplan, named: Named) => Promise<unknown>

const catalogueOf = (coverageId: string, networkId: string): Catalogue => ({
  countries: [{ iso2: "SE", iso3: "SWE", name: "Sweden" }],
  operators: [
    {
      operatorId: networkId,
      name: "T",
      countryIso2: "SE",
      supportedRats: ["4G"],
      mccMnc: ["240-01"],
      labels: ["Green"]
    }
  ],
  profiles: [{ coverageId, label: "Green", regionName: "Sweden", regionCode: "SE", iso2List: ["SE"] }]
})

const calls: Readonly<Record<string, Asked>> = {
  "apiKeys.create": ({ apiKeys }, { organizationId }) => apiKeys.create({ organizationId, name: "other" }),
  "apiKeys.list": ({ apiKeys }, { organizationId }) => apiKeys.list({ organizationId }).toArray(),
  "apiKeys.revoke": ({ apiKeys }, { apiKeyId, organizationId }) => apiKeys.revoke({ organizationId, apiKeyId }),
  "apiKeys.rotate": ({ apiKeys }, { apiKeyId, organizationId }) => apiKeys.rotate({ organizationId, apiKeyId }),
  "attachments.get": ({ attachments }, { attachmentId, iccid, organizationId, planId }) =>
    Promise.all([attachmentId, planId].map((id) => attachments.get({ organizationId, iccid, id }))),
  "attachments.list": ({ attachments }, { iccid, organizationId }) =>
    attachments.list({ organizationId, iccid }).toArray(),
  "attachments.previewSuspend": ({ attachments }, { attachmentId, iccid, organizationId }) =>
    attachments.previewSuspend({ organizationId, iccid, attachmentId }),
  "attachments.suspend": async ({ attachments }, { attachmentId, iccid, organizationId }) => {
    await attachments.suspend({ organizationId, iccid, attachmentId })
    return attachments.list({ organizationId, iccid }).toArray()
  },
  "auditLog.list": async ({ auditLog }, { iccid, organizationId, planId, subscriptionId }) => {
    const found = [planId, subscriptionId, iccid].map((resourceId) =>
      auditLog.list({ organizationId, resourceId }).toArray()
    )
    const [all = [], ...others] = await Promise.all([auditLog.list({ organizationId }).toArray(), ...found])
    expect(others.slice(0, 2).every(({ length }) => length > 0)).toBe(true)
    return [all, others]
  },
  "auditLog.note": async ({ auditLog, subscriptions }, { iccid, organizationId }) => {
    const { note } = await auditLog.note({ organizationId, iccid, note: "two phones" })
    const [entry] = await subscriptions.history({ organizationId, iccid }).toArray()
    return [note, entry?.what, entry?.detail]
  },
  "bulk.act": ({ bulk }, { organizationId, planId }) =>
    bulk.act({ organizationId, action: "suspend", planId }).toArray(),
  "bulk.actOnSims": ({ bulk }, { organizationId }) =>
    bulk.actOnSims({ organizationId, action: "restore", all: true }).toArray(),
  "bulk.list": ({ bulk }, { organizationId, planId }) => bulk.list({ organizationId, planId }).toArray(),
  "bulk.previewAct": async ({ bulk }, { organizationId, planId }) => {
    const { matching } = await bulk.previewAct({ organizationId, action: "suspend", planId })
    return matching
  },
  "bulk.previewActOnSims": async ({ bulk }, { organizationId }) => {
    const { matching } = await bulk.previewActOnSims({ organizationId, action: "restore", all: true })
    return matching
  },
  "catalogues.previewReplace": ({ catalogues }, { coverageId, networkId }) =>
    catalogues.previewReplace(catalogueOf(coverageId, networkId)),
  "catalogues.replace": async ({ catalogues }, { coverageId, networkId }) => {
    await catalogues.replace(catalogueOf(coverageId, networkId))
    return catalogues.current()
  },
  "commands.list": ({ commands }, { organizationId }) => commands.list({ organizationId }).toArray(),
  "coverage.createRegion": ({ coverage }, { organizationId }) =>
    coverage.createRegion({ organizationId, regionName: "North", label: "Green", iso2List: ["SE", "NO"] }),
  "coverage.get": ({ coverage }, { coverageId, organizationId }) => coverage.get({ organizationId, coverageId }),
  "coverage.list": ({ coverage }, { organizationId }) =>
    coverage.list({ organizationId, regionCode: "SE", label: "Green" }).toArray(),
  "messages.send": ({ messages }, { iccid, organizationId }) =>
    messages.send({ organizationId, iccid, from: "Acme", text: "Hello" }),
  "operators.get": ({ operators }, { networkId, organizationId }) =>
    operators.get({ organizationId, operatorId: networkId }),
  "operators.list": ({ operators }, { organizationId }) => operators.list({ organizationId, country: "SE" }).toArray(),
  "organizations.get": ({ organizations }, { organizationId }) => organizations.get({ organizationId }),
  "plans.archive": async ({ plans }, { organizationId, planId }) => {
    await plans.archive({ organizationId, planId })
    return plans.get({ organizationId, planId })
  },
  "plans.create": ({ plans }, { coverageId, organizationId }) =>
    plans.create({ organizationId, coverageId, name: "New", dataMegaBytes: 1, periodDays: 1 }),
  "plans.get": ({ plans }, { organizationId, planId }) => plans.get({ organizationId, planId }),
  "plans.list": ({ plans }, { organizationId }) => plans.list({ organizationId }).toArray(),
  "plans.remove": async ({ plans }, { organizationId, unused }) => {
    await plans.remove({ organizationId, planId: unused })
    return plans.list({ organizationId }).toArray()
  },
  "plans.bundle": ({ plans }, { organizationId, planId }) => plans.bundle({ organizationId, planId }),
  "plans.setBundle": ({ plans }, { organizationId, planId }) =>
    plans.setBundle({ organizationId, planId, load: "1 GB" }),
  "plans.setPrice": ({ plans }, { organizationId, planId }) =>
    plans.setPrice({ organizationId, planId, price: "19.90", currency: "EUR" }),
  "plans.createFromBundle": ({ plans }, { organizationId }) =>
    plans.createFromBundle({ organizationId, telco: "simulator", bundle: "sim_1GB_7D_FR", label: "Green" }),
  "plans.unarchive": async ({ plans }, { organizationId, planId }) => {
    await plans.archive({ organizationId, planId })
    await plans.unarchive({ organizationId, planId })
    return plans.get({ organizationId, planId })
  },
  "reports.take": async ({ attachments, reports }, { attachmentId, iccid, organizationId }) => {
    const head = { iccid, occurredAt: "2026-01-31T12:00:00Z" }
    const packageId = `${attachmentId}:0`
    const taken = await reports.take({
      reports: [
        { ...head, type: "usage", id: "1", totalBytes: 100 },
        { ...head, type: "usage", id: "2", totalBytes: 200, packageId },
        { ...head, type: "location", id: "3", countryIso2: "SE", operator: "Telia", rat: "4G", imei: "1" }
      ]
    })
    expect(taken).toMatchObject({ accepted: 3 })
    return [taken, await attachments.list({ organizationId, iccid }).toArray()]
  },
  "serviceOperators.create": ({ serviceOperators }, { organizationId }) =>
    serviceOperators.create({ name: "Bob", role: "read", organizationId }),
  "serviceOperators.remove": ({ serviceOperators }, { operatorId }) => serviceOperators.remove({ operatorId }),
  "serviceOperators.rotate": ({ serviceOperators }, { operatorId }) => serviceOperators.rotate({ operatorId }),
  "serviceOperators.setRole": ({ serviceOperators }, { operatorId }) =>
    serviceOperators.setRole({ operatorId, role: "support" }),
  "sims.get": ({ sims }, { iccid, organizationId, short }) =>
    Promise.all([iccid, short].map((one) => sims.get({ organizationId, iccid: one }))),
  "sims.import": ({ sims }, { iccid, organizationId, short }) =>
    sims.import({ organizationId, rows: [iccid, short].map((one) => ({ iccid: one, label: "Green", isEsim: true })) }),
  // It was imported.
  "sims.giveBack": ({ sims }, { iccid, organizationId }) =>
    sims.giveBack({ organizationId, iccid }).then(
      () => null,
      (error) => error.code
    ),
  "sims.installation": ({ sims }, { iccid, organizationId }) => sims.installation({ organizationId, iccid }),
  "problems.list": ({ problems }, { organizationId }) => problems.list({ organizationId }).toArray(),
  "overview.read": async ({ overview }, { organizationId }) => (await overview.read({ organizationId })).stock,
  "waitingJobs.list": ({ waitingJobs }, { organizationId }) => waitingJobs.list({ organizationId }).toArray(),
  "waitingJobs.retryAll": ({ waitingJobs }, { organizationId }) => waitingJobs.retryAll({ organizationId }),
  "sims.list": ({ sims }, { free, organizationId }) => sims.list({ organizationId, search: free }).toArray(),
  "sims.previewImport": ({ sims }, { free, organizationId }) =>
    sims.previewImport({ organizationId, rows: [{ iccid: free, label: "Blue", isEsim: true }] }),
  "sims.previewUpdate": ({ sims }, { free, organizationId }) =>
    sims.previewUpdate({ organizationId, iccid: free, label: "Blue" }),
  "sims.search": async ({ sims }, { organizationId, short, subscriptionId }) => {
    const found = await Promise.all([short, subscriptionId].map((text) => sims.search({ text, organizationId })))
    expect(found.map(({ hits }) => hits.length)).toEqual([1, 1])
    return found
  },
  "sims.setStockLevels": ({ sims }, { organizationId }) =>
    sims.setStockLevels({ organizationId, levels: [{ label: "Green", level: 5 }] }),
  "sims.verdict": ({ sims }, { iccid, organizationId, short }) =>
    Promise.all([iccid, short].map((one) => sims.verdict({ organizationId, iccid: one }))),
  "sims.smdpInfo": ({ sims }, { iccid, organizationId }) => sims.smdpInfo({ organizationId, iccid }),
  "sims.stock": ({ sims }, { organizationId }) => sims.stock({ organizationId }),
  "sims.update": ({ sims }, { organizationId, short }) =>
    sims.update({ organizationId, iccid: short, label: "Blue", lpa: "1$smdp.example$NEW" }),
  "sims.updateMany": ({ sims }, { free, organizationId, short }) =>
    sims.updateMany({ organizationId, rows: [free, short].map((iccid) => ({ iccid, label: "Blue" })) }).toArray(),
  "subscriptions.create": ({ subscriptions }, { iccid, organizationId, planId, short }) =>
    Promise.all([iccid, short].map((one) => subscriptions.create({ organizationId, planId, iccid: one }))),
  "subscriptions.get": ({ subscriptions }, { iccid, organizationId }) => subscriptions.get({ organizationId, iccid }),
  "subscriptions.history": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.history({ organizationId, iccid }).toArray(),
  "subscriptions.lastOperator": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.lastOperator({ organizationId, iccid }),
  "subscriptions.list": ({ subscriptions }, { organizationId, subscriptionId }) =>
    subscriptions.list({ organizationId, search: subscriptionId }).toArray(),
  "subscriptions.pause": async ({ subscriptions }, { iccid, organizationId }) => {
    await subscriptions.pause({ organizationId, iccid })
    return subscriptions.get({ organizationId, iccid })
  },
  "subscriptions.previewCreate": ({ subscriptions }, { organizationId, planId, short }) =>
    subscriptions.previewCreate({ organizationId, planId, iccid: short }),
  "subscriptions.previewPause": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.previewPause({ organizationId, iccid }),
  "subscriptions.previewRemove": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.previewRemove({ organizationId, iccid }),
  "subscriptions.previewReplace": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.previewReplace({ organizationId, iccid }),
  "subscriptions.previewResume": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.previewResume({ organizationId, iccid }),
  "subscriptions.remove": async ({ subscriptions }, { iccid, organizationId }) => {
    await subscriptions.remove({ organizationId, iccid })
    return subscriptions.list({ organizationId }).toArray()
  },
  "subscriptions.replace": ({ subscriptions }, { iccid, organizationId }) =>
    subscriptions.replace({ organizationId, iccid }),
  "subscriptions.resume": async ({ subscriptions }, { iccid, organizationId }) => {
    await subscriptions.pause({ organizationId, iccid })
    await subscriptions.resume({ organizationId, iccid })
    return subscriptions.get({ organizationId, iccid })
  },
  "telcos.setZone": ({ telcos }, { coverageId }) =>
    telcos.setZone({ telco: "ocs", label: "Green", coverageId, zoneId: 1 }).catch(({ code }) => {
      expect(code).toBe("telco_not_found")
    }),
  "costs.ofOrganization": ({ costs }, { organizationId }) =>
    costs.ofOrganization({ organizationId, from: "2026-01", to: "2026-01", by: "supplier" }).toArray(),
  "costs.ofService": ({ costs }) => costs.ofService({ from: "2026-01", to: "2026-01" }).toArray(),
  "usage.ofOrganization": ({ usage }, { organizationId }) =>
    usage.ofOrganization({ organizationId, from: "2026-01-31", to: "2026-01-31", by: "sim" }).toArray(),
  "usage.ofSim": ({ usage }, { iccid, organizationId }) =>
    usage.ofSim({ organizationId, iccid, from: "2026-01-31", to: "2026-01-31" }).toArray(),
  "wallet.setMobilePlan": ({ wallet }, { iccid, organizationId }) =>
    wallet.setMobilePlan({ organizationId, apply: true, label: "Green", iccid }),
  "webhooks.create": ({ webhooks }, { organizationId }) =>
    webhooks.create({ organizationId, url: "https://example.com/other" }),
  "webhooks.deliveries": async ({ webhooks }, { webhookEndpointId, iccid, organizationId }) => {
    const found = [{}, { iccid }, { webhookEndpointId }].map((filter) =>
      webhooks.deliveries({ organizationId, ...filter }).toArray()
    )
    const all = await Promise.all(found)
    expect(all.map(({ length }) => length)).toEqual([1, 1, 1])
    return all
  },
  "webhooks.delivery": ({ webhooks }, { deliveryId, organizationId }) =>
    webhooks.delivery({ organizationId, deliveryId }),
  "webhooks.list": ({ webhooks }, { organizationId }) => webhooks.list({ organizationId }).toArray(),
  "webhooks.remove": async ({ webhooks }, { webhookEndpointId, organizationId }) => {
    await webhooks.remove({ organizationId, webhookEndpointId })
    return webhooks.list({ organizationId }).toArray()
  },
  "webhooks.replay": ({ webhooks }, { deliveryId, organizationId }) => webhooks.replay({ organizationId, deliveryId }),
  "webhooks.replayAll": ({ webhooks }, { webhookEndpointId, iccid, organizationId }) =>
    webhooks.replayAll({ organizationId, webhookEndpointId, iccid }),
  "webhooks.rotateKey": ({ webhooks }, { webhookEndpointId, organizationId }) =>
    webhooks.rotateKey({ organizationId, webhookEndpointId }),
  "webhooks.test": ({ webhooks }, { webhookEndpointId, organizationId }) =>
    webhooks.test({ organizationId, webhookEndpointId }),
  "webhooks.update": ({ webhooks }, { webhookEndpointId, organizationId }) =>
    webhooks.update({ organizationId, webhookEndpointId, description: "other" })
}

/**
 * Methods that name nothing by an ICCID or an id of ours, and those of commands, which `within`
 * has.
 */
const others = new Set([
  ...["apiKeys.authenticate", "serviceOperators.authenticate", "serviceOperators.list"],
  ...["catalogues.current", "catalogues.uses", "clock.read", "clock.advanceTo", "clock.advanceBy"],
  ...["handlers.list", "handlers.failed", "handlers.replay", "handlers.off", "handlers.remove"],
  ...[
    "organizations.create",
    "organizations.list",
    "waitingJobs.retry",
    "problems.retry",
    "problems.correct",
    "problems.resolve"
  ],
  ...["telcos.bundles", "telcos.comparisons", "telcos.compare", "telcos.sellers", "telcos.zones"],
  ...["commands.get", "commands.cancel", "messages.settled", "subscriptions.settled", "wallet.settled"]
])

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const comparable = (answer: unknown): string =>
  (JSON.stringify(answer) ?? "")
    .replace(UUID, "<id>")
    .replace(/CUSTOM_\w+/g, "<code>")
    .replace(/(?:simplan|whsec)_[\w+/=]+/g, "<secret>")
    .replace(/"(hint|next)":"[^"]*"/g, '"$1":"<other>"')

it("Every method is tried, or names nothing", async () => {
  const { simplan } = await open()
  const groups = Object.entries(simplan).filter(([, of]) => typeof of === "object")
  const methods = groups.flatMap(([group, of]) => Object.keys(of).map((name) => `${group}.${name}`))
  expect(methods.filter((name) => !others.has(name)).toSorted()).toEqual(Object.keys(calls).toSorted())
  await simplan.close()
})

describe("A padded ICCID and an id in capitals are taken by", () => {
  it.each(Object.entries(calls))("%s", async (_, ask) => {
    const [plain, other] = [await open(), await open()]
    const expected = await ask(plain.simplan, plain.named)
    const answer = await ask(other.simplan, spelled(other.named))
    expect(comparable(answer)).toBe(comparable(expected))
    await plain.simplan.close()
    await other.simplan.close()
  })
})
