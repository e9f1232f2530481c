// Work in time: recurring packages, their lateness, a long backlog, and what waiting costs.
import { setTimeout as sleep } from "node:timers/promises"
import { beside, line, toYardstick } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

const dueBefore = async (bench, database, instant) => {
  const [{ left }] = await bench.query(
    database,
    `select exists (select from simplan.job where due_at <= ${instant}) as left`
  )
  return left
}

/**
 * All occurrences of the first `count` attachments, none twice, and each with its telco package.
 */
const checkPackages = async (bench, database, count, occurrences) => {
  const [{ packages }] = await bench.query(
    database,
    `select count(*) as packages from simplan.package
      where organization_id = '${Seed.SERVED}' and status = 'Created' and occurrence between 1 and ${occurrences}
        and telco_package_id = attachment_id || ':' || occurrence`
  )
  if (packages !== count * occurrences) throw new Error(`${packages} of ${count * occurrences} packages were created`)
}

/**
 * Runs workers on work that falls due all at once or, `everyMillis`, one after the other; gives how
 * long it took from when the first was due, and what the workers say.
 */
const drain = async (
  bench,
  { answersAfterMillis = 0, count, everyMillis = 0, future = 0, occurrences = 1, processes = 1 }
) => {
  const database = await bench.copy()
  const prepare = future === 0 ? [] : Seed.futureJobs(future, Date.now())
  // Work that is overdue for long begins when the workers do.
  const seedMillis = 4_000 + count / 4 + future / 20
  const dueFrom = Date.now() + seedMillis
  const first = occurrences === 1 ? dueFrom : dueFrom - Math.floor((occurrences - 0.5) * Seed.DAY)
  const seeding = Seed.dueOccurrences(count, `(${first} + i * ${everyMillis})`, { periodDays: 60 })
  const workers = []
  try {
    await bench.query(database, ...prepare, ...seeding, ...Seed.settled)
    const start = async () => {
      const task = { databaseUrl: bench.urlOf(database), answersAfterMillis }
      const started = Array.from({ length: processes }, () => Processes.script("worker.mjs", task, { profiled: true }))
      workers.push(...started)
      for (const worker of started) await worker.next()
    }
    let began = dueFrom
    if (occurrences === 1) {
      await start()
      if (Date.now() > dueFrom) throw new Error("The work was due before the workers were there")
      await sleep(dueFrom - Date.now())
    } else {
      began = Date.now()
      await start()
    }
    const last = dueFrom + count * everyMillis
    const memory = []
    while (await dueBefore(bench, database, Math.max(last, Date.now() - 1))) {
      memory.push(Math.max(...workers.map(({ pid }) => Processes.residentBytes(pid))))
      await sleep(50)
    }
    const seconds = (Date.now() - began) / 1000
    const cpu = workers.reduce((sum, { pid }) => sum + Processes.cpuMillis(pid), 0)
    const results = []
    for (const worker of workers) {
      const stopped = worker.stop()
      results.push(await worker.next())
      await stopped
    }
    await checkPackages(bench, database, count, occurrences)
    const done = results.reduce((sum, one) => sum + one.done, 0)
    if (done !== count * occurrences) throw new Error(`The telco was asked ${done} times for ${count * occurrences}`)
    return {
      perSecond: (count * occurrences) / seconds,
      steadyPerSecond: results.reduce((sum, one) => sum + one.steadyPerSecond, 0),
      seconds,
      results,
      memory,
      cpuMicros: (cpu * 1000) / done
    }
  } finally {
    for (const worker of workers) worker.child.kill("SIGKILL")
    await bench.drop(database)
  }
}

const graphile = async (bench, count, worker) => {
  const database = await bench.create()
  let of
  try {
    of = Processes.script("graphile.mjs", { databaseUrl: bench.urlOf(database), count, worker })
    const { seconds } = await of.next()
    await of.ended
    return { perSecond: count / seconds }
  } finally {
    of?.child.kill("SIGKILL")
    await bench.drop(database)
  }
}

const fastest = {
  concurrentJobs: 24,
  maxPoolSize: 26,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0
}

const NO_OPS = 100_000

const thousands = (value) => Math.round(value).toLocaleString("en")

/** So many jobs that a process which has just started is soon as fast as one that runs for long. */
const many = (bench, amount) => {
  const count = Math.min(bench.sims, amount)
  return { count, occurrences: Math.ceil(amount / count) }
}

/** The targets: the ratios of 0.1.0 on an idle machine with two cores. */
const RECURRING = 0.25
const BACKLOG = 0.22

/**
 * Holds the rate of a drain to that of graphile-worker's jobs that do nothing, at its fastest
 * settings.
 */
const toGraphile = (what, ours, theirs, atLeast, note) =>
  toYardstick(what, ours, theirs, { atLeast, name: "graphile-worker's no-ops", unit: "jobs", note })

