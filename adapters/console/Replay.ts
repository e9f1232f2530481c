/**
 * Sends the deliveries of an organization that a filter takes once more: how many they are, and all
 * of them.
 */
import * as Api from "./Api.ts"
import type * as Types from "./Types.ts"

/** The fields of a filter by their names in the API; an empty text filters nothing. */
export type Filter = Readonly<Record<string, string>>

const filled = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""))

/** The query of a filter. */
export const queryOf = (filter: Filter): string => new URLSearchParams(filled(filter)).toString()

const PAGE = 100

/** How many pages are counted: above that, the number is a lower bound. */
const PAGES = 20

/** How many there are, in a sentence. */
export const count = async (organization: string, filter: Filter): Promise<string> => {
  const query = new URLSearchParams({ ...filled(filter), page_size: String(PAGE) })
  let [found, hasMore] = [0, true]
  for (let read = 0; hasMore && read < PAGES; read += 1) {
    const { data, next_page } = await Api.page<Types.Item<"webhooks", "deliveries">>(
      `${organization}/deliveries?${query}`
    )
    found += data.filter(({ status }) => status !== "pending").length
    hasMore = next_page !== null
    query.set("page", next_page ?? "")
  }
  const deliveries = found === 1 ? "1 delivery" : `${found} deliveries`
  return `${hasMore ? "At least " : ""}${deliveries} would be sent again.`
}

/** Sends all of them, in steps, and says how many they were. */
export const all = async (organization: string, filter: Filter): Promise<string> => {
  let sent = 0
  await Api.doAll<Types.Data<"webhooks", "replayAll">>(
    `${organization}/deliveries/replay`,
    filled(filter),
    ({ replayed }) => {
      sent += replayed
    }
  )
  return sent === 1 ? "1 delivery is sent again." : `${sent} deliveries are sent again.`
}

/** Sends at once those that a filter takes and that wait for their next attempt. */
export const pending = (organization: string, filter: Filter): Promise<string> =>
  all(organization, { ...filter, status: "pending" })
