/**
 * One round: servers on a fresh database under load while things go wrong; then quiet, until
 * nothing that is due is left; then a day and a half of business time, so that all that waits for a
 * later try is done; then an operator, who has the telco asked again for what it has refused
 * meanwhile; then the verdict. Over a real telco's fake, which needs a real clock, what waits is
 * made due instead.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ask } from "./Asking.ts"
import * as Chaos from "./Chaos.ts"
import * as Clients from "./Clients.ts"
import * as Cluster from "./Cluster.ts"
import * as Database from "./Database.ts"
import { Ledger } from "./Ledger.ts"
import * as OcsTelco from "./OcsTelco.ts"
import * as Leaks from "../setup/Leaks.ts"
import type { Proxy } from "../setup/databases/Proxy.ts"
import * as Tenant from "./Tenant.ts"
import * as Random from "./Random.ts"
import * as Receiver from "./Receiver.ts"
import * as Telco from "./Telco.ts"
import * as Verdict from "./Verdict.ts"

/** Where a round has come to when things begin to go wrong. */
export interface Ground {
  readonly stage: Chaos.Stage
  readonly ledger: Ledger
}

/** What has gone wrong, and where the database is now; null: it is embedded. */
export interface Went {
  readonly tally: Chaos.Tally
  readonly url: string | null
}

/** What goes wrong in place of the random faults. */
export interface Course {
  readonly access: Pick<Clients.Access, "ask" | "pace">
  /** Returns when all is well again. */
  readonly run: () => Promise<Went>
  /** How long what is due then may take, in milliseconds; it says how long it took. */
  readonly dueMillis: number
}

export interface Options {
  readonly main: string
  readonly seed: number
  /** The simulated telco, unless given. */
  readonly telco?: "simulator" | "ocs"
  /** How long things go wrong. */
  readonly millis?: number
  /** How often the only process is killed, in place of all else that may go wrong. */
  readonly kills?: number
  readonly clients: number
  readonly course?: {
    readonly receivers: number
    /** Settings of the servers. */
    readonly env: Readonly<Record<string, string>>
    readonly on: (ground: Ground) => Promise<Course>
  }
  /**
   * An empty database on a server, shared by several processes; null for an embedded one of one
   * process.
   */
  readonly database: {
    readonly url: string
    readonly restart: (() => Promise<void>) | null
    /**
     * Has the primary fail and a standby take its place, which is then at the address that is
     * returned.
     */
    readonly failOver?: () => Promise<string>
    /** In front of it; the servers have its own address beside. */
    readonly pooler?: Chaos.Pooler
  } | null
}

export interface Outcome {
  readonly problems: ReadonlyArray<string>
  readonly requests: number
  readonly answers: number
  /** Operations that were acknowledged, and those that were refused. */
  readonly done: number
  readonly refused: number
  readonly tally: Chaos.Tally
}

const REPORTS = "faults-report-token-0123456789"
const LEASE = 2_000
const TELCO_TIMEOUT = 1_000
const HOUR = 3_600_000

/** So many hours later all that waits for a later try is done. */
const LATER = 30

/** How long the servers have for what is due when all is well again. */
const QUIET = 60_000

/** Returns when no job or delivery is due or held; what is, where that takes too long. */
const quiet = async (session: Database.Session, limit = QUIET): Promise<ReadonlyArray<string>> => {
  const due = (table: string, when: string) =>
    `select '${table}' as what, count(*)::int as count from simplan.${table}
      where ${when} <= (extract(epoch from clock_timestamp()) * 1000)::bigint - 500 or lease_until is not null`
  const until = Date.now() + limit
  for (;;) {
    const left = await session.query(
      `${due("job", "ended_at is null and due_at")} union all ${due("delivery", "next_attempt_at")}`
    )
    const busy = left.filter(({ count }) => Number(count) > 0)
    if (busy.length === 0) return []
    if (Date.now() > until)
      return busy.map(({ count, what }) => `${String(count)} of ${String(what)} are due or held and stay so`)
    await sleep(100)
  }
}

