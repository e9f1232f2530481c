/**
 * The organization of a round: SIMs, a key, plans, and receivers for its webhooks; and what an
 * operator sees of the jobs that the telco has refused three times, and does about them (rule S6).
 */
import { ask, list, text, field } from "./Asking.ts"
import { ALLOWANCE } from "./Clients.ts"
import type { Receiver } from "./Receiver.ts"
import { setTimeout as sleep } from "node:timers/promises"
import type { Rows, Session } from "./Database.ts"

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

/** What the database has when all that is due is done, while the telco refuses still. */
export interface Stuck {
  /** The jobs that have ended in refusals. */
  readonly jobs: Rows
  /** The ICCIDs of SIMs that are being released, or were left by their subscriptions (rule S8). */
  readonly releasing: ReadonlyArray<string>
}

export const stuck = async (session: Session): Promise<Stuck> => {
  const sims = await session.query("select iccid from simplan.sim where allocation in ('Releasing', 'Replaced')")
  return {
    jobs: await session.query(`
      select job_id, work->>'_tag' as kind, work->>'iccid' as iccid, (refused->>'times')::int as times,
        work->>'release' is not null as release
      from simplan.job where ended_at is not null`),
    releasing: sims.map(({ iccid }) => String(iccid))
  }
}

/** The ids of the problems that the server lists. */
export const problems = async (url: string): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let page = ""; ; ) {
    const query = `page_size=100${page === "" ? "" : `&page=${page}`}`
    const body = await must(`${url}/admin/v1/problems?${query}`, 200, { method: "GET", headers: admin })
    ids.push(...list(body, "data").map((one) => text(one, "problem_id")))
    if (field(body, "next_page") === null) return ids
    page = text(body, "next_page")
  }
}

/** How long the telco may be asked again, in milliseconds. */
const WAIT_LIMIT = 60_000

/**
 * Business time for what the retried work causes: a SIM is free once the last of its packages has
 * ended.
 */
const AFTERWARDS = "1 minute"

/**
 * Retries all of them, as an operator does once the telco takes them again; what is wrong, in
 * sentences.
 */
export const retryAll = async (url: string, ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  for (const id of ids) {
    const path = `/admin/v1/problems/${encodeURIComponent(id)}/retry`
    await must(`${url}${path}`, 200, { method: "POST", headers: admin })
  }
  const advance = (by: string) =>
    must(`${url}/admin/v1/clock/advance`, 200, { method: "POST", headers: admin, body: { by } })
  const until = Date.now() + WAIT_LIMIT
  for (;;) {
    await advance("1 second")
    const left = await problems(url)
    if (left.length === 0) {
      await advance(AFTERWARDS)
      return []
    }
    if (Date.now() > until) return [`${left.length} problems stay though they were retried, such as ${left[0]}`]
    await sleep(100)
  }
}
