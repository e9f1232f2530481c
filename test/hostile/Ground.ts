/**
 * What attacks are made on: a server with an organization that attacks it and another that does
 * not, and what the attacker knows.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { field, list, text } from "../faults/Asking.ts"
import type { Random } from "../faults/Random.ts"
import type { Receiver } from "../faults/Receiver.ts"
import * as Tenant from "../faults/Tenant.ts"
import * as Document from "../fuzz/Document.ts"
import { Pool } from "../fuzz/Pool.ts"
import * as HeavyReads from "../scale/HeavyReads.mjs"
import type * as Attacker from "./Attacker.ts"
import * as Attacks from "./Attacks.ts"
import type * as Verdict from "./Verdict.ts"

/** The telco token of a server that is attacked. */
export const TELCO = "hostile-telco-token-0123456789"

const CONNECTIONS = 32
/** Requests that a connection sends before the first answer. */
const AHEAD = 100

const SIMS = 3_000

/** What the open files of a process are, such as `socket:[12345]`. */
const filesOf = (pid: number): ReadonlyArray<string> =>
  readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`)
    } catch {
      return ""
    }
  })

/** What a process holds; nothing where it has ended. */
export const heldBy = (pid: number): Verdict.Held => {
  if (!existsSync(`/proc/${pid}/fd`)) return { memory: 0, files: 0, sockets: 0 }
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const files = filesOf(pid)
  return {
    memory: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024,
    files: files.length,
    sockets: files.filter((file) => file.startsWith("socket:")).length
  }
}

/** The states of a connection as the operating system numbers them; others have their number. */
const states: Readonly<Record<string, string>> = {
  "01": "established",
  "02": "being opened",
  "04": "ended here",
  "05": "ended here, and acknowledged",
  "08": "ended by the peer",
  "0A": "listening"
}

const portOf = (address: string): number => Number.parseInt(address.split(":").at(-1) ?? "", 16)

/**
 * The connections of a process: how many are in which state, by local port where it listens there,
 * else by the peer's.
 */
export const connectionsOf = (pid: number): ReadonlyArray<string> => {
  const held = new Set(filesOf(pid))
  const rows = ["tcp", "tcp6"].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => held.has(`socket:[${columns[9]}]`))
      .map(([, local = "", peer = "", state = ""]) => ({ local: portOf(local), peer: portOf(peer), state }))
  )
  const listening = new Set(rows.flatMap(({ local, state }) => (state === "0A" ? [local] : [])))
  const counts = new Map<string, number>()
  for (const { local, peer, state } of rows) {
    const end = listening.has(local) ? `at port ${local}` : `to port ${peer}`
    const key = `${end}, ${states[state] ?? state}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => `${count} ${key}`)
}

/** An organization with SIMs, a key and plans. */
const organization = async (url: string, name: string, first: number) => {
  const post = (path: string, status: number, body: unknown) =>
    Tenant.must(`${url}/admin/v1${path}`, status, { method: "POST", headers: Tenant.admin, body })
  const organizationId = text(await post("/organizations", 201, { name }), "data", "organization_id")
  const key = text(await post(`/organizations/${organizationId}/api-keys`, 201, { name }), "data", "key")
  const iccids = Array.from({ length: SIMS }, (_, index) => `8999903${String(first + index).padStart(12, "0")}`)
  const rows = iccids.map((iccid, index) => `${iccid},Green,true,LPA:1$x$${index}`)
  await post(`/organizations/${organizationId}/sims`, 200, `iccid,label,is_esim,lpa\n${rows.join("\n")}\n`)
  const headers = { "x-api-key": key }
  const get = (path: string) => Tenant.must(url + path, 200, { method: "GET", headers })
  const coverageId = text(
    list(await get("/v3/coverage-profiles?region_code=EUROPE&label=Green"), "data")[0],
    "coverage_id"
  )
  const plan = { name, coverage_id: coverageId, data_MBs: 1_000, period_days: 30, recurring: false, throttling: false }
  const made = await Tenant.must(`${url}/v3/plans`, 201, { method: "POST", headers, body: plan })
  return { organizationId, key, iccids, planId: text(made, "plan_id"), get, post, headers }
}

