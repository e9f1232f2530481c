/**
 * Attacks on a built server for a given time, while an innocent client of another organization goes on, and what was seen.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Cluster from "../faults/Cluster.ts"
import { ask, field, list, text } from "../faults/Asking.ts"
import * as Random from "../faults/Random.ts"
import * as Receiver from "../faults/Receiver.ts"
import * as Tenant from "../faults/Tenant.ts"
import * as Document from "../fuzz/Document.ts"
import { Pool } from "../fuzz/Pool.ts"
import * as Attacker from "./Attacker.ts"
import * as Attacks from "./Attacks.ts"
import * as Innocent from "./Innocent.ts"
import * as Verdict from "./Verdict.ts"

export interface Options extends Attacks.Choice {
  readonly main: string
  readonly databaseUrl: string
  readonly seed: number
  /** For how long it is attacked. */
  readonly millis: number
  /** Each route once by connections of all manners together, and times are not judged. */
  readonly isShort: boolean
  readonly print: (line: string) => void
  /** A fault of the server for it to find; `Planted.mjs` has them. */
  readonly planted?: string
}

export interface Outcome {
  readonly problems: ReadonlyArray<string>
  readonly attacks: number
}

const TELCO = "hostile-telco-token-0123456789"

const CONNECTIONS = 32
/** Requests that a connection sends before the first answer. */
const AHEAD = 100
/** For how long an attack goes on, in ms, for how long its end is watched, and how short attacks on all routes may be. */
const EACH = 1_500
const AFTER = 300
const LEAST = 200
/** About how long an attack takes to be made ready, in ms. */
const READY = 200
/** For how long the innocent client is watched without an attack, in ms. */
const USUAL = { long: 10_000, short: 3_000 }
/** The attacker's SIMs in service, before the attacks. */
const IN_SERVICE = { long: 1_000, short: 200 }
/** After which time all that attacks held has to be returned, in ms. */
const RETURNED = 60_000

/** Beyond so many MB more than at first, what is not in use any more is collected before the next attack. */
const RUBBISH = 80

const SIMS = 3_000

/** What a process holds; nothing where it has ended. */
const heldBy = (pid: number): Verdict.Held => {
  if (!existsSync(`/proc/${pid}/fd`)) return { memory: 0, files: 0, sockets: 0 }
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const files = readdirSync(`/proc/${pid}/fd`)
  const sockets = files.filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:")
    } catch {
      return false
    }
  })
  return {
    memory: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024,
    files: files.length,
    sockets: sockets.length
  }
}

/** An organization with SIMs, a key and plans. */
const organization = async (url: string, name: string, first: number) => {
  const post = (path: string, status: number, body: unknown) =>
    Tenant.must(`${url}/admin/v1${path}`, status, { method: "POST", headers: Tenant.admin, body })
  const organizationId = text(await post("/organizations", 201, { name }), "data", "organization_id")
  const key = text(await post(`/organizations/${organizationId}/api-keys`, 201, { name }), "data", "key")
  const iccids = Array.from({ length: SIMS }, (_, index) => `8999903${String(first + index).padStart(12, "0")}`)
  const rows = iccids.map((iccid, index) => `${iccid},Green,true,L${index}`)
  await post(`/organizations/${organizationId}/sims`, 200, `iccid,label,is_esim,lpa\n${rows.join("\n")}\n`)
  const headers = { "x-api-key": key }
  const get = (path: string) => Tenant.must(url + path, 200, { method: "GET", headers })
  const coverageId = text(
    list(await get("/v3/coverage-profiles?region_code=EUROPE&label=Green"), "data")[0],
    "coverage_id"
  )
  const plan = { name, coverage_id: coverageId, data_MBs: 1_000, period_days: 30, recurring: false, throttling: false }
  const made = await Tenant.must(`${url}/v3/plans`, 201, { method: "POST", headers, body: plan })
  return { organizationId, key, iccids, planId: text(made, "plan_id"), get, post, headers }
}

