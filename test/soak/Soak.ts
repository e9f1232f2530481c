/**
 * A server under mixed load for a given time: subscriptions from their creation to their end,
 * reports, SMS, jobs and deliveries. The load pauses for each sample of what the process holds. A
 * hostile soak has the attacks of `test/hostile` of another organization beside it, under the usual
 * limits.
 *
 * Memory as storage keeps every row on the heap. There the same requests are repeated, which add no
 * rows.
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
import * as Attacker from "../hostile/Attacker.ts"
import * as Attacks from "../hostile/Attacks.ts"
import * as Ground from "../hostile/Ground.ts"
import * as Sample from "./Sample.ts"

export interface Options {
  readonly main: string
  /** `memory:`, a PostgreSQL's, or null for an embedded database. */
  readonly databaseUrl: string | null
  readonly millis: number
  /**
   * How often what the process holds is measured; the first third is the warm-up: caches fill, code
   * is compiled.
   */
  readonly samples?: number
  readonly isHostile?: boolean
  /** Called with the samples so far, those of the warm-up left out. */
  readonly onSample?: (samples: ReadonlyArray<Sample.Sample>) => void
}

const CLIENTS = 8
const SAMPLES = 12
/** What is on its way when the load pauses is done by then. */
const PAUSE = 1_000
/** The same of attacks: deliveries to a receiver that never answers are given up after 15 s. */
const QUIET = 20_000
/**
 * For how long an attack goes on, in ms, and how long one on each route does before the first
 * sample.
 */
const EACH = 1_500
const FIRST = 300
/** For how long the load goes on between two samples, at least, in ms. */
const LEAST = 5_000
/** Between requests of the usual load beside attacks, in ms: they stay below the limit of a key. */
const PACE = 20
const IN_SERVICE = 200

/**
 * An organization that attacks a server: each call attacks until it is over, and gives how many
 * requests were answered. Each route was attacked once before, since the first answers of a route
 * bring series of metrics.
 */
const hostility = async (url: string, random: Random.Random) => {
  const [receiver, deaf] = [await Receiver.start(), await Receiver.start()]
  deaf.become("hanging")
  const attacker = Attacker.start()
  const { document, keys, means } = await Ground.prepare({ url, random, inService: IN_SERVICE, receiver, deaf })
  const choice: Attacks.Choice = { withOperators: false, only: "" }
  for (const attack of Attacks.broad(document, choice, random))
    await attacker.attack(Ground.orderOf({ url, keys, means, attack, millis: FIRST }))
  const attacks = Attacks.narrow(document, choice, random)
  return {
    attack: async (isOver: () => boolean): Promise<number> => {
      let answers = 0
      while (!isOver()) {
        const { value: attack } = attacks.next()
        if (attack === undefined) break
        const tally = await attacker.attack(Ground.orderOf({ url, keys, means, attack, millis: EACH }))
        answers += Object.values(tally.statuses).reduce((sum, count) => sum + count, 0)
      }
      return answers
    },
    stop: () => Promise.all([attacker.stop(), receiver.close(), deaf.close()])
  }
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/** Runs it: the samples after the warm-up, and what went wrong on the way. */
export const run = async (options: Options) => {
  const { databaseUrl, isHostile = false, main, millis, onSample, samples: count = SAMPLES } = options
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
      SIMPLAN_TELCO_TOKEN: Ground.TELCO,
      ...(isHostile ? {} : { SIMPLAN_RATE_LIMIT: "off" }),
      SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true"
    }
  })
  let hostile: Awaited<ReturnType<typeof hostility>> | undefined
  let died: string | undefined
  server.ended.then(({ code, signal }) => {
    died = `the server ended with ${signal ?? code}:\n${server.err().slice(-4_000)}`
  })
  try {
    const url = await server.listening
    const prepared = await Tenant.prepare(url, receivers)
    const ledger = new Ledger()
    const random = Random.make(1)
    const access = {
      ...prepared,
      url: () => url,
      telcoToken: Ground.TELCO,
      ...(isHostile ? { pace: Clients.paced(() => PACE) } : {})
    }
    if (isHostile) hostile = await hostility(url, random.fork())
    let hostileAnswers = 0

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
          { method: "POST", headers: { authorization: `Bearer ${Ground.TELCO}` }, body: { events: [event] } }
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
        requests: ledger.answers + hostileAnswers,
        held: Ground.heldBy(server.process.pid ?? 0),
        statements: numberOf(held.statements),
        lines: metrics.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length,
        heapUsed: numberOf(held.heapUsed),
        listeners: numberOf(held.listeners),
        resources: held.resources,
        series: Sample.seriesOf(metrics)
      }
    }

    const samples: Array<Sample.Sample> = []
    const each = millis / count
    const [load, pause] = isHostile ? [Math.max(LEAST, each - QUIET), QUIET] : [each, PAUSE]
    const warmUp = Math.floor(count / 3)
    for (let index = 0; index < count; index++) {
      const until = Date.now() + load
      const isOver = () => Date.now() >= until
      const [answers = 0] = await Promise.all([
        hostile?.attack(isOver),
        (databaseUrl === "memory:" ? repeat : lives)(isOver)
      ])
      hostileAnswers += answers
      await sleep(pause)
      samples.push(await sample())
      onSample?.(samples.slice(Math.min(warmUp, index)))
    }
    return { samples: samples.slice(warmUp), problems: ledger.problems }
  } catch (error) {
    throw died === undefined ? error : new Error(died)
  } finally {
    await server.kill("SIGKILL")
    await hostile?.stop()
    await Promise.all(receivers.map((one) => one.close()))
    rmSync(cwd, { recursive: true, force: true })
  }
}