/**
 * How long what waits may take that is made due again and again: a call that may come late is
 * waited for by the clock of the machine.
 */
const HURRY = 240_000

/**
 * Makes what waits for a later try due at once, until nothing is to be tried again: a server goes
 * by the clock of the database here.
 */
const hurried = async (session: Database.Session): Promise<ReadonlyArray<string>> => {
  const later = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
  for (const until = Date.now() + HURRY; Date.now() < until; ) {
    const waiting = await session.query(`
      with job as (update simplan.job set due_at = 0 where attempts > 0 and ended_at is null and due_at > ${later} returning 1),
        delivery as (update simplan.delivery set next_attempt_at = 0 where next_attempt_at > ${later} returning 1)
      select 1 from simplan.job where attempts > 0 and ended_at is null union all select 1 from delivery`)
    if (waiting.length === 0) return []
    const left = await quiet(session)
    if (left.length > 0) return left
    await sleep(500)
  }
  return [`What was to be tried again was not done in ${HURRY} ms`]
}

/** More at once than a server has connections, so that one that is stuck shows. */
const PROBES = 16

/** How long a server may take to be itself again. */
const RECOVERY = 60_000

/** Each server serves again, with all its connections. */
const recovered = async (members: ReadonlyArray<Cluster.Member>, key: string): Promise<ReadonlyArray<string>> => {
  const probe = async ({ name, url }: Cluster.Member): Promise<ReadonlyArray<string>> => {
    const until = Date.now() + RECOVERY
    const headers = { "x-api-key": key }
    for (;;) {
      const asked = Array.from({ length: PROBES }, (_, index) =>
        index % 2 === 0
          ? ask(`${url}/v3/sims?page_size=1`, { method: "GET", headers })
          : ask(`${url}/v3/plans/none/archive`, {
              method: "POST",
              headers: { ...headers, "idempotency-key": `${name} ${index}` }
            })
      )
      const answers = await Promise.all(asked)
      const bad = answers.filter((one) => one === null || one.status >= 500)
      if (bad.length === 0) return []
      if (Date.now() > until)
        return [`${name} does not recover: of ${PROBES} requests ${bad.length} fail, ${JSON.stringify(bad[0])}`]
      await sleep(200)
    }
  }
  return (await Promise.all(members.map(probe))).flat()
}

/** From the promotion of the standby until all servers serve again, in milliseconds. */
const FAILOVER = 10_000

/** Nothing goes wrong but that the primary is lost; the address of its successor. */
const failingOver = async (
  failOver: () => Promise<string>,
  {
    key,
    ledger,
    members,
    millis
  }: {
    readonly key: string
    readonly ledger: Ledger
    readonly members: ReadonlyArray<Cluster.Member>
    readonly millis: number
  }
): Promise<{ readonly url: string; readonly tally: Chaos.Tally }> => {
  await sleep(millis / 2)
  const url = await failOver()
  const from = Date.now()
  ledger.problems.push(...(await recovered(members, key)))
  const took = Date.now() - from
  if (took > FAILOVER) ledger.problems.push(`The servers served ${took} ms after the promotion`)
  await sleep(millis / 2)
  return { url, tally: { [`recovered ${took} ms after a promotion`]: 1 } }
}

const leftOver = async (session: Database.Session, now: number): Promise<ReadonlyArray<string>> => {
  const count = async (what: string, query: string) => {
    const [row] = await session.query(`select count(*)::int as count from simplan.${query}`)
    return Number(row?.["count"]) === 0 ? [] : [`${String(row?.["count"])} ${what} are left`]
  }
  const jobs = await session.query(`
    select work->>'iccid' as iccid, work->>'_tag' as work, attempts, (due_at - ${now})::float8 as due,
      ended_at is not null as ended, waiting
    from simplan.job where due_at <= ${now} or work->>'_tag' <> 'CreatePackage'`)
  return [
    ...(jobs.length === 0 ? [] : [`${jobs.length} jobs are left, such as ${JSON.stringify(jobs.slice(0, 3))}`]),
    ...(await count("leases of jobs", "job where lease_token is not null")),
    ...(await count("leases of deliveries", "delivery where lease_token is not null")),
    ...(await count("idempotency keys", "idempotency where outcome->>'_tag' = 'Pending'"))
  ]
}

