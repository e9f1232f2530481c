/**
 * What tests of the services begin with: an organization with eSIMs, a plan of it, and
 * subscriptions.
 */
import { Effect, Stream } from "effect"
import { Organizations, Plans, Sims, Subscriptions } from "simplan"
import { StandardCatalogue } from "simplan/catalogue"

type Terms = Parameters<Plans.Plans["Service"]["create"]>[0]["terms"]
type Creation = Parameters<Subscriptions.Subscriptions["Service"]["create"]>[0]

/** The standard profile of France. */
export const coverageId =
  StandardCatalogue.catalogue().profiles.find(({ label, regionCode }) => label === "Green" && regionCode === "FR")
    ?.coverageId ?? ""

export const importEsims = (organizationId: string, iccids: ReadonlyArray<string>) => {
  const rows = Stream.fromIterable(iccids.map((iccid) => ({ iccid, label: "Green", isEsim: true })))
  return Sims.Sims.use((of) => of.importRows({ organizationId, rows }))
}

/** An organization with these eSIMs; its id. */
export const open = Effect.fnUntraced(function* (iccids: ReadonlyArray<string> = []) {
  const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name: "Shop" }))
  yield* importEsims(organizationId, iccids)
  return organizationId
})

export const createPlan = (organizationId: string, terms: Partial<Terms> = {}) => {
  const usual = { name: "France", coverageId, dataMegaBytes: 1_024, periodDays: 30, throttling: [], recurrence: null }
  return Plans.Plans.use((of) => of.create({ organizationId, terms: { ...usual, ...terms } }))
}

export const subscribe = (of: Pick<Creation, "organizationId" | "planId">, more: Partial<Creation> = {}) =>
  Subscriptions.Subscriptions.use((all) =>
    all.create({ metadata: "trip", iccid: null, activePeriod: null, ...of, ...more })
  )
