/** A server as a process, started as its operator would start it. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeAll, beforeEach } from "vitest"
import * as Leaks from "../../setup/Leaks.ts"
import * as BuiltCopy from "../BuiltCopy.ts"

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServerProcess {
  readonly process: ChildProcess
  /** The output so far. */
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<Ended>
  /** Resolves with the address when the server listens; rejects if the process ends first. */
  readonly listening: Promise<string>
  /** The value after a name in the output, or in the file that is named there. */
  readonly fact: (name: string) => string
  readonly kill: (signal: NodeJS.Signals) => Promise<Ended>
}

export interface Options {
  readonly main: string
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  /** How many files it may have open; by default as many as this process. */
  readonly files?: number
  /** The last line that it prints when it listens; by default that of a server. */
  readonly last?: RegExp
}

/** Variables whose whole value is a secret. */
const SECRETS = ["SIMPLAN_ADMIN_TOKEN", "SIMPLAN_TELCO_TOKEN", "SIMPLAN_TELCO_KEY"]

/** Generated secrets that a greeting names the files of. */
const GENERATED = ["API key", "admin token", "telco token", "key"]

/** Commands that print a secret. */
const PRINTING = ["key", "webhook"]

/** The environment without `SIMPLAN_*` variables. */
const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith("SIMPLAN_") ? [] : [[name, value]]
    )
  )

/**
 * Starts processes in a new directory for each test; they are killed, and `closing` is run, after
 * the test.
 */
export const forEachTest = () => {
  let [main, cwd] = ["", ""]
  const closing: Array<() => unknown> = []
  beforeAll(async () => {
    main = (await BuiltCopy.shared()).main
  }, 120_000)
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "simplan-process-"))
  })
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()))
    rmSync(cwd, { recursive: true, force: true })
  })
  return {
    closing,
    cwd: () => cwd,
    start: (options: Omit<Options, "main" | "cwd">): ServerProcess => {
      const server = start({ main, cwd, ...options })
      closing.push(() => server.kill("SIGKILL"))
      return server
    }
  }
}

export const start = ({
  args = ["serve"],
  cwd,
  env = {},
  files,
  last = /^ {2}telco token /m,
  main
}: Options): ServerProcess => {
  const limited = files === undefined ? [] : ["/bin/sh", "-c", `ulimit -n ${files} && exec "$0" "$@"`]
  const [command = "", ...rest] = [...limited, process.execPath, main, ...args]
  const child = spawn(command, rest, {
    cwd,
    env: { ...inherited(), SIMPLAN_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let [out, err] = ["", ""]
  const said = (name: string): string => new RegExp(`^  ${name} +(.+)$`, "m").exec(out)?.[1] ?? ""
  // A secret is not shown; its file is named.
  const fact = (name: string): string => {
    const file = /^in (\/.+)$/.exec(said(name))?.[1]
    return file === undefined ? said(name) : readFileSync(file, "utf8").trim()
  }
  const ended = new Promise<Ended>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })))
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      if (out.includes("is listening.") && last.test(out)) resolve(fact("address"))
    })
    ended.then(({ code }) => reject(new Error(`The server ended with ${code}:\n${out}${err}`)))
  })
  listening.catch(() => {})
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  for (const [name, value] of Object.entries(env)) {
    if (SECRETS.includes(name)) Leaks.know(value)
    else Leaks.knowPassword(value)
  }
  listening.then(
    () =>
      GENERATED.map(fact)
        .filter((value) => /^\S+$/.test(value))
        .forEach(Leaks.know),
    () => {}
  )
  const what = `simplan ${args.join(" ")}`
  const isPrinting = PRINTING.includes(args[0] ?? "")
  Leaks.watch({ what: `stderr of ${what}`, text: () => err })
  Leaks.watch({
    what: `stdout of ${what}`,
    text: () => out,
    mayShow: (secret) => isPrinting && /^(simplan|whsec)_/.test(secret)
  })
  return {
    process: child,
    out: () => out,
    err: () => err,
    ended,
    listening,
    fact,
    kill: (signal) => {
      child.kill(signal)
      return ended
    }
  }
}
