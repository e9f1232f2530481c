/**
 * Requests at random for a given time: each answer is one of the document, and afterwards the
 * storage and the telco's books are as they must be.
 */
import fc from "fast-check"
import { TextLimit } from "simplan/ports"
import { JsonText } from "simplan/testing"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import * as Aftermath from "./Aftermath.ts"
import * as Document from "./Document.ts"
import type { Operation } from "./Document.ts"
import { Pool } from "./Pool.ts"
import * as Requests from "./Requests.ts"

export interface Options {
  readonly storage: NonNullable<World.Setting["storage"]>
  readonly seed: number
  /** For how long requests are sent. */
  readonly millis: number
  /** A fault for it to find: what becomes of the text of an answer before it is checked. */
  readonly planted?: (operation: Operation, status: number, text: string) => string
}

export interface Outcome {
  readonly problems: ReadonlyArray<string>
  /** How many requests were answered with each status. */
  readonly statuses: Readonly<Record<number, number>>
  /** How many came again under their keys, written in another way. */
  readonly repeated: number
}

/** They would end the run: years of work, and a catalogue without the countries of the plans. */
const LEFT_OUT = new Set(["/admin/v1/clock/advance", "/admin/v1/catalogue"])

/** How many requests are under way at once at most. */
const TOGETHER = 8

const DAY = 86_400_000

const tokenOf = (path: string, key: string): Readonly<Record<string, string>> => {
  if (path.startsWith("/admin")) return { authorization: `Bearer ${World.ADMIN_TOKEN}` }
  return path.startsWith("/telco") ? { authorization: `Bearer ${World.TELCO_TOKEN}` } : { "x-api-key": key }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer but for the lines of the body that its rows begin on. */
const withoutLines = (answer: string): string => answer.replaceAll(/"line":(?:\d+|null)/g, '"line":0')

/** Answers that are not final, or that another request has caused. */
const passing = /"code":"(request_in_progress|idempotency_key_reused|sim_busy|no_free_esim|sms_limited|quota_exceeded)"/

/** Whether the request is answered the same when it comes again (rule W2). */
const isRepeatable = ({ headers, operation, path }: Requests.Request, status: number, text: string): boolean =>
  headers["idempotency-key"] !== undefined &&
  operation.parameters.some(({ name }) => name === "Idempotency-Key") &&
  !path.includes("dry_run") &&
  status < 500 &&
  !passing.test(text)

/** Runs it on a world of its own. */
export const run = async ({ millis, planted, seed, storage }: Options): Promise<Outcome> => {
  const world = await World.start({ storage })
  try {
    const mine = await Inventory.stock(world, 1, 150)
    const theirs = await Inventory.stock(world, 1_001, 50)
    const keys = await Promise.all(
      [mine, theirs].map(({ tenant }) => world.admin("GET", `/organizations/${tenant.organizationId}/api-keys`))
    )
    const ownKeys = new Set(
      keys.flatMap(({ body }) => body.data.map((one: { readonly api_key_id: string }) => one.api_key_id))
    )
    const pool = new Pool((name) => ownKeys.has(name))
    for (const path of ["/v3/sims?page_size=100", "/v3/plans", "/v3/coverage-profiles?label=Green&region_code=FR"])
      for (const { tenant } of [mine, mine, theirs]) pool.learn((await tenant.get(path)).body, path)
    pool.learn((await world.admin("GET", "/organizations")).body, "/admin/v1/organizations")

    const document = await Document.read(world.url)
    const operations = document.operations.filter(({ method, path }) => method === "GET" || !LEFT_OUT.has(path))
    const statuses: Record<number, number> = {}
    let repeated = 0

    const send = async (request: Requests.Request): Promise<void> => {
      const { body, headers, operation, path } = request
      const url = world.url + pool.fill(path, encodeURIComponent)
      const filled = body === null ? null : pool.fill(body, (name) => JSON.stringify(name).slice(1, -1))
      const ask = (written: string | null) =>
        fetch(url, {
          method: operation.method,
          headers: { ...tokenOf(path, mine.tenant.key), ...headers },
          body: written
        })
      const response = await ask(filled)
      const answered = await response.text()
      const text = planted === undefined ? answered : planted(operation, response.status, answered)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const wrong = operation.mismatch(response.status, response.headers.get("content-type") ?? "", text)
      if (wrong !== undefined) throw new Error(`${operation.method} ${url} ${filled?.slice(0, 2_000)}\n${wrong}`)
      if (response.status < 300) pool.learn(parsed(text), operation.path)
      if (!isRepeatable(request, response.status, answered)) return
      // Such a body is refused before its key is looked up, by the first bad field in the order
      // sent.
      const isUnread = answered.includes(TextLimit.NOT_STORABLE)
      const isJson = headers["content-type"]?.includes("json") !== false
      const value = isUnread || !isJson ? undefined : parsed(filled ?? "")
      const again = await ask(value === undefined ? filled : JsonText.of(value, answered.length + repeated))
      repeated += 1
      const replayed = await again.text()
      // Written in another way, the same rows begin on other lines.
      const isSame = withoutLines(replayed) === withoutLines(answered)
      if (again.status !== response.status || !isSame) {
        throw new Error(`${operation.method} ${url} ${filled} was answered ${answered}, and then ${replayed}`)
      }
    }

    const together = fc.array(Requests.any(document, operations), { minLength: 1, maxLength: TOGETHER })
    const property = fc.asyncProperty(together, async (requests) => {
      await Promise.all(requests.map(send))
    })
    const found = await fc.check(property, {
      seed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: millis,
      markInterruptAsFailure: false
    })
    const failure = found.failed ? [`seed ${seed}: ${String(found.errorInstance)}`] : []
    // What was put off is done by then.
    await world.admin("POST", "/clock/advance", { by: "1 day" })
    return { problems: [...failure, ...(await Aftermath.problems(world, World.START + DAY))], statuses, repeated }
  } finally {
    await world.close()
  }
}

/** What was answered, in a line. */
export const summary = ({ repeated, statuses }: Outcome): string => {
  const sum = Object.values(statuses).reduce((total, count) => total + count, 0)
  const each = Object.entries(statuses).map(([status, count]) => `${status} ${count} times`)
  return `${sum} requests, ${repeated} of which came again: ${each.join(", ")}`
}