/** Runs it; whatever it started has ended when it returns. */
export const run = async ({
  clients,
  course,
  database,
  kills,
  main,
  millis = 0,
  seed,
  telco: kind = "simulator"
}: Options): Promise<Outcome> => {
  const cwd = mkdtempSync(join(tmpdir(), "simplan-faults-"))
  const random = Random.make(seed)
  const ledger = new Ledger()
  const onCrash = (message: string): void => void ledger.problems.push(message)
  const dataDir = join(cwd, "data")
  const telco = kind === "ocs" ? await OcsTelco.start(cwd) : await Telco.start({ main, cwd }, onCrash)
  const receivers = await Promise.all(Array.from({ length: course?.receivers ?? 2 }, Receiver.start))
  const env = {
    SIMPLAN_ADMIN_TOKEN: Tenant.ADMIN,
    SIMPLAN_TELCO_TOKEN: REPORTS,
    ...telco.env,
    SIMPLAN_TELCO_TIMEOUT: `${TELCO_TIMEOUT}ms`,
    SIMPLAN_LEASE: `${LEASE}ms`,
    SIMPLAN_RATE_LIMIT: "off",
    SIMPLAN_SMS_LIMIT: "off",
    SIMPLAN_MAX_REQUESTS_PER_KEY: "1000",
    SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true",
    ...course?.env
  }
  const proxies: Array<Proxy> = []
  const members: Array<Cluster.Member> = []
  const start = async (name: string, more: Readonly<Record<string, string>>): Promise<Cluster.Member> => {
    const port = await Cluster.freePort()
    const own = { ...env, SIMPLAN_PORT: String(port), ...more }
    return Cluster.member({ main, cwd, name, env: own, port, onCrash })
  }
  try {
    for (let index = 0; index < (database === null ? 1 : 3); index++) {
      const behind = database === null || database.failOver !== undefined ? null : await Database.through(database.url)
      if (behind !== null) proxies.push(behind.proxy)
      const direct = behind?.url ?? database?.url ?? `pglite://${dataDir}`
      const pooled = database?.pooler?.url
      members.push(
        await start(
          `server ${index}`,
          pooled === undefined
            ? { SIMPLAN_DATABASE_URL: direct }
            : { SIMPLAN_DATABASE_URL: pooled, SIMPLAN_DATABASE_DIRECT_URL: direct }
        )
      )
    }
    await Promise.all([telco, ...members].map((one) => one.listening()))
    const prepared = await Tenant.prepare(members[0]?.url ?? "", receivers)
    Leaks.know(prepared.key)
    const stage = {
      members,
      proxies,
      databaseUrl: database?.url ?? null,
      pooler: database?.pooler ?? null,
      restartDatabase: database?.restart ?? null,
      telco,
      receivers,
      stops: ledger.stops,
      leaseMillis: LEASE,
      telcoTimeoutMillis: TELCO_TIMEOUT
    }
    const own = await course?.on({ stage, ledger })
    const access = { ...prepared, url: Cluster.anyUrl(members), telcoToken: REPORTS, ...own?.access }

    let isOver = false
    const all = Array.from({ length: clients }, () => Clients.make(access, ledger, random.fork()))
    const load = Promise.all(all.map((client) => client.run(() => isOver)))
    const goWrong = async (): Promise<Went> => {
      if (own !== undefined) return own.run()
      if (database?.failOver !== undefined)
        return failingOver(database.failOver, { key: prepared.key, ledger, members, millis })
      const tally =
        kills === undefined
          ? await Chaos.run(stage, random.fork(), millis)
          : await Chaos.kill(stage, () => ledger.answers, random.fork(), kills)
      return { tally, url: database?.url ?? null }
    }
    const { tally, url: direct } = await goWrong()
    isOver = true
    const over = Date.now()
    await telco.setFaults([])
    await Promise.all([load, ...[telco, ...members].map((one) => one.listening())])
    const shared = direct === null ? null : Database.onServer(direct)
    if (own !== undefined && shared !== null) {
      ledger.problems.push(...(await quiet(shared, over + own.dueMillis - Date.now())))
      tally[`was done with all that was due after ${Date.now() - over} ms`] = 1
    }

    await telco.setFaults([])
    await telco.refuseEnds(Telco.EVERY)
    ledger.problems.push(...(await recovered(members, prepared.key)))
    await all[0]?.finish()
    await all[0]?.repeat()
    if (shared !== null) ledger.problems.push(...(await quiet(shared)))
    const stop = async (member: Cluster.Member) => {
      const code = await member.stop("SIGTERM")
      if (code === 0) return
      ledger.problems.push(`${member.name} was stopped and ended with ${code}:\n${member.output().slice(-1_000)}`)
    }
    if (kind === "ocs" && shared !== null) {
      ledger.problems.push(...(await hurried(shared)))
      await sleep(telco.lateness)
    }
    for (const member of members) await stop(member)

    // Alone on the database, on a clock that goes on as fast as one likes; a real telco goes by no
    // such clock.
    const from = Date.now()
    const standing = async (name: string): Promise<Cluster.Member> => {
      const member = await start(name, {
        SIMPLAN_DATABASE_URL: database?.url ?? `pglite://${dataDir}`,
        SIMPLAN_CLOCK: `virtual:${new Date(from).toISOString()}`
      })
      members.push(member)
      await member.listening()
      return member
    }
    let refused: Verdict.Refusals = { stuck: { jobs: [], releasing: [] }, listed: [] }
    if (kind === "simulator") {
      const last = await standing("the last server")
      // In steps: all of it at once takes longer than a request may after a long round.
      for (let hours = 0; hours < LATER; hours++) {
        await Tenant.must(`${last.url}/admin/v1/clock/advance`, 200, {
          method: "POST",
          headers: Tenant.admin,
          body: { by: "1 hour" }
        })
      }
      await stop(last)
      const opened = shared ?? Database.inDirectory(dataDir)
      const stuck = await Tenant.stuck(opened)
      if (shared === null) await opened.close()

      // The telco takes what it has refused, and an operator has it asked again.
      await telco.refuseEnds(0)
      const operated = await standing("the operator's server")
      const listed = await Tenant.problems(operated.url)
      ledger.problems.push(...(await Tenant.retryAll(operated.url, listed)))
      await stop(operated)
      refused = { stuck, listed }
      tally["left a problem to an operator"] = listed.length
    }

    const session = shared ?? Database.inDirectory(dataDir)
    const books = await telco.books(session)
    const now = kind === "simulator" ? from + LATER * HOUR : from
    const rows = (query: keyof typeof Verdict.queries) =>
      session.query(Verdict.queries[query].replace("$org", `'${prepared.organizationId}'`))
    const facts = {
      ledger,
      refused,
      books,
      receivers,
      now,
      sims: await rows("sims"),
      subscriptions: await rows("subscriptions"),
      attachments: await rows("attachments"),
      packages: await rows("packages"),
      deliveries: await rows("deliveries")
    }
    const left = await leftOver(session, now)
    await session.close()
    return {
      problems: [...Verdict.problems(facts), ...left],
      requests: ledger.requests,
      answers: ledger.answers,
      done: ledger.operations.filter(({ fate }) => fate._tag === "Done").length,
      refused: ledger.operations.filter(({ fate }) => fate._tag === "Refused").length,
      tally
    }
  } finally {
    await Promise.all([telco, ...members].map((one) => one.stop("SIGKILL")))
    await Promise.all([...proxies, ...receivers].map((one) => one.close()))
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** What was done, in a line. */
export const summary = ({ answers, done, refused, requests, tally }: Outcome): string =>
  `${requests} requests, ${answers} answered; ${done} operations done, ${refused} refused; ${Object.entries(tally)
    .map(([what, times]) => `${what} ${times} times`)
    .join(", ")}`
