// What an organization waits for while another one reads as much as it may (`HeavyReads`).
import { setTimeout as sleep } from "node:timers/promises"
import * as Processes from "../bench/Processes.mjs"
import * as Seed from "../bench/Seed.mjs"
import * as HeavyReads from "./HeavyReads.mjs"

const TOKEN = "scale-admin-token-of-the-reads-0123456789abcdef"

const ENDPOINTS = 100
const SIMS = 1_000

/** How many times as long a read may take at its p99 as it does alone. */
const LONGEST = 10

const fill = (sums, now) => [
  ...Seed.inventory(SIMS, now),
  ...HeavyReads.fill({ organizationId: Seed.SERVED, sums, endpoints: ENDPOINTS, now }),
  ...Seed.settled
]

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]

/** Reads a SIM of the innocent organization again and again; the times in ms, sorted. */
const innocent = async (url, millis) => {
  const times = []
  const until = performance.now() + millis
  for (let turn = 1; performance.now() < until; turn += 1) {
    const path = `/v3/sims/${Seed.iccid(Seed.FREE, 1 + (turn % SIMS))}?key=${Seed.keys[Seed.FREE]}`
    const began = performance.now()
    const response = await fetch(`${url}${path}`)
    await response.arrayBuffer()
    if (response.status !== 200 && response.status !== 429) throw new Error(`${path}: ${response.status}`)
    times.push(performance.now() - began)
    // Within the rate of a key.
    await sleep(12)
  }
  return times.sort((a, b) => a - b)
}

/** Asks for the path while it may, so many at a time; how often each status came. */
const attack = async (url, path, headers, connections, signal) => {
  const statuses = {}
  const one = async () => {
    while (!signal.aborted) {
      const response = await fetch(`${url}${path}`, { headers })
      await response.arrayBuffer()
      if (response.status === 400 || response.status === 404) throw new Error(`${path}: ${response.status}`)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      if (response.status === 429 || response.status === 503) await sleep(250)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return statuses
}

/** Whether the innocent's reads take at most so many times as long beside each attack. */
export const measureReads = async (postgres, { seconds, sums }) => {
  const database = await postgres.create("reads")
  const url = postgres.urlOf(database)
  await Processes.migrate(url)
  const now = Date.now()
  await postgres.query(database, ...fill(sums, now))
  const server = await Processes.serve(url, { SIMPLAN_ADMIN_TOKEN: TOKEN, SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" })
  const attacks = HeavyReads.reads({ organizationId: Seed.SERVED, iccid: Seed.iccid(Seed.SERVED, 1), now })
  const headersOf = {
    key: { "x-api-key": Seed.keys[Seed.SERVED] },
    operator: { authorization: `Bearer ${TOKEN}` }
  }
  try {
    await innocent(server.url, 1_000)
    const alone = await innocent(server.url, seconds * 1_000)
    const [usual, longest] = [percentile(alone, 0.5), percentile(alone, 0.99)]
    console.log(`${sums.toLocaleString("en")} sums; alone: p50 ${usual.toFixed(1)} ms, p99 ${longest.toFixed(1)} ms`)
    let holds = true
    for (const { connections, holder, name, path } of attacks) {
      const controller = new AbortController()
      const attacking = attack(server.url, path, headersOf[holder], connections, controller.signal)
      const beside = await innocent(server.url, seconds * 1_000)
      controller.abort()
      const statuses = JSON.stringify(await attacking)
      const [p50, p99] = [percentile(beside, 0.5), percentile(beside, 0.99)]
      holds &&= p99 <= LONGEST * longest
      console.log(
        `beside ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${(p99 / longest).toFixed(1)} ×) ${statuses}`
      )
    }
    return holds
  } finally {
    await server.stop()
    await postgres.drop(database)
  }
}
