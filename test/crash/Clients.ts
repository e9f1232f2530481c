/** Clients that go on asking until the server is gone. */
import type { Created, Ledger, Order, Report } from "./Ledger.ts"

export interface Access {
  readonly url: string
  readonly key: string
  readonly adminToken: string
  readonly telcoToken: string
  readonly planId: string
}

/** The server is gone, or did not live to answer. */
class Gone extends Error {}

interface Ask {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The answer as JSON; throws `Gone` where none came, and an error where it is not the status. */
export const ask = async (url: string, status: number, { body, headers = {}, path }: Ask): Promise<unknown> => {
  let response: Response
  let text: string
  try {
    const type = { "content-type": typeof body === "string" ? "text/csv" : "application/json" }
    const sent = typeof body === "string" ? body : JSON.stringify(body)
    response = await fetch(
      url + path,
      body === undefined ? { headers } : { method: "POST", headers: { ...type, ...headers }, body: sent }
    )
    text = await response.text()
  } catch (error) {
    throw new Gone(String(error))
  }
  if (response.status !== status) throw new Error(`${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

const isCreated = (value: unknown): value is Created =>
  typeof value === "object" && value !== null && "subscription_id" in value && "esimdata" in value

/** Asks for a subscription without an ICCID; the same one as before where it was asked for before. */
export const subscribe = async (access: Access, order: Order): Promise<Created> => {
  const created = await ask(access.url, 201, {
    path: `/v3/subscription?key=${access.key}`,
    headers: { "idempotency-key": order.idempotencyKey },
    body: { plan_id: access.planId, metadata: order.idempotencyKey }
  })
  if (!isCreated(created)) throw new Error(`This is no subscription: ${JSON.stringify(created)}`)
  return created
}

export interface Taken {
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: ReadonlyArray<unknown>
}

const isTaken = (value: unknown): value is Taken => typeof value === "object" && value !== null && "accepted" in value

/** Sends usage reports. */
export const report = async (access: Access, reports: ReadonlyArray<Report>): Promise<Taken> => {
  const events = reports.map(({ bytes, iccid, id, occurredAt }) => ({
    id,
    iccid,
    type: "usage",
    occurred_at: occurredAt,
    delta_bytes: bytes
  }))
  const taken = await ask(access.url, 200, {
    path: "/telco/v1/events",
    headers: { authorization: `Bearer ${access.telcoToken}` },
    body: { events }
  })
  if (!isTaken(taken)) throw new Error(`This is no outcome: ${JSON.stringify(taken)}`)
  return taken
}

/** Whether the server lived to answer. */
const order = async (access: Access, ledger: Ledger, one: Order): Promise<boolean> => {
  try {
    ledger.acknowledge(one, await subscribe(access, one))
    return true
  } catch (error) {
    ledger.putBack(one)
    if (error instanceof Gone) return false
    throw error
  }
}

/** Whether the server lived to answer. */
const deliver = async (access: Access, ledger: Ledger, reports: ReadonlyArray<Report>): Promise<boolean> => {
  try {
    const taken = await report(access, reports)
    if (taken.rejected.length > 0) throw new Error(`Reports were rejected: ${JSON.stringify(taken.rejected)}`)
    for (const one of reports) one.isAcknowledged = true
    return true
  } catch (error) {
    ledger.putBackReports(reports)
    if (error instanceof Gone) return false
    throw error
  }
}

const subscriber = async (access: Access, ledger: Ledger): Promise<void> => {
  while (await order(access, ledger, ledger.openOrder() ?? ledger.newOrder())) await pause()
}

const reporter = async (access: Access, ledger: Ledger): Promise<void> => {
  let isThere = true
  while (isThere) {
    const reports = ledger.nextReports()
    if (reports.length > 0) isThere = await deliver(access, ledger, reports)
    else isThere = await isUp(access)
    await pause()
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))

const isUp = ({ url }: Access): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false
  )

/** Three clients that subscribe and two that report, until the server is gone. */
export const run = async (access: Access, ledger: Ledger): Promise<void> => {
  await Promise.all([
    ...Array.from({ length: 3 }, () => subscriber(access, ledger)),
    ...Array.from({ length: 2 }, () => reporter(access, ledger))
  ])
}

/** Asks again for all that was not acknowledged. */
export const finish = async (access: Access, ledger: Ledger): Promise<void> => {
  for (let one = ledger.openOrder(); one !== undefined; one = ledger.openOrder()) await order(access, ledger, one)
  for (let some = ledger.nextReports(); some.length > 0; some = ledger.nextReports())
    await deliver(access, ledger, some)
}
