/** The organization of a round: SIMs, a key, plans, and receivers for its webhooks. */
import { ask, list, text } from "./Asking.ts"
import { ALLOWANCE } from "./Clients.ts"
import type { Receiver } from "./Receiver.ts"

export const ADMIN = "faults-admin-token-0123456789"
export const admin = { authorization: `Bearer ${ADMIN}` }

const SIMS = 5_000

export const iccids: ReadonlyArray<string> = Array.from(
  { length: SIMS },
  (_, index) => `8999902${String(index).padStart(12, "0")}`
)

/** The body of the answer, which has to have this status. */
export const must = async (url: string, status: number, asked: Parameters<typeof ask>[1]): Promise<unknown> => {
  const answer = await ask(url, asked, 120_000)
  if (answer?.status !== status) throw new Error(`${asked.method} ${url} answered ${JSON.stringify(answer)}`)
  return answer.body
}

/** Makes it, with the server at the address. */
export const prepare = async (url: string, receivers: ReadonlyArray<Receiver>) => {
  const post = (path: string, status: number, body: unknown) =>
    must(`${url}/admin/v1${path}`, status, { method: "POST", headers: admin, body })
  const organizationId = text(await post("/organizations", 201, { name: "Faults" }), "data", "organization_id")
  const of = `/organizations/${organizationId}`
  const key = text(await post(`${of}/api-keys`, 201, { name: "Faults" }), "data", "key")
  const rows = iccids.map((iccid, index) => `${iccid},Green,true,LPA:1$x$${index}`)
  await post(`${of}/sims`, 200, `iccid,label,is_esim,lpa\n${rows.join("\n")}\n`)
  for (const receiver of receivers) await post(`${of}/webhook-endpoints`, 201, { url: receiver.url })
  const headers = { "x-api-key": key }
  const profiles = await must(`${url}/v3/coverage-profiles?region_code=EUROPE&label=Green`, 200, {
    method: "GET",
    headers
  })
  const plan = async (terms: Readonly<Record<string, unknown>>) =>
    text(
      await must(`${url}/v3/plans`, 201, {
        method: "POST",
        headers,
        body: {
          name: "Faults",
          coverage_id: text(list(profiles, "data")[0], "coverage_id"),
          data_MBs: ALLOWANCE,
          throttling: false,
          ...terms
        }
      }),
      "plan_id"
    )
  const daily = {
    recurring: true,
    nb_occurrence: 3,
    recurring_periodicity_type: "0",
    recurring_periodicity_frequency: 1
  }
  const plans = {
    simple: await plan({ period_days: 30, recurring: false }),
    daily: await plan({ period_days: 1, ...daily })
  }
  return { organizationId, key, plans }
}