/** Runs it on a server of its own. */
export const run = async (options: Options): Promise<Outcome> => {
  const { databaseUrl, isShort, main, millis, planted, print, seed } = options
  const cwd = mkdtempSync(join(tmpdir(), "simplan-hostile-"))
  const random = Random.make(seed)
  const receiver = await Receiver.start()
  const deaf = await Receiver.start()
  deaf.become("hanging")
  const probePort = await Cluster.freePort()
  const server = ServerProcess.start({
    main,
    cwd,
    env: {
      NODE_OPTIONS: (planted === undefined ? ["Probe"] : ["Probe", "Planted"])
        .map((name) => `--import=${pathToFileURL(join(import.meta.dirname, `${name}.mjs`)).href}`)
        .join(" "),
      HOSTILE_PLANTED: planted ?? "",
      HOSTILE_PROBE_PORT: String(probePort),
      SIMPLAN_DATABASE_URL: databaseUrl.replace("pglite:", `pglite://${join(cwd, "data")}`),
      SIMPLAN_ADMIN_TOKEN: Tenant.ADMIN,
      SIMPLAN_TELCO_TOKEN: TELCO,
      SIMPLAN_ALLOW_PRIVATE_WEBHOOKS: "true"
    }
  })
  const attacker = Attacker.start()
  let innocent: Innocent.Innocent | undefined
  let died: string | undefined
  server.ended.then(({ code, signal }) => {
    died = `the server ended with ${signal ?? code}:\n${server.err().slice(-4_000)}`
  })
  try {
    const url = await server.listening
    const pid = server.process.pid ?? 0
    const [theirs, mine] = [await organization(url, "Innocent", 0), await organization(url, "Hostile", SIMS)]
    for (const [one, { url }] of [
      [theirs, receiver],
      [mine, deaf]
    ] as const)
      await one.post(`/organizations/${one.organizationId}/webhook-endpoints`, 201, { url })
    // Below the limit of the key's requests.
    for (let n = 0; n < (isShort ? IN_SERVICE.short : IN_SERVICE.long); n += 8)
      await Promise.all([
        ...Array.from({ length: 8 }, () =>
          Tenant.must(`${url}/v3/subscription`, 201, {
            method: "POST",
            headers: mine.headers,
            body: { plan_id: mine.planId, metadata: "m".repeat(4_096) }
          })
        ),
        sleep(100)
      ])

    const document = await Document.read(url)
    const pool = new Pool(() => false)
    for (const path of ["/v3/sims?page_size=100", "/v3/plans", "/v3/operators?country=FR"])
      pool.learn(await mine.get(path))
    pool.learn(await mine.get("/v3/coverage-profiles?label=Green&region_code=FR"))
    pool.learn({ organization_id: mine.organizationId })
    for (const sim of list(await mine.get("/v3/sims?page_size=20"), "data"))
      pool.learn(await mine.get(`/v3/subscriptions/${String(field(sim, "iccid"))}/plan-attachments`).catch(() => null))
    const means = { document, pool, random }
    const keys = { apiKey: mine.key, adminToken: Tenant.ADMIN, telcoToken: TELCO }

    const probe = async (path = "/"): Promise<number> => {
      const answer = await ask(`http://127.0.0.1:${probePort}${path}`, { method: "GET" })
      const delay = field(answer, "body", "delay")
      return typeof delay === "number" ? delay : Number.NaN
    }
    const client = Innocent.start({ ...theirs, url })
    innocent = client

    // What happens while something is under way.
    let before = heldBy(pid)
    const observe = async (attack: string, work: () => Promise<Attacker.Tally>): Promise<Verdict.Observed> => {
      // While an attack was made ready this thread was busy, and late itself.
      const failed = (await client.taken()).filter(({ failure }) => failure !== undefined)
      // Rubbish of earlier attacks is not what this one holds.
      await probe(heldBy(pid).memory > before.memory + RUBBISH ? "/collected" : "/")
      let memory = 0
      const timer = setInterval(() => {
        memory = Math.max(memory, heldBy(pid).memory)
      }, 50)
      try {
        const tally = await work()
        await sleep(AFTER)
        const answers = [...failed, ...(await client.taken())]
        return { attack, answers, memory, delay: await probe(), tally }
      } finally {
        clearInterval(timer)
      }
    }
    const attacked = (attack: Attacks.Attack, forMillis = EACH): Promise<Verdict.Observed> => {
      const order: Attacker.Order = {
        port: Number(new URL(url).port),
        connections: CONNECTIONS,
        ahead: AHEAD,
        manners: attack.manners,
        credentials: attack.holders.map((holder) => Attacks.credentialOf(attack.route, holder, keys)),
        requests: Attacks.requests(means, attack),
        millis: forMillis
      }
      return observe(attack.name, () => attacker.attack(order))
    }

    // Code is compiled and caches are filled first.
    const warm = Attacks.broad(document, { ...options, only: "GET /v3" }, random.fork())
    for (const attack of warm) await attacked({ ...attack, manners: ["normally"], holders: ["own"] }, 200)
    await probe("/collected")
    before = heldBy(pid)
    const quiet = await observe("no attack", async () => {
      await sleep(isShort ? USUAL.short : USUAL.long)
      return { sent: 0, closed: 0, statuses: {} }
    })
    const usual = Verdict.percentile(quiet.answers, 0.99)
    const bounds: Verdict.Bounds = { usual: isShort ? null : usual, memory: before.memory }
    print(`${Verdict.head()}\n${Verdict.line(quiet)}`)
    const problems = [...Verdict.problems(quiet, { ...bounds, usual: null })]

    const until = performance.now() + millis
    let attacks = 0
    const routes = Attacks.broad(document, options, Random.make(0)).length
    for (const attack of isShort
      ? Attacks.broad(document, options, random)
      : Attacks.narrow(document, options, random)) {
      if (performance.now() >= until || died !== undefined) break
      const left = (until - performance.now()) / Math.max(1, routes - attacks)
      const each = isShort ? Math.max(LEAST, Math.min(EACH, left - AFTER - READY)) : EACH
      attacks += 1
      let observed = await attacked(attack, each)
      print(Verdict.line(observed))
      // One slow answer of a few may be the machine's.
      for (let n = 0; n < 2 && Verdict.isLate(observed, bounds); n++) {
        await sleep(1_000)
        await client.taken()
        observed = await attacked(attack, 2 * EACH)
        print(Verdict.line({ ...observed, attack: `${attack.name} (again)` }))
      }
      problems.push(...Verdict.problems(observed, bounds))
      if (died !== undefined) problems.push(`${attack.name}: ${died}`)
    }
    if (died === undefined) {
      // Deliveries that nobody answers end at last.
      await deaf.close()
      const patience = problems.length === 0 ? RETURNED : 0
      problems.push(...(await returned({ pid, before, patience, collect: () => probe("/collected"), print })))
    }
    await client.stop()
    return { problems: problems.map((one) => `seed ${seed}: ${one}`), attacks }
  } finally {
    await innocent?.stop()
    await attacker.stop()
    await server.kill("SIGKILL")
    await Promise.all([receiver.close(), deaf.close()])
    rmSync(cwd, { recursive: true, force: true })
  }
}

interface Returning {
  readonly pid: number
  readonly before: Verdict.Held
  /** In ms. */
  readonly patience: number
  readonly collect: () => Promise<unknown>
  readonly print: (line: string) => void
}

/** What is not returned in time. */
const returned = async ({ before, collect, patience, pid, print }: Returning): Promise<ReadonlyArray<string>> => {
  const until = performance.now() + patience
  for (;;) {
    await collect()
    const after = heldBy(pid)
    const problems = Verdict.kept(before, after)
    if (problems.length === 0 || performance.now() >= until) {
      const told = ({ files, memory, sockets }: Verdict.Held) =>
        `${memory.toFixed(0)} MB, ${files} files, ${sockets} sockets`
      print(`before ${told(before)}; after ${told(after)}`)
      return problems
    }
    await sleep(2_000)
  }
}
