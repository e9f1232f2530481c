/**
 * The first start of a server on an embedded database. As installed from the package, which has no
 * template of a database, its files are made by a program of their own, so that no process needs
 * much memory, and without it where it fails. In a checkout they are unpacked from the template by
 * another process, for the same reason.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import * as BuiltCopy from "../BuiltCopy.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** In MB, for each process. */
const MOST = 500

// Beside much other work, making the files alone took 47 s on two cores.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const home = mkdtempSync(join(tmpdir(), "simplan-first-start-"))
const main = join(home, "dist/adapters/cli/main.js")
const program = join(home, "dist/adapters/pglite/Initdb.js")
const peaks = join(home, "peaks.txt")
const noting = join(home, "noting.cjs")
let built = ""

const { closing, cwd } = ServerProcess.forEachTest()

beforeAll(async () => {
  const copy = join((await BuiltCopy.shared()).main, "../../../..")
  cpSync(join(copy, "dist"), join(home, "dist"), { recursive: true, filter: (path) => basename(path) !== ".pglite" })
  cpSync(join(copy, "package.json"), join(home, "package.json"))
  symlinkSync(join(copy, "node_modules"), join(home, "node_modules"), "dir")
  built = readFileSync(program, "utf8")
  // Not `resourceUsage().maxRSS`: on Linux a process begins with the peak of the one that spawned
  // it, here of this runner.
  writeFileSync(
    noting,
    `const { appendFileSync, existsSync, readFileSync } = require("node:fs")
const { basename } = require("node:path")
const status = "/proc/self/status"
process.on("exit", () => {
  const peak = existsSync(status)
    ? /VmHWM:\\s+(\\d+) kB/.exec(readFileSync(status, "utf8"))[1]
    : process.resourceUsage().maxRSS
  appendFileSync(${JSON.stringify(peaks)}, basename(process.argv[1]) + " " + peak + "\\n")
})`
  )
})
beforeEach(() => {
  writeFileSync(program, built)
  rmSync(peaks, { force: true })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const start = (env: Readonly<Record<string, string>> = {}): ServerProcess.ServerProcess => {
  const server = ServerProcess.start({ main, cwd: cwd(), env: { NODE_OPTIONS: `--require=${noting}`, ...env } })
  closing.push(() => server.kill("SIGKILL"))
  return server
}

const unfinished = (): ReadonlyArray<string> => {
  const data = join(cwd(), ".simplan/data")
  return existsSync(data) ? readdirSync(data).filter((name) => name.includes("making")) : []
}

/** The processes of a first start, each of which takes less than `MOST`. */
const processes = async (): Promise<ReadonlyArray<string | undefined>> => {
  const server = start()
  await server.listening
  await server.kill("SIGTERM")
  const found = readFileSync(peaks, "utf8").trim().split("\n")
  const peak = new Map(found.map((line) => [line.split(" ")[0], Number(line.split(" ")[1]) / 1024]))
  expect(Math.max(...peak.values())).toBeLessThan(MOST)
  expect(unfinished()).toEqual([])
  return [...peak.keys()]
}

it(`needs less than ${MOST} MB in each process`, async () => {
  expect(await processes()).toEqual(["Initdb.js", "main.js"])
})

describe("with a template, as in a checkout", () => {
  const templates = join(home, "dist/.pglite")
  beforeEach(async () => {
    cpSync(join((await BuiltCopy.shared()).main, "../../..", ".pglite"), templates, { recursive: true })
  })
  afterEach(() => rmSync(templates, { recursive: true }))

  it(`needs less than ${MOST} MB`, async () => {
    expect(await processes()).toEqual(["main.js"])
  })

  it("does without `tar`", async () => {
    const url = await start({ PATH: "/nowhere" }).listening
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(unfinished()).toEqual([])
  })
})

it.each([
  ["fails", 'require("node:fs").writeFileSync(process.argv[2] + "/PG_VERSION", "half"); process.exit(1)'],
  ["makes nothing", "process.exit(0)"]
])("does without the program where it %s", async (_, broken) => {
  writeFileSync(
    program,
    `import { createRequire } from "node:module"
const require = createRequire(import.meta.url)
${broken}`
  )
  const server = start()
  const url = await server.listening
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(unfinished()).toEqual([])
})

it("begins anew where it was killed while the program ran", async () => {
  const killed = start()
  while (!unfinished().some((name) => name.startsWith("making-"))) await sleep(10)
  await killed.kill("SIGKILL")
  const url = await start().listening
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(unfinished()).toEqual([])
})
