// Writing over HTTP: subscriptions on SIMs that are chosen for them, and telco reports.
import { alternate, beside, line, median, ratio, tail, toYardstick } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

// Everything as it was before anything was created; the same for each contender.
const undoCreations = (bench, database) =>
  bench.query(
    database,
    `delete from simplan.subscription where organization_id = '${Seed.FREE}'`,
    `delete from simplan.attachment where organization_id = '${Seed.FREE}'`,
    `delete from simplan.package where organization_id = '${Seed.FREE}'`,
    "truncate simplan.telco_simulator_book",
    `update simplan.sim set allocation = 'Free', allocated_to = null, reservation_token = null, reserved_until = null
      where organization_id = '${Seed.FREE}' and allocation <> 'Free'`,
    "vacuum (analyze) simplan.sim, simplan.subscription, simplan.attachment, simplan.package, simplan.job"
  )

const creation = (path = "") => ({
  method: "POST",
  path: `${path}/v3/subscription?key=${Seed.keys[Seed.FREE]}`,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ plan_id: Seed.PLAN, metadata: "bench" })
})

/**
 * A subscription for each answer, each on a SIM of its own, confirmed and with its package: S5 in
 * full.
 */
const checkCreations = async (bench, database, created) => {
  const [{ sims, whole }] = await bench.query(
    database,
    "analyze",
    `select count(*) as whole, count(distinct u.iccid) as sims
      from simplan.subscription u
      join simplan.sim s using (organization_id, iccid)
      join simplan.attachment a using (organization_id, subscription_id)
      join simplan.package p using (organization_id, attachment_id)
      join simplan.telco_simulator_book b on b.key = a.attachment_id || ':0'
      where u.organization_id = '${Seed.FREE}' and u.status = 'Live' and s.allocation = 'InService' and a.confirmed`
  )
  if (whole !== created || sims !== created) {
    throw new Error(`Of ${created} subscriptions that were created ${whole} are whole, on ${sims} SIMs`)
  }
}

/**
 * For how many seconds latencies are not counted at first: the connections are new, and the tables
 * were just emptied.
 */
const SETTLING = 2

/**
 * How much longer than the same durable steps a creation may take, half of them and one in a
 * hundred, at half of the highest rate.
 */
const LATENCY = 1.5

export const create = async (bench) => {
  const database = await bench.copy()
  const ours = await Processes.serve(bench.urlOf(database))
  const theirs = await Processes.baseline(bench.urlOf(database))
  const inserting = await Processes.baseline(bench.urlOf(database))
  try {
    const amount = Math.min(bench.sims - 500, 4_000 * bench.seconds)
    const before = () => undoCreations(bench, database)
    const task = (path) => ({ amount, requests: [creation(path)] })
    const results = await alternate(
      {
        simplan: { server: ours, task: task(), before },
        durable: { server: theirs, task: task("/durable"), before },
        inserts: { server: inserting, task: task(), before }
      },
      bench
    )
    await before()
    await Processes.load(ours, { connections: 32, ...task() })
    await checkCreations(bench, database, amount)
    const rate = results.simplan.perSecond / 2
    const paced = async (server, path) => {
      await before()
      const seconds = Math.min(2 * bench.seconds + SETTLING, (bench.sims - 500) / rate)
      const requests = [creation(path)]
      return Processes.load(server, { connections: 64, rate, seconds, settleSeconds: SETTLING, requests })
    }
    // How long a commit takes is the disk's matter, so the yardstick is one with as many of them.
    const { ours: half, theirs: durably } = await beside(
      () => paced(ours),
      () => paced(theirs, "/durable"),
      bench.rounds,
      ({ p99 }) => p99
    )
    bench.remember("POST /v3/subscription", 1 / results.simplan.perSecond)
    return [
      ratio("POST /v3/subscription, to inserting only", results.simplan, results.inserts, 0.4),
      ratio("… to the same durable steps", results.simplan, results.durable, 1),
      line("… p99 at half of its rate", { value: half.p99, unit: "ms", atMost: 50, note: `${rate.toFixed(0)}/s` }),
      tail("… to that of the same durable steps", half, durably, LATENCY),
      median("… its median, to that of the same durable steps", half, durably, LATENCY)
    ]
  } finally {
    for (const server of [ours, theirs, inserting]) await server.stop()
    await bench.drop(database)
  }
}

const SIZE = 500
const CONNECTIONS = 8

/** The target: the ratio of 0.1.0, the middle of several runs on a busy machine with two cores. */
const REPORTS = 0.28

/** Stores as many reports with plain `pg`: see `baseline/reports.mjs`. */
const storePlainly = async (bench, database, run) => {
  const script = Processes.script("baseline/reports.mjs", {
    databaseUrl: bench.urlOf(database),
    organizationId: Seed.SERVED,
    iccid: Seed.iccid(Seed.SERVED, 0).slice(0, 7),
    attachment: Seed.attachmentId(0).slice(0, 24),
    plan: Seed.PLAN,
    sims: bench.sims,
    batches: 60 * bench.seconds,
    connections: CONNECTIONS,
    size: SIZE,
    run
  })
  const measured = await script.next()
  await script.ended
  return measured
}

export const reports = async (bench) => {
  const [database, plain] = [await bench.copy(), await bench.copy()]
  await bench.query(database, ...Seed.deliveries(1, 0, "'http://127.0.0.1:9/'", 0, Date.now()))
  const server = await Processes.serve(bench.urlOf(database), { SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true" })
  try {
    const { SERVED } = Seed
    let sent = 0
    const send = async (run, amount) => {
      sent += amount * SIZE
      const prefix = Seed.iccid(SERVED, 0).slice(0, 7)
      const { sims } = bench
      const measured = await Processes.load(server, {
        amount,
        reports: { of: amount, size: SIZE, run, sims, prefix, token: Processes.TELCO_TOKEN },
        connections: CONNECTIONS
      })
      return { ...measured, perSecond: measured.perSecond * SIZE }
    }
    await send(1, 20)
    const { ours, theirs } = await beside(
      (round) => send(round + 2, 60 * bench.seconds),
      (round) => storePlainly(bench, plain, round),
      bench.rounds
    )
    const [{ seen }] = await bench.query(database, "select count(*) as seen from simplan.taken_report")
    if (seen !== sent) throw new Error(`${seen} of ${sent} reports were taken`)
    const [{ booked, total, used }] = await bench.query(
      database,
      `select (select sum(bytes) from simplan.usage_entry) as booked, (select sum(bytes) from simplan.usage_total) as total,
        (select sum(used_bytes) - count(*) * ${Seed.USED} from simplan.package) as used`
    )
    if (booked !== used || total !== used)
      throw new Error(`Of ${used} bytes ${booked} are in the book, and ${total} in sums`)
    bench.remember("telco reports", 1 / ours.perSecond)
    return [
      toYardstick(`telco usage reports in batches of ${SIZE}`, ours, theirs, {
        atLeast: REPORTS,
        name: "the same rows with plain pg",
        unit: "reports",
        note: `p99 of a batch ${ours.p99.toFixed(0)} ms`
      })
    ]
  } finally {
    await server.stop()
    await bench.drop(database)
    await bench.drop(plain)
  }
}
