/**
 * What goes wrong, at random: with the processes, with the database, with the telco, and with those
 * who get webhooks.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Member } from "./Cluster.ts"
import * as Database from "./Database.ts"
import type { Proxy } from "../setup/databases/Proxy.ts"
import type { Random } from "./Random.ts"
import type { Stop } from "./Ledger.ts"
import * as Receiver from "./Receiver.ts"
import * as Stopping from "./stopping/Stopping.ts"
import { EVERY, type Telco } from "./Telco.ts"

/** A pooler between the servers and the database. */
export interface Pooler {
  /** The database's URL through it. */
  readonly url: string
  /** How many sessions it has. */
  readonly sessions: number
  /** Kills it; returns when another one is there. */
  readonly restart: () => Promise<void>
  /** It stands still, until it goes on. */
  readonly freeze: () => void
  readonly thaw: () => void
}

export interface Stage {
  readonly members: ReadonlyArray<Member>
  /** One for each member; none where the database is embedded. */
  readonly proxies: ReadonlyArray<Proxy>
  /** The database without a proxy; null where it is embedded. */
  readonly databaseUrl: string | null
  /** Null where the servers are connected directly. */
  readonly pooler: Pooler | null
  /** Null where the database is not the round's own, and the round a short one. */
  readonly restartDatabase: (() => Promise<void>) | null
  readonly telco: Telco
  readonly receivers: ReadonlyArray<Receiver.Receiver>
  /** What became of the requests at each server that was stopped. */
  readonly stops: Array<Stop>
  readonly leaseMillis: number
  readonly telcoTimeoutMillis: number
}

/** How often what was done. */
export type Tally = Record<string, number>

type Act = () => Promise<void>
type Acts = Readonly<Record<string, Act>>

/** Everybody who wants the tables waits, and with them the connections that they have. */
const lockTables = async (url: string, millis: number): Promise<void> => {
  const locking = Database.onServer(url)
  const tables = ["job", "sim", "delivery", "attachment"].map((table) => `simplan.${table}`).join(", ")
  await locking
    .query(`do $$ begin lock table ${tables} in access exclusive mode; perform pg_sleep(${millis / 1_000}); end $$`)
    .catch(() => [])
  await locking.close()
}

const processActs = ({ leaseMillis, members, stops }: Stage, random: Random): Acts => ({
  "killed a process": () => random.pick(members).kill(),
  "stopped a process": async () => {
    const member = random.pick(members)
    await member.listening()
    stops.push(await Stopping.whileAsked(member))
  },
  "froze a process past its lease": () => random.pick(members).freeze(leaseMillis + random.between(300, 1_500))
})

const databaseActs = ({ databaseUrl, proxies, restartDatabase }: Stage, random: Random): Acts => {
  if (databaseUrl === null) return {}
  return {
    "cut the connections": async () => {
      const proxy = random.pick(proxies)
      proxy.cut()
      await sleep(random.between(0, 1_000))
      proxy.resume()
    },
    "stalled the connections": async () => {
      const proxy = random.pick(proxies)
      proxy.stall()
      await sleep(random.between(200, 2_500))
      proxy.resume()
    },
    "filled the pools": () => lockTables(databaseUrl, random.between(300, 2_000)),
    // From these it takes long to recover.
    ...(restartDatabase === null
      ? {}
      : {
          "restarted PostgreSQL": restartDatabase,
          "swallowed what the connections carry": async () => random.pick(proxies).swallow()
        })
  }
}

/** All sessions of the pooler have something else to do. */
const fillPooler = async ({ sessions, url }: Pooler, millis: number): Promise<void> => {
  const busy = Array.from({ length: sessions }, () => Database.onServer(url))
  await Promise.all(busy.map((one) => one.query(`select pg_sleep(${millis / 1_000})`).catch(() => [])))
  await Promise.all(busy.map((one) => one.close()))
}

