// The processes that are measured, and the one that loads them.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const main = here("../../dist/adapters/cli/main.js")

export const TELCO_TOKEN = "bench-telco-token"

const running = new Set()

const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SIMPLAN_")))

/**
 * A process's parent, and how many milliseconds of a core, user and system, it has used itself and
 * its ended children (Linux only; 0 elsewhere).
 */
export const statOf = (pid) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    const millis = (first) => (Number(fields[first]) + Number(fields[first + 1])) * 10
    return { parent: Number(fields[1]), own: millis(11), ended: millis(13) }
  } catch {
    return { parent: 0, own: 0, ended: 0 }
  }
}

/** How many milliseconds of a core a process has used itself. */
export const cpuMillis = (pid) => statOf(pid).own

/** How many bytes of a process are in memory (Linux only; 0 elsewhere). */
export const residentBytes = (pid) => {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

const profiling = () => process.env["BENCH_CPU_PROF"]

const launch = (script, args, options = {}) => {
  const directory = profiling()
  const flags =
    directory === undefined || options.profiled !== true ? [] : ["--cpu-prof", `--cpu-prof-dir=${directory}`]
  const child = spawn(process.execPath, [...flags, script, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: inherited,
    ...options
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  running.add(child)
  ended.then(() => running.delete(child))
  return {
    child,
    pid: child.pid,
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    }
  }
}

/** Ends what is left, however the benchmark ended. */
export const stopAll = () => {
  for (const child of running) child.kill("SIGKILL")
}

/** Has a script that is interrupted end its processes and its PostgreSQL. */
export const stopWith = (postgres) => {
  process.once("exit", stopAll)
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      stopAll()
      void postgres.stop().then(() => process.exit(1))
    })
  }
}

const firstLine = (child, matches) =>
  new Promise((resolve, reject) => {
    let out = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text
      const found = matches(out)
      if (found !== undefined) resolve(found)
    })
    child.once("exit", (code) => reject(new Error(`A process ended with ${code} before it was ready:\n${out}`)))
  })

/**
 * `simplan serve` as it was built, or another script that does the same, without a rate limit;
 * resolves when it listens.
 */
export const serve = async (databaseUrl, env = {}, program = main) => {
  const cwd = mkdtempSync(join(tmpdir(), "simplan-bench-"))
  const began = performance.now()
  const server = launch(program, ["serve"], {
    cwd,
    profiled: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      SIMPLAN_PORT: "0",
      SIMPLAN_DATABASE_URL: databaseUrl,
      SIMPLAN_RATE_LIMIT: "off",
      // One key makes all requests of a run.
      SIMPLAN_MAX_REQUESTS_PER_KEY: "1000",
      SIMPLAN_TELCO_TOKEN: TELCO_TOKEN,
      ...env
    }
  })
  server.ended.then(() => rmSync(cwd, { recursive: true, force: true }))
  // What it logs is shown but for its farewell.
  createInterface({ input: server.child.stderr }).on("line", (text) => {
    if (!text.includes('"stopping"')) console.error(text)
  })
  const url = await firstLine(server.child, (out) => /^ {2}address +(\S+)$/m.exec(out)?.[1])
  return { ...server, url, readyMillis: performance.now() - began }
}

/** Applies the migrations. */
export const migrate = async (databaseUrl) => {
  const { ended } = launch(main, ["migrate"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...inherited, SIMPLAN_DATABASE_URL: databaseUrl }
  })
  if ((await ended) !== 0) throw new Error("The migrations failed")
}

/** The yardstick: see `baseline/server.mjs`. */
export const baseline = async (databaseUrl) => {
  const server = launch(here("baseline/server.mjs"), [databaseUrl])
  const url = await firstLine(server.child, (out) => /^(http\S+)\n/.exec(out)?.[1])
  return { ...server, url }
}

/** A script that says something in lines of JSON; `next` is the next thing it says. */
export const script = (name, task, options) => {
  const of = launch(here(name), [JSON.stringify(task)], options)
  const lines = createInterface({ input: of.child.stdout })[Symbol.asyncIterator]()
  return {
    ...of,
    next: async () => {
      const { done, value } = await lines.next()
      if (done) throw new Error(`${name} ended without an answer`)
      return JSON.parse(value)
    }
  }
}

/**
 * Puts a load on a server and returns what came of it; `cpuMillis` is what the server used
 * meanwhile.
 */
export const load = async (server, task) => {
  const before = cpuMillis(server.pid)
  const loader = script("load.mjs", { ...task, url: server.url })
  const measured = await loader.next()
  await loader.ended
  const cpu = cpuMillis(server.pid) - before
  if (measured.failed > 0 && task.mayFail !== true) {
    throw new Error(`Of ${measured.requests} requests to ${server.url} ${measured.failed} failed: ${measured.sample}`)
  }
  return { ...measured, cpuMicros: (cpu * 1000) / measured.requests }
}
