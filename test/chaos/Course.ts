/**
 * Everything fails together, by a plan: processes are killed, the database crashes and fails over,
 * the pooler restarts, the telco is away, half of the endpoints answer 500, one organization
 * imports and another lists. The clients of the round are the innocent organization.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, type Asked, attempt, type Failure, text } from "../faults/Asking.ts"
import type * as Chaos from "../faults/Chaos.ts"
import * as Clients from "../faults/Clients.ts"
import * as Database from "../faults/Database.ts"
import type * as Round from "../faults/Round.ts"
import * as Neighbours from "./Neighbours.ts"
import * as Plan from "./Plan.ts"
import * as Times from "./Times.ts"

export interface Options {
  readonly seed: number
  readonly millis: number
  /** How many SIMs are imported. */
  readonly rows: number
  /** Has the primary crash, and the standby promoted; the address of the database from then on. */
  readonly failOver: () => Promise<string>
  /** Has the database crash, and start again at the same address. */
  readonly restart: () => Promise<void>
  readonly databaseUrl: string
  /** Prints a line of what is measured. */
  readonly say: (line: string) => void
}

export const RECEIVERS = 4

/**
 * Between the requests of the innocent organization, in milliseconds: meanwhile, and when all is
 * over.
 */
const [PACE, AFTERWARDS] = [150, 12]

/** How long what is due may take when all is over. */
const DUE = 120_000

/** Between two tries to reach the database. */
const BEAT = 50

/** The usual limits: they are a part of what protects the innocent. */
export const env = { SIMPLAN_RATE_LIMIT: "100/1s", SIMPLAN_MAX_REQUESTS_PER_KEY: "32" }

/** The path without ids and what is asked. */
const shape = (url: string): string =>
  new URL(url).pathname.replaceAll(/\/(?:\d{15,}|[0-9a-f]{8}-[0-9a-f-]{27})(?=\/|$)/g, "/{id}")

/** Whether it is an answer: an error of the telco is one, and no other. */
const failureOf = (answer: Answer | Failure): string | undefined => {
  if (typeof answer === "string") return answer
  const code = text(answer.body, "code")
  const isServed =
    answer.status !== 429 && (answer.status < 500 || ["telco_unavailable", "telco_refused"].includes(code))
  return isServed ? undefined : `${answer.status} ${code}`
}

/** As a load balancer: a server that refuses the connection is passed over. */
const balanced =
  (urls: ReadonlyArray<string>, note: (asked: Times.Asked) => void) =>
  async (url: string, asked: Asked): Promise<Answer | null> => {
    const began = Date.now()
    const given = urls.find((one) => url.startsWith(one)) ?? ""
    let answer: Answer | Failure = "ECONNREFUSED"
    for (const one of [given, ...urls.filter((other) => other !== given)]) {
      answer = await attempt(one + url.slice(given.length), asked)
      if (answer !== "ECONNREFUSED") break
    }
    note({ what: `${asked.method} ${shape(url)}`, began, ended: Date.now(), failure: failureOf(answer) })
    return typeof answer === "string" ? null : answer
  }

/** Returns when something was written, by the way that servers take. */
const reachable = async (url: string): Promise<void> => {
  for (;;) {
    const session = Database.onServer(url)
    const isWritten = await session.query("insert into chaos.beat default values").then(
      () => true,
      () => false
    )
    await session.close()
    if (isWritten) return
    await sleep(BEAT)
  }
}

export const on =
  (options: Options) =>
  async ({ ledger, stage }: Round.Ground): Promise<Round.Course> => {
    const { databaseUrl, failOver, millis, restart, rows, say, seed } = options
    const urls = stage.members.map(({ url }) => url)
    const asked: Array<Times.Asked> = []
    const outages: Array<Times.Outage> = []
    const marks: Array<Times.Mark> = []
    const tally: Chaos.Tally = {}
    let url = databaseUrl
    let pace = PACE

    const first = Database.onServer(url)
    await first.query("create schema chaos")
    await first.query("create table chaos.beat (at timestamptz not null default clock_timestamp())")
    await first.close()

    const outage = async (what: string, act: () => Promise<void>): Promise<void> => {
      const from = Date.now()
      await act()
      await reachable(stage.pooler?.url ?? url)
      outages.push({ what, from, until: Date.now() })
    }
    const perform = async (step: Plan.Step): Promise<void> => {
      switch (step.act) {
        case "kill a process":
          return stage.members[step.member]?.kill()
        case "restart the database":
          return outage(step.act, restart)
        case "promote the standby":
          return outage(step.act, async () => {
            url = await failOver()
          })
        case "restart the pooler": {
          const { pooler } = stage
          return pooler === null ? undefined : outage(step.act, pooler.restart)
        }
        case "take the telco away":
          return stage.telco.away(step.millis)
        case "fail endpoints":
          for (const [index, receiver] of stage.receivers.entries())
            receiver.become(step.which.includes(index) ? "failing" : "well")
      }
    }

    const run = async (): Promise<Round.Went> => {
      const neighbours = await Neighbours.start({ urls, rows, millis })
      const began = Date.now()
      const plan = Plan.of(seed, millis, { members: urls.length, endpoints: stage.receivers.length })
      let database: Promise<unknown> = Promise.resolve()
      const acts = plan.map(async (step) => {
        await sleep(began + step.at - Date.now())
        marks.push({ what: step.act, at: Date.now() })
        tally[step.act] = (tally[step.act] ?? 0) + 1
        if (step.act !== "restart the database" && step.act !== "promote the standby") return perform(step)
        // The database ends only where it is there.
        const before = database
        database = before.then(() => perform(step))
        await database
      })
      await Promise.all([...acts, sleep(millis)])
      for (const receiver of stage.receivers) receiver.become("well")
      pace = AFTERWARDS
      const measured = asked.slice()
      const outcome = await neighbours.stop()
      const session = Database.onServer(url)
      const [stored] = await session.query(
        `select count(*)::int as count from simplan.sim where organization_id = '${neighbours.importer}'`
      )
      await session.close()
      const found = [
        ...(Plan.isSpaced(millis) ? Times.problems(measured, outages) : []),
        ...Neighbours.problems(outcome, rows, Number(stored?.["count"]))
      ]
      ledger.problems.push(...found)
      const measures = Times.summary(measured, { began, marks, outages })
      for (const line of [...measures, ...Neighbours.summary(outcome), ...found]) say(line)
      return { tally, url }
    }
    return {
      access: { ask: balanced(urls, (one) => void asked.push(one)), pace: Clients.paced(() => pace) },
      run,
      dueMillis: DUE
    }
  }