const poolerActs = ({ pooler }: Stage, random: Random): Acts =>
  pooler === null
    ? {}
    : {
        "killed the pooler": pooler.restart,
        "froze the pooler": async () => {
          pooler.freeze()
          await sleep(random.between(200, 2_500))
          pooler.thaw()
        },
        "filled the pooler's sessions": () => fillPooler(pooler, random.between(300, 2_000))
      }

const telcoActs = ({ telco, telcoTimeoutMillis }: Stage, random: Random): Acts => {
  const calls = ["createPackage", "sendSms", "setMobilePlan"]
  const spell =
    (fault: () => Readonly<Record<string, unknown>>): Act =>
    async () => {
      await telco.setFaults([fault()])
      await sleep(random.between(200, 1_500))
      await telco.setFaults([])
    }
  return {
    "made the telco refuse": spell(() => ({ fault: "refuse", on: random.pick(calls), times: random.between(1, 10) })),
    "made the telco unavailable": spell(() => ({ fault: "unavailable" })),
    "lost the telco's answers": spell(() => ({ fault: "answer lost" })),
    "slowed the telco down": spell(() => ({ fault: "slow", delay_millis: random.between(20, telcoTimeoutMillis * 2) })),
    "killed the telco": () => telco.kill()
  }
}

/**
 * A telco that refuses to end something has a job end in refusals, unless it takes one of three
 * tries (rule S6).
 */
const endActs = ({ telco }: Stage, random: Random): Acts => ({
  "made the telco refuse every end": () => telco.refuseEnds(EVERY),
  "made the telco refuse some ends": () => telco.refuseEnds(random.between(1, 20)),
  "let the telco end again": () => telco.refuseEnds(0)
})

const receiverActs = ({ receivers }: Stage, random: Random): Acts =>
  Object.fromEntries(
    Receiver.moods
      .filter((mood) => mood !== "well")
      .map((mood) => [
        `had a receiver ${mood}`,
        async () => {
          const receiver = random.pick(receivers)
          receiver.become(mood)
          await sleep(random.between(200, 1_500))
          receiver.become("well")
        }
      ])
  )

/**
 * Lets things go wrong for so long; when it returns all is well again, but that the telco may
 * refuse to end something.
 */
export const run = async (stage: Stage, random: Random, millis: number): Promise<Tally> => {
  const until = Date.now() + millis
  const tally: Tally = {}
  const stream = async (acts: Acts, own: Random, pause: readonly [number, number]): Promise<void> => {
    const names = Object.keys(acts)
    if (names.length === 0) return
    for (;;) {
      await sleep(own.between(...pause))
      if (Date.now() >= until) return
      const name = own.pick(names)
      tally[name] = (tally[name] ?? 0) + 1
      await acts[name]?.()
    }
  }
  await Promise.all([
    stream(processActs(stage, random.fork()), random.fork(), [500, 2_500]),
    stream(databaseActs(stage, random.fork()), random.fork(), [500, 2_500]),
    stream(poolerActs(stage, random.fork()), random.fork(), [500, 2_500]),
    stream(telcoActs(stage, random.fork()), random.fork(), [200, 2_000]),
    stream(endActs(stage, random.fork()), random.fork(), [200, 2_000]),
    stream(receiverActs(stage, random.fork()), random.fork(), [50, 500])
  ])
  return tally
}

/**
 * Kills the only process so many times in the middle of writes, and nothing else: from shortly
 * after the first answer to well within the work. On a busy machine it waits until there has been
 * some.
 */
export const kill = async (
  { members }: Pick<Stage, "members">,
  answers: () => number,
  random: Random,
  times: number
): Promise<Tally> => {
  const [member] = members
  if (member === undefined) throw new Error("There is no process to kill")
  for (let killed = 0; killed < times; killed++) {
    await member.listening()
    const before = answers()
    await sleep(random.between(20, 420))
    while (answers() === before) await sleep(5)
    await member.kill()
  }
  return { "killed the process": times }
}
