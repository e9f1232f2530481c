// What hosts do in their own process: an order of an eSIM inside the host's transaction.
import { beside, line } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

const CONNECTIONS = 2

/** How many times as long as with an outbox of the host's own a transaction may take. */
const TIMES = 3.5

const tables = [
  "create table host_order (id text primary key, organization_id text not null, plan_id text not null)",
  "create table host_outbox (id text primary key, organization_id text not null, request jsonb not null)"
]

/** Each order has its command and its job, or its row of the outbox. */
const checkOrders = async (bench, database, within, outbox) => {
  const [found] = await bench.query(
    database,
    `select (select count(*) from host_order) as orders, (select count(*) from host_outbox) as outbox,
      (select count(*) from simplan.command) as commands, (select count(*) from simplan.job) as jobs`
  )
  const wanted = { orders: within + outbox, outbox, commands: within, jobs: within }
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`There are ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`)
  }
}

export const within = async (bench) => {
  const database = await bench.copy()
  await bench.query(database, ...tables)
  const host = (way) =>
    Processes.script("baseline/host.mjs", {
      connections: CONNECTIONS,
      databaseUrl: bench.urlOf(database),
      organizationId: Seed.FREE,
      plan: Seed.PLAN,
      way
    })
  const [ours, theirs] = [host("within"), host("outbox")]
  const made = { within: 0, outbox: 0 }
  const order = async (of, way, amount) => {
    made[way] += amount
    of.child.stdin.write(`${JSON.stringify({ amount })}\n`)
    return of.next()
  }
  try {
    // Their code is compiled first.
    await order(ours, "within", 2_000)
    await order(theirs, "outbox", 2_000)
    const amount = 500 * bench.seconds
    const measured = await beside(
      () => order(ours, "within", amount),
      () => order(theirs, "outbox", amount),
      bench.rounds
    )
    await checkOrders(bench, database, made.within, made.outbox)
    const millis = ({ perSecond }) => ((CONNECTIONS * 1000) / perSecond).toFixed(2)
    return [
      line("a host's transaction with within(tx), to two inserts of its own", {
        value: 1 / measured.ratio,
        unit: "× the time",
        atMost: TIMES,
        baseline: `${millis(measured.theirs)} ms`,
        note: `${millis(measured.ours)} ms`
      })
    ]
  } finally {
    for (const one of [ours, theirs]) one.child.stdin.end()
    for (const one of [ours, theirs]) await one.ended
    await bench.drop(database)
  }
}
