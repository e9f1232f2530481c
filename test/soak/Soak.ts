/**
 * A server under mixed load for a given time: subscriptions from their creation to their end, reports, SMS, jobs and
 * deliveries. The load pauses for each sample of what the process holds.
 *
 * Memory as storage keeps every row on the heap. There the same requests are repeated, which add no rows.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import { ask } from "../faults/Asking.ts"
import * as Clients from "../faults/Clients.ts"
import * as Cluster from "../faults/Cluster.ts"
import { Ledger } from "../faults/Ledger.ts"
import * as Random from "../faults/Random.ts"
import * as Receiver from "../faults/Receiver.ts"
import * as Tenant from "../faults/Tenant.ts"
import * as Sample from "./Sample.ts"

export interface Options {
  readonly main: string
  /** `memory:`, a PostgreSQL's, or null for an embedded database. */
  readonly databaseUrl: string | null
  readonly millis: number
  /** How often it is looked at what the process holds; the first third is the warm-up: caches fill, code is compiled. */
  readonly samples?: number
}

const REPORTS = "soak-report-token-0123456789"
const CLIENTS = 8
const SAMPLES = 12
/** What is on its way when the load pauses is done by then. */
const PAUSE = 1_000

const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/** Runs it: the samples after the warm-up, and what went wrong on the way. */
export const run = async ({ databaseUrl, main, millis, samples: count = SAMPLES }: Options) => {
  const cwd = mkdtempSync(join(tmpdir(), "simplan-soak-"))
  const receivers = [await Receiver.start()]
  const probePort = await Cluster.freePort()
  const probe = pathToFileURL(join(import.meta.dirname, "Probe.mjs")).href
  const server = ServerProcess.start({
    main,
    cwd,
    env: {
      NODE_OPTIONS: `--import=${probe}`,
      SOAK_PROBE_PORT: String(probePort),
      SIMPLAN_DATABASE_URL: databaseUrl ?? `pglite://${join(cwd, "data")}`,
      SIMPLAN_ADMIN_TOKEN: Tenant.ADMIN,
      SIMPLAN_TELCO_TOKEN: REPORTS,
      SIMPLAN_RATE_LIMIT: "off",
      SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true"
    }
  })
  try {
    const url = await server.listening
    const prepared = await Tenant.prepare(url, receivers)
    const ledger = new Ledger()
    const random = Random.make(1)
    const access = { ...prepared, url: () => url, telcoToken: REPORTS }

    const lives = async (isOver: () => boolean): Promise<void> => {
      const all = Array.from({ length: CLIENTS }, () => Clients.make(access, ledger, random.fork()))
      await Promise.all(all.map((client) => client.run(isOver)))
    }
    const repeat = async (isOver: () => boolean): Promise<void> => {
      const headers = { "x-api-key": prepared.key }
      const creation = { plan_id: prepared.plans.simple, metadata: "" }
      const event = { type: "usage", iccid: "8999902000000000000", occurred_at: "2020-01-01T00:00:00Z", total_bytes: 1 }
      const asked = [
        ["/v3/subscription", { method: "POST", body: creation, headers: { ...headers, "idempotency-key": "1" } }],
        ["/v3/sims", { method: "GET", headers }],
        ["/v3/plans", { method: "GET", headers }],
        ["/v3/subscription", { method: "GET", headers }],
        ["/v3/subscriptions/none", { method: "GET", headers }],
        ["/v3/plans", { method: "POST", headers, body: {} }],
        [
          "/telco/v1/events",
          { method: "POST", headers: { authorization: `Bearer ${REPORTS}` }, body: { events: [event] } }
        ]
      ] as const
      const client = async (): Promise<void> => {
        for (let turn = 0; !isOver(); turn++) {
          const [path, request] = asked[turn % asked.length] ?? asked[0]
          ledger.requests += 1
          if ((await ask(url + path, request)) !== null) ledger.answers += 1
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, client))
    }

    const sample = async (): Promise<Sample.Sample> => {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const held = JSON.parse(await (await fetch(`http://127.0.0.1:${probePort}`)).text())
      return {
        requests: ledger.answers,
        heapUsed: numberOf(held.heapUsed),
        listeners: numberOf(held.listeners),
        resources: held.resources,
        series: Sample.seriesOf(metrics)
      }
    }

    const samples: Array<Sample.Sample> = []
    for (let index = 0; index < count; index++) {
      const until = Date.now() + millis / count
      await (databaseUrl === "memory:" ? repeat : lives)(() => Date.now() >= until)
      await sleep(PAUSE)
      samples.push(await sample())
    }
    return { samples: samples.slice(Math.floor(count / 3)), problems: ledger.problems }
  } finally {
    await server.kill("SIGKILL")
    await Promise.all(receivers.map((one) => one.close()))
    rmSync(cwd, { recursive: true, force: true })
  }
}
