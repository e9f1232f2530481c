// Webhook deliveries to a local receiver: 1,000 endpoints, of which every twentieth never answers.
import { setTimeout as sleep } from "node:timers/promises"
import { beside, line, toYardstick } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

const ENDPOINTS = 1_000

/** The target: the ratio of 0.1.0, the middle of several runs on a busy machine with two cores. */
const DELIVERIES = 0.26

const isDead = "e % 20 = 0"

const deliver = async (bench, { each, everyMillis }) => {
  const database = await bench.copy()
  const receiver = Processes.script("receiver.mjs", { endpoints: ENDPOINTS, everyMillis })
  let server
  try {
    const { port } = await receiver.next()
    const url = `'http://127.0.' || 1 + e / 250 || '.' || 1 + e % 250 || ':${port}/' ||
      case when ${isDead} then 'dead/' else '' end || e`
    server = await Processes.serve(bench.urlOf(database), { SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" })
    // Later than the server polls by itself for what was not notified: this is stored behind its
    // back.
    const dueFrom = Date.now() + 6_000 + each * 20
    receiver.child.stdin.write(String(dueFrom))
    const due = `${dueFrom} + ((i - 1) * ${ENDPOINTS} + e - 1) * ${everyMillis}`
    await bench.query(
      database,
      ...Seed.deliveries(ENDPOINTS, each, url, `(${due})::bigint`, Date.now()),
      ...Seed.settled
    )
    if (Date.now() > dueFrom) throw new Error("The deliveries were due before they were stored")
    await sleep(dueFrom - Date.now())
    const live = each * ENDPOINTS * 0.95
    const before = Processes.cpuMillis(server.pid)
    const delivered = async () => {
      const [{ count }] = await bench.query(
        database,
        `select count(*) from simplan.delivery where organization_id = '${Seed.SERVED}' and status = 'Delivered'`
      )
      return count
    }
    let count = 0
    const giveUp = Date.now() + 120_000
    while (count < live && Date.now() < giveUp) {
      await sleep(100)
      count = await delivered()
    }
    const seconds = (Date.now() - dueFrom) / 1000
    const cpu = Processes.cpuMillis(server.pid) - before
    const stopped = receiver.stop()
    const result = await receiver.next()
    await stopped
    if (result.unsigned > 0) throw new Error(`${result.unsigned} deliveries were not signed as they should`)
    return {
      ...result,
      perSecond: count / seconds,
      cpuMicros: (cpu * 1000) / Math.max(1, count),
      whole: count === live
    }
  } finally {
    receiver.child.kill("SIGKILL")
    await server?.stop()
    await bench.drop(database)
  }
}

/** A loop of signed POSTs to the same receiver: see `baseline/deliveries.mjs`. */
const post = async (each) => {
  const receiver = Processes.script("receiver.mjs", { endpoints: ENDPOINTS, everyMillis: 0 })
  try {
    const { port } = await receiver.next()
    receiver.child.stdin.write(String(Date.now()))
    const task = { port, endpoints: ENDPOINTS, each, connections: 64 }
    const loop = Processes.script("baseline/deliveries.mjs", task)
    const measured = await loop.next()
    await loop.ended
    const stopped = receiver.stop()
    const { received, unsigned } = await receiver.next()
    await stopped
    if (unsigned > 0 || received !== measured.count)
      throw new Error("The yardstick's deliveries are not as they should")
    return measured
  } finally {
    receiver.child.kill("SIGKILL")
  }
}

export const webhooks = async (bench) => {
  const each = 5 * bench.seconds
  const { ours: burst, theirs: loop } = await beside(
    () => deliver(bench, { each, everyMillis: 0 }),
    () => post(4 * each),
    bench.rounds
  )
  const steady = await deliver(bench, { each: 3 * bench.seconds, everyMillis: 0.4 })
  const unfinished = ({ whole }) => (whole ? "" : "not all within 2 min")
  bench.remember("webhook deliveries", 1 / burst.perSecond)
  return [
    toYardstick(`webhook deliveries, ${ENDPOINTS} endpoints, 5 % dead`, burst, loop, {
      atLeast: DELIVERIES,
      name: "a loop of signed POSTs",
      unit: "deliveries",
      note: `${burst.cpuMicros.toFixed(0)} µs ${unfinished(burst)}`
    }),
    line("… p99 of the live at 2,500/s", { value: steady.p99, unit: "ms", atMost: 2_000, note: unfinished(steady) })
  ]
}
