/** A server in a process of its own, as its operator would start it. */
import { type ChildProcess, spawn } from "node:child_process"
import * as Leaks from "../setup/Leaks.ts"

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServerProcess {
  readonly process: ChildProcess
  /** What it has printed so far. */
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<Ended>
  /** The address, once it says that it listens; rejects where it ends before that. */
  readonly listening: Promise<string>
  /** What stands behind a name in what it printed. */
  readonly fact: (name: string) => string
  readonly kill: (signal: NodeJS.Signals) => Promise<Ended>
}

export interface Options {
  readonly main: string
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  /** What it prints last when it listens; the last fact of a server where it is absent. */
  readonly last?: RegExp
}

/** Variables that hold a secret as a whole. */
const SECRETS = ["SIMPLAN_ADMIN_TOKEN", "SIMPLAN_TELCO_TOKEN", "SIMPLAN_TELCO_KEY"]

/** What a greeting gives away on purpose, where the process made it itself. */
const GIVEN_AWAY = ["API key", "admin token", "telco token", "key"]

/** Commands whose result is a secret. */
const GIVING = ["key", "webhook"]

/** The environment without anybody's own settings. */
const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith("SIMPLAN_") ? [] : [[name, value]]
    )
  )

export const start = ({
  args = ["serve"],
  cwd,
  env = {},
  last = /^ {2}telco token /m,
  main
}: Options): ServerProcess => {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...inherited(), SIMPLAN_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let [out, err] = ["", ""]
  const fact = (name: string): string => new RegExp(`^  ${name} +(.+)$`, "m").exec(out)?.[1] ?? ""
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
  const givenAway = (): ReadonlyArray<string> => GIVEN_AWAY.map(fact).filter((value) => /^\S+$/.test(value))
  listening.then(
    () => givenAway().forEach(Leaks.know),
    () => {}
  )
  const what = `simplan ${args.join(" ")}`
  const isGiving = GIVING.includes(args[0] ?? "")
  Leaks.watch({ what: `stderr of ${what}`, text: () => err })
  Leaks.watch({
    what: `stdout of ${what}`,
    text: () => out,
    mayShow: (secret) => (isGiving ? /^(simplan|whsec)_/.test(secret) : givenAway().includes(secret))
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
