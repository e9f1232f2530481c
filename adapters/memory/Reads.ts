/**
 * The reads of the storage port. Values are immutable, so what is stored is handed out as it is.
 */
import type { ApiKey, Delivery, Organization, Plan, Region, Sim, SmdpHistory, Storage, Subscription } from "simplan"
import { byCreation, byNumber } from "./Order.ts"
import { simOf, type Tables } from "./Tables.ts"
import { countriesKey, type Tenant } from "./Tenant.ts"

type OfSim = Storage.OfOrganization & { readonly iccid: string }

// The first `limit` of the selected things.
const take = <A, B>(things: Iterable<A>, limit: number, select: (thing: A) => B | undefined): ReadonlyArray<B> => {
  const taken: Array<B> = []
  for (const thing of things) {
    if (taken.length >= limit) break
    const selected = select(thing)
    if (selected !== undefined) taken.push(selected)
  }
  return taken
}

const sorted = <A extends { readonly createdAt: number }>(
  values: Iterable<A>,
  id: (value: A) => string
): ReadonlyArray<A> =>
  [...values].sort((left, right) =>
    byCreation({ createdAt: left.createdAt, id: id(left) }, { createdAt: right.createdAt, id: id(right) })
  )

export const organizations = (tables: Tables): ReadonlyArray<Organization.Organization> =>
  sorted(tables.organizations.values(), (organization) => organization.organizationId)

export const apiKeyByHash = (tables: Tables, hash: string): ApiKey.ApiKey | null => {
  const owner = tables.apiKeysByHash.get(hash)
  return owner === undefined ? null : (tables.tenants.get(owner.organizationId)?.apiKeys.get(owner.apiKeyId) ?? null)
}

export const apiKeys = (tenant: Tenant): ReadonlyArray<ApiKey.ApiKey> =>
  sorted(tenant.apiKeys.values(), (key) => key.apiKeyId)

export const webhookEndpoints = (tenant: Tenant) =>
  sorted(tenant.endpoints.values(), (endpoint) => endpoint.endpointId).filter((endpoint) => endpoint.deletedAt === null)

export const plans = (tenant: Tenant, query: Storage.PlanQuery): ReadonlyArray<Plan.Plan> => {
  const search = query.search?.toLowerCase() ?? ""
  const { covering } = query
  const covers = (coverageId: string): boolean => {
    if (covering === null || covering.coverageIds.includes(coverageId)) return true
    const region = tenant.regions.get(coverageId)
    return region !== undefined && covering.iso2List.every((iso2) => region.iso2List.includes(iso2))
  }
  const isAsked = ({ archivedAt, terms }: Plan.Plan): boolean =>
    (query.archived === null || query.archived === (archivedAt !== null)) &&
    (query.label === null || query.label === terms.label) &&
    terms.name.toLowerCase().includes(search) &&
    covers(terms.coverageId)
  return take(tenant.planList.ascending(query.after), query.limit, ({ id }) => {
    const plan = tenant.plans.get(id)
    return plan !== undefined && isAsked(plan) ? plan : undefined
  })
}

export const regions = (tenant: Tenant, query: Storage.Page<Storage.CreatedCursor>): ReadonlyArray<Region.Region> =>
  take(tenant.regionList.ascending(query.after), query.limit, ({ id }) => tenant.regions.get(id))

export const regionsLike = (
  tenant: Tenant,
  query: { readonly regionName: string; readonly iso2List: ReadonlyArray<string> }
): ReadonlyArray<Region.Region> => {
  const alike = new Set(tenant.regionsByCountries.get(countriesKey(query.iso2List)))
  const namesake = tenant.regionsByName.get(query.regionName)
  return namesake === undefined ? [...alike] : [...alike.add(namesake)]
}

export const sims = (
  tenant: Tenant,
  query: Storage.Page<number> & { readonly isEsim: boolean | null; readonly label: string | null }
): ReadonlyArray<Sim.Sim> => {
  const start = query.after === null ? null : { serial: query.after, place: null }
  return take(tenant.sims.ascending(start), query.limit, ({ place }) => {
    const sim = place?.row.sim
    return sim !== undefined &&
      (query.isEsim === null || query.isEsim === sim.isEsim) &&
      (query.label === null || query.label === sim.label)
      ? sim
      : undefined
  })
}

export const subscription = (tables: Tables, of: OfSim): Subscription.SubscriptionWithSim | null => {
  const place = simOf(tables, of.organizationId, of.iccid)
  if (place === undefined || place.subscriptionId === null) return null
  const subscribed = tables.tenants.get(of.organizationId)?.subscriptions.get(place.subscriptionId)
  return subscribed?.subscription.status === "Live"
    ? { subscription: subscribed.subscription, sim: place.row.sim }
    : null
}

export const subscriptions = (
  tables: Tables,
  tenant: Tenant,
  query: Storage.Page<Storage.CreatedCursor>
): ReadonlyArray<Subscription.SubscriptionWithSim> =>
  take(tenant.subscriptionList.ascending(query.after), query.limit, ({ id }) => {
    const subscription = tenant.subscriptions.get(id)?.subscription
    const sim = subscription && simOf(tables, query.organizationId, subscription.iccid)?.row.sim
    return subscription && sim && { subscription, sim }
  })

export const smdpEntries = (tenant: Tenant, iccid: string): ReadonlyArray<SmdpHistory.Entry> =>
  [...(tenant.smdpEntries.get(iccid) ?? [])].sort((left, right) => byNumber(left.modifiedAt, right.modifiedAt))

export const delivery = (tenant: Tenant, deliveryId: string): Delivery.LoggedDelivery | null => {
  const row = tenant.deliveries.get(deliveryId)
  return row === undefined ? null : { delivery: row.delivery, event: row.event }
}

export const deliveries = (
  tenant: Tenant,
  query: Storage.Page<Storage.CreatedCursor>
): ReadonlyArray<Delivery.LoggedDelivery> =>
  take(tenant.deliveryList.descending(query.after), query.limit, ({ id }) => delivery(tenant, id) ?? undefined)
