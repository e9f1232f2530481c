/**
 * Attacks on a built server for a given time, while an innocent client of another organization goes
 * on, and what was seen.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Cluster from "../faults/Cluster.ts"
import { ask, field } from "../faults/Asking.ts"
import * as Random from "../faults/Random.ts"
import * as Receiver from "../faults/Receiver.ts"
import * as Tenant from "../faults/Tenant.ts"
import * as HeavyReads from "../scale/HeavyReads.mjs"
import * as Alone from "./Alone.ts"
import * as Attacker from "./Attacker.ts"
import * as Attacks from "./Attacks.ts"
import * as Ground from "./Ground.ts"
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
  /** Each request by itself, and the turns of the event loop are judged. */
  readonly isAlone: boolean
  readonly print: (line: string) => void
  /** A fault of the server for it to find; `Planted.mjs` has them. */
  readonly planted?: string
}

export interface Outcome {
  readonly problems: ReadonlyArray<string>
  readonly attacks: number
}

/**
 * For how long an attack goes on, in ms, for how long its end is watched, and how short attacks on
 * all routes may be.
 */
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

/**
 * Beyond so many MB more than at first, what is not in use any more is collected before the next
 * attack.
 */
const RUBBISH = 80

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
      SIMPLAN_TELCO_TOKEN: Ground.TELCO,
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
    const inService = isShort ? IN_SERVICE.short : IN_SERVICE.long
    const { document, holders, hostile, keys, means, theirs } = await Ground.prepare({
      url,
      random,
      inService,
      receiver,
      deaf
    })
    if (databaseUrl.startsWith("postgres")) await Ground.fill(databaseUrl, hostile.organizationId, isShort)
    const heavy = HeavyReads.reads({ ...hostile, now: Date.now() })
      .map((read): Read => ({ name: `heavy read: ${read.name}`, read }))
      .filter(({ name }) => name.includes(options.only))

    const probe = async (path = "/", name: "delay" | "turn" = "delay"): Promise<number> => {
      const answer = await ask(`http://127.0.0.1:${probePort}${path}`, { method: "GET" })
      const millis = field(answer, "body", name)
      return typeof millis === "number" ? millis : Number.NaN
    }
    const client = Innocent.start({ ...theirs, url })
    innocent = client

    // What happens while something is under way.
    let before = Ground.heldBy(pid)
    const observe = async (attack: string, work: () => Promise<Attacker.Tally>): Promise<Verdict.Observed> => {
      // While an attack was made ready this thread was busy, and late itself.
      const failed = (await client.taken()).filter(({ failure }) => failure !== undefined)
      // Rubbish of earlier attacks is not what this one holds.
      await probe(Ground.heldBy(pid).memory > before.memory + RUBBISH ? "/collected" : "/")
      let memory = 0
      const timer = setInterval(() => {
        memory = Math.max(memory, Ground.heldBy(pid).memory)
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
    const attacked = (attack: Attacks.Attack | Read, forMillis = EACH): Promise<Verdict.Observed> => {
      const order =
        "read" in attack
          ? Ground.orderOfRead(attack.read, { url, holders, millis: forMillis })
          : Ground.orderOf({ url, keys, means, attack, millis: forMillis })
      return observe(attack.name, () => attacker.attack(order))
    }

    // Code is compiled and caches are filled first.
    const warm = Attacks.broad(document, { ...options, only: "GET /v3" }, random.fork())
    for (const attack of warm) await attacked({ ...attack, manners: ["normally"], holders: ["own"] }, 200)
    await probe("/collected")
    before = Ground.heldBy(pid)
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
    if (options.isAlone) {
      const orders = Attacks.broad(document, options, random).flatMap((attack) =>
        attack.groups.map((group) => ({
          ...Ground.orderOf({
            url,
            keys,
            means,
            attack: { ...attack, groups: [group], holders: attack.holders.slice(0, 1) },
            millis
          }),
          name: `${attack.name}, ${group}`
        }))
      )
      const isOver = () => performance.now() >= until || died !== undefined
      problems.push(
        ...(await Alone.run({ orders, attack: attacker.attack, probe: () => probe("/", "turn"), isOver, print }))
      )
      return { problems: problems.map((one) => `seed ${seed}: ${one}`), attacks: orders.length }
    }
    const routes = Attacks.broad(document, options, Random.make(0)).length + heavy.length
    const others = isShort ? Attacks.broad(document, options, random) : Attacks.narrow(document, options, random)
    for (const attack of among(others, heavy, !isShort)) {
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
      const waitLimit = problems.length === 0 ? RETURNED : 0
      problems.push(...(await returned({ pid, before, waitLimit, collect: () => probe("/collected"), print })))
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

/** A heavy read as an attack. */
interface Read {
  readonly name: string
  readonly read: HeavyReads.HeavyRead
}

/** After how many other attacks one by a heavy read follows. */
const BETWEEN = 10

/** The reads first, and then again one by one among the other attacks where these go on. */
function* among<A>(others: Iterable<A>, reads: ReadonlyArray<Read>, isAgain: boolean): Generator<A | Read> {
  yield* reads
  let count = 0
  for (const other of others) {
    yield other
    count += 1
    const read = reads[Math.floor(count / BETWEEN) % reads.length]
    if (isAgain && count % BETWEEN === 0 && read !== undefined) yield read
  }
}

interface Returning {
  readonly pid: number
  readonly before: Verdict.Held
  /** In ms. */
  readonly waitLimit: number
  readonly collect: () => Promise<unknown>
  readonly print: (line: string) => void
}

/** What is not returned in time. */
const returned = async ({ before, collect, waitLimit, pid, print }: Returning): Promise<ReadonlyArray<string>> => {
  const until = performance.now() + waitLimit
  for (;;) {
    await collect()
    const after = Ground.heldBy(pid)
    const problems = Verdict.kept(before, after)
    if (problems.length === 0 || performance.now() >= until) {
      const summary = ({ files, memory, sockets }: Verdict.Held) =>
        `${memory.toFixed(0)} MB, ${files} files, ${sockets} sockets`
      print(`before ${summary(before)}; after ${summary(after)}`)
      if (problems.length > 0) print(`Connections: ${Ground.connectionsOf(pid).join("; ")}`)
      return problems
    }
    await sleep(2_000)
  }
}
