/**
 * A service in memory with an organization that has SIMs, as the tests of this folder use it.
 */
import { runInNewContext } from "node:vm"
import { createSimplan, type Options, type Plan, type Simplan, type Telco } from "simplan/promise"

/** In memory, with the simulated telco. */
export const make = (options: Partial<Options> = {}): Simplan =>
  createSimplan({ database: "memory", telco: "simulator", ...options })

/** A URL as another realm has it, such as Jest's: it is of no class that is known here. */
export const foreignUrl = (href: string): URL =>
  runInNewContext("({ href, searchParams: {}, toString: () => href })", { href })

const done = async () => undefined

/** A telco that does all that it is asked for, but for these functions. */
export const telco = (of: Partial<Telco> = {}): Telco => ({
  createPackage: async ({ packageId }) => ({ telcoPackageId: packageId }),
  suspendPackage: done,
  cancelPackage: done,
  sendSms: done,
  releaseProfile: done,
  setMobilePlan: done,
  ...of
})

async function* rows() {
  for (let index = 0; index < 3; index++) {
    await Promise.resolve()
    yield { iccid: `89999000000000100${index}0`, label: "Green", isEsim: true, lpa: `LPA:1$smdp.example.com$${index}` }
  }
}

/** An organization with three eSIMs. */
export const stocked = async (simplan: Simplan): Promise<{ readonly organizationId: string }> => {
  const { organizationId } = await simplan.organizations.create({ name: "Acme" })
  await simplan.sims.import({ organizationId, rows: rows() })
  return { organizationId }
}

/** The standard profile of Europe under the label of the SIMs. */
export const europe = async (simplan: Simplan, organizationId: string): Promise<string> => {
  const [profile] = await simplan.coverage.list({ organizationId, regionCode: "EUROPE", label: "Green" }).toArray()
  if (profile === undefined) throw new Error("There is no profile for Europe")
  return profile.coverageId
}

/** A plan for Europe. */
export const plan = async (simplan: Simplan, organizationId: string, name = "Europe 1 GB"): Promise<Plan> => {
  const coverageId = await europe(simplan, organizationId)
  return simplan.plans.create({ organizationId, name, coverageId, dataMegaBytes: 1024, periodDays: 30 })
}

/** An organization with three eSIMs and a plan for them. */
export const selling = async (simplan: Simplan) => {
  const { organizationId } = await stocked(simplan)
  return plan(simplan, organizationId)
}