export interface Options {
  readonly url: string
  readonly random: Random
  /** The attacker's SIMs in service. */
  readonly inService: number
  /** Of the innocent organization's webhooks, and of the attacker's. */
  readonly receiver: Receiver
  readonly deaf: Receiver
}

/** Makes both organizations, and learns what the attacker may name. */
export const prepare = async ({ deaf, inService, random, receiver, url }: Options) => {
  const [theirs, mine] = [await organization(url, "Innocent", 0), await organization(url, "Hostile", SIMS)]
  for (const [one, { url }] of [
    [theirs, receiver],
    [mine, deaf]
  ] as const)
    await one.post(`/organizations/${one.organizationId}/webhook-endpoints`, 201, { url })
  // Below the limit of the key's requests.
  for (let n = 0; n < inService; n += 8)
    await Promise.all([
      ...Array.from({ length: 8 }, () =>
        Tenant.must(`${url}/v3/subscription`, 201, {
          method: "POST",
          headers: mine.headers,
          body: { plan_id: mine.planId, metadata: "m".repeat(4_096) }
        })
      ),
      sleep(100)
    ])

  const document = await Document.read(url)
  const pool = new Pool(() => false)
  for (const path of ["/v3/sims?page_size=100", "/v3/plans", "/v3/operators?country=FR"])
    pool.learn(await mine.get(path))
  pool.learn(await mine.get("/v3/coverage-profiles?label=Green&region_code=FR"))
  pool.learn({ organization_id: mine.organizationId })
  for (const sim of list(await mine.get("/v3/sims?page_size=20"), "data"))
    pool.learn(await mine.get(`/v3/subscriptions/${String(field(sim, "iccid"))}/plan-attachments`).catch(() => null))
  const means: Attacks.Means = { document, pool, random }
  const operator = { name: "Hostile", role: "read", organization_id: mine.organizationId }
  const made = await Tenant.must(`${url}/admin/v1/operators`, 201, {
    method: "POST",
    headers: Tenant.admin,
    body: operator
  })
  const hostile = { organizationId: mine.organizationId, iccid: mine.iccids[0] ?? "" }
  const holders = { key: `x-api-key: ${mine.key}`, operator: `authorization: Bearer ${text(made, "data", "token")}` }
  const keys: Attacks.Keys = { apiKey: mine.key, adminToken: Tenant.ADMIN, telcoToken: TELCO }
  return { theirs, document, means, keys, hostile, holders }
}

/** What heavy reads cost: enough to hold up others where nothing keeps them apart, or little. */
const SUMS = { long: 500_000, short: 5_000 }

/** Fills the tables of PostgreSQL for the attacker. */
export const fill = async (databaseUrl: string, organizationId: string, isShort: boolean): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const sums = isShort ? SUMS.short : SUMS.long
    const statements = HeavyReads.fill({ organizationId, sums, endpoints: 90, now: Date.now() })
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Asks for a heavy read while it may, each connection again when it is answered. */
export const orderOfRead = (
  { connections, holder, path }: HeavyReads.HeavyRead,
  { holders, millis, url }: Pick<Ordered, "url" | "millis"> & { readonly holders: Readonly<Record<string, string>> }
): Attacker.Order => ({
  port: Number(new URL(url).port),
  connections,
  ahead: 1,
  manners: ["normally"],
  credentials: [{ line: holders[holder] ?? "", random: false }],
  requests: [{ head: `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, body: null }],
  millis
})

export interface Ordered {
  readonly url: string
  readonly keys: Attacks.Keys
  readonly means: Attacks.Means
  readonly attack: Attacks.Attack
  readonly millis: number
}

/** What the attacker's thread has to do for an attack. */
export const orderOf = ({ attack, keys, means, millis, url }: Ordered): Attacker.Order => ({
  port: Number(new URL(url).port),
  connections: CONNECTIONS,
  ahead: AHEAD,
  manners: attack.manners,
  credentials: attack.holders.map((holder) => Attacks.credentialOf(attack.route, holder, keys)),
  requests: Attacks.requests(means, attack),
  millis
})
