/**
 * What the telco has refused three times (rule S6): the jobs that have ended in refusals, and what an operator sees of
 * them and does about them.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { field, list, text } from "./Asking.ts"
import type { Rows, Session } from "./Database.ts"
import * as Tenant from "./Tenant.ts"

/** What the database has when all that is due is done, while the telco refuses still. */
export interface Stuck {
  /** The jobs that have ended in refusals. */
  readonly jobs: Rows
  /** The ICCIDs of SIMs that are being released. */
  readonly releasing: ReadonlyArray<string>
}

export const stuck = async (session: Session): Promise<Stuck> => {
  const sims = await session.query("select iccid from simplan.sim where allocation = 'Releasing'")
  return {
    jobs: await session.query(`
      select job_id, work->>'iccid' as iccid, (refused->>'times')::int as times,
        coalesce((work->>'release')::boolean, false) as release
      from simplan.job where ended_at is not null`),
    releasing: sims.map(({ iccid }) => String(iccid))
  }
}

/** The ids of the problems that the server lists. */
export const listed = async (url: string): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let page = ""; ; ) {
    const query = `page_size=100${page === "" ? "" : `&page=${page}`}`
    const body = await Tenant.must(`${url}/admin/v1/problems?${query}`, 200, { method: "GET", headers: Tenant.admin })
    ids.push(...list(body, "data").map((one) => text(one, "problem_id")))
    if (field(body, "next_page") === null) return ids
    page = text(body, "next_page")
  }
}

/** How long the telco may be asked again, in milliseconds. */
const WAIT_LIMIT = 60_000

/** Retries all of them, as an operator does once the telco takes them again; what is wrong, in sentences. */
export const retry = async (url: string, ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  for (const id of ids) {
    const path = `/admin/v1/problems/${encodeURIComponent(id)}/retry`
    await Tenant.must(`${url}${path}`, 200, { method: "POST", headers: Tenant.admin })
  }
  const until = Date.now() + WAIT_LIMIT
  for (;;) {
    await Tenant.must(`${url}/admin/v1/clock/advance`, 200, {
      method: "POST",
      headers: Tenant.admin,
      body: { by: "1 second" }
    })
    const left = await listed(url)
    if (left.length === 0) return []
    if (Date.now() > until) return [`${left.length} problems stay though they were retried, such as ${left[0]}`]
    await sleep(100)
  }
}