export const recurring = async (bench) => {
  const { ours, theirs } = await beside(
    async () => {
      const drained = await drain(bench, many(bench, 20_000 * bench.seconds))
      return { ...drained, perSecond: drained.steadyPerSecond }
    },
    () => graphile(bench, NO_OPS, fastest),
    bench.rounds
  )
  bench.remember("due recurring packages", 1 / ours.perSecond)
  const note = `${ours.cpuMicros.toFixed(0)} µs`
  return [toGraphile("due recurring packages, instant telco", ours, theirs, RECURRING, note)]
}

export const slow = async (bench) => {
  const one = await drain(bench, { ...many(bench, 10_000 * bench.seconds), answersAfterMillis: 50 })
  const two = await drain(bench, { ...many(bench, 20_000 * bench.seconds), answersAfterMillis: 50, processes: 2 })
  return [
    line("… with a telco that takes 50 ms", { value: one.steadyPerSecond, unit: "/s", atLeast: 1_000 }),
    line("… with two processes", {
      value: two.steadyPerSecond / one.steadyPerSecond,
      unit: "× one",
      atLeast: 1.8,
      note: `${thousands(two.steadyPerSecond)}/s`
    })
  ]
}

const FUTURE = 1_000_000

export const lateness = async (bench) => {
  const count = Math.min(bench.sims, 2_500 * bench.seconds)
  const steady = await drain(bench, { count, everyMillis: 1 })
  const crowded = await drain(bench, { count, everyMillis: 1, future: FUTURE })
  const burst = many(bench, 10_000 * bench.seconds)
  const [alone, beside] = [await drain(bench, burst), await drain(bench, { ...burst, future: FUTURE })]
  const [{ p99 }] = steady.results
  bench.remember("lateness", p99)
  return [
    line("lateness of due work at 1,000/s, p99", { value: p99, unit: "ms", atMost: 100 }),
    line(`… with ${thousands(FUTURE)} jobs in the far future`, {
      value: crowded.results[0].p99,
      unit: "ms",
      atMost: 100
    }),
    line("… and what they cost of the rate", {
      value: beside.steadyPerSecond / alone.steadyPerSecond,
      unit: "×",
      atLeast: 0.9
    })
  ]
}

/** All SIMs in service have daily packages, due one after the other: a day in fast motion. */
export const day = async (bench) => {
  const perSecond = 1_000
  const passed = await drain(bench, { count: bench.sims, everyMillis: 1_000 / perSecond })
  const [{ most, p99 }] = passed.results
  const largest = (from, to) => Math.max(...passed.memory.slice(passed.memory.length * from, passed.memory.length * to))
  const [early, late] = [largest(0.25, 0.5), largest(0.75, 1)]
  bench.remember("a day of daily packages", passed.cpuMicros)
  const times = perSecond / (bench.sims / (Seed.DAY / 1_000))
  return [
    line(`a day of ${thousands(bench.sims)} daily packages, ${thousands(times)} times as fast: lateness, p99`, {
      value: p99,
      unit: "ms",
      atMost: 100,
      note: `${thousands(most)} ms at most, ${thousands(passed.cpuMicros)} µs`
    }),
    line("… memory in its last quarter", {
      value: late / early,
      unit: "× that in its second quarter",
      atMost: 1.2,
      note: `${thousands(late / 1e6)} MB`
    })
  ]
}

export const downtime = async (bench) => {
  const count = Math.min(bench.sims, 33_334)
  const before = await graphile(bench, NO_OPS, fastest)
  const ours = await drain(bench, { count, occurrences: 30 })
  const after = await graphile(bench, NO_OPS, fastest)
  const theirs = { perSecond: (before.perSecond + after.perSecond) / 2 }
  const note = `${thousands(count * 30)} in ${ours.seconds.toFixed(0)} s, each once`
  return [toGraphile("the backlog after 30 days down", ours, theirs, BACKLOG, note)]
}

export const idle = async (bench) => {
  const database = await bench.copy()
  // Its transactions would be counted with the server's.
  await bench.query("postgres", "alter system set autovacuum = off", "select pg_reload_conf()")
  await bench.query(database, ...Seed.futureJobs(FUTURE, Date.now()), ...Seed.settled)
  const server = await Processes.serve(bench.urlOf(database))
  const measure = async () => {
    const [{ queries }] = await bench.query(
      "postgres",
      `select xact_commit + xact_rollback as queries from pg_stat_database where datname = '${database}'`
    )
    return { at: performance.now(), queries, cpu: Processes.cpuMillis(server.pid) }
  }
  try {
    await sleep(12_000)
    const before = await measure()
    // As long as the longest intervals of what a process does by itself, several times.
    await sleep(Math.max(120, 10 * bench.seconds) * 1_000)
    const after = await measure()
    const seconds = (after.at - before.at) / 1000
    return [
      line(`idle with ${thousands(FUTURE)} future jobs: queries`, {
        value: (after.queries - before.queries) / seconds,
        unit: "/s",
        atMost: 1
      }),
      line("… of a core", { value: (after.cpu - before.cpu) / seconds / 10, unit: "%", atMost: 1 })
    ]
  } finally {
    await server.stop()
    await bench.drop(database)
    await bench.query("postgres", "alter system reset autovacuum", "select pg_reload_conf()")
  }
}
