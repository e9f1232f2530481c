/**
 * The inventory that most tests need: SIMs, a coverage profile, a plan.
 */
import * as World from "./World.ts"

export interface Stock {
  readonly tenant: World.Tenant
  readonly coverageId: string
  readonly planId: string
  /** Makes a plan with some other fields than `planId` has, and returns its id. */
  readonly plan: (fields: Readonly<Record<string, unknown>>) => Promise<string>
}

/** The body of a plan of 1,000 MB and 30 days. */
export const planBody = (coverageId: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  coverage_id: coverageId,
  data_MBs: 1000,
  name: "France 1 GB",
  period_days: 30,
  recurring: false,
  throttling: false,
  ...fields
})

export const throttled = {
  throttling: true,
  throttling_threshold1_perc: 50,
  throttling_threshold1_limit: "1024",
  throttling_threshold2_perc: 80,
  throttling_threshold2_limit: "512",
  throttling_threshold3_perc: 100,
  throttling_threshold3_limit: "128"
}

/** eSIMs `first` to `first + count - 1` of a label. */
export const esims = (first: number, count: number, label = "Green") =>
  Array.from({ length: count }, (_, index) => ({
    iccid: World.iccid(first + index),
    label,
    is_esim: true,
    lpa: `LPA:1$smdp.example$M-${first + index}`
  }))

/** An organization with `count` free eSIMs from number `first` on, and a plan for France. */
export const stock = async (world: World.World, first: number, count: number, name?: string): Promise<Stock> => {
  const tenant = await World.tenant(world, "full", name)
  await world.admin("POST", `/organizations/${tenant.organizationId}/sims`, { sims: esims(first, count) })
  const profiles = await tenant.get("/v3/coverage-profiles?region_code=FR&label=Green")
  const coverageId: string = profiles.body.data[0].coverage_id
  const plan = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
    const made = await tenant.post("/v3/plans", planBody(coverageId, fields))
    if (made.status !== 201) throw new Error(made.text)
    return made.body.plan_id
  }
  return { tenant, coverageId, plan, planId: await plan({}) }
}

/**
 * Replaces the catalogue by a part of it: the first countries, and some large ones. A page that
 * lists them all takes a browser ten times as long to read.
 */
export const keepFewCountries = async (world: World.World, first: number): Promise<void> => {
  const { countries, operators, profiles } = (await world.admin("GET", "/catalogue")).body.data
  type Country = { readonly iso2: string }
  const kept = new Set([...countries.slice(0, first).map(({ iso2 }: Country) => iso2), "DE", "FR", "SE"])
  const replaced = await world.admin("PUT", "/catalogue", {
    countries: countries.filter(({ iso2 }: Country) => kept.has(iso2)),
    operators: operators.filter(({ country }: { readonly country: string }) => kept.has(country)),
    profiles: profiles.filter(({ iso2_list }: { readonly iso2_list: ReadonlyArray<string> }) =>
      iso2_list.every((iso2) => kept.has(iso2))
    )
  })
  if (replaced.status !== 200) throw new Error(replaced.text)
}
