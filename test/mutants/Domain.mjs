// Plants the faults of the domain, each in a copy of the repository, and reports which of them its
// tests find.
import { fork } from "node:child_process"
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { percent, reporter } from "./Reporter.mjs"

/**
 * No run of all property tests takes nearly as long, in milliseconds: whatever does has been made
 * to run for ever.
 */
const WAIT_LIMIT = 400_000

const copied = ["src", "adapters", "test", "package.json", "tsconfig.json"]
const left = new Set(["node_modules", "dist"])

const copy = (root, folder) => {
  for (const name of copied) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !left.has(basename(path)) })
  }
  symlinkSync(realpathSync(join(root, "node_modules")), join(folder, "node_modules"), "dir")
}

/** A copy of the repository, and the process that runs its tests. */
class Copy {
  #folder = mkdtempSync(join(tmpdir(), "simplan-mutants-"))
  #seed
  #child

  constructor(root, seed) {
    this.#seed = seed
    copy(root, this.#folder)
  }

  /** The first test of the suite that fails with that text in the file; null where none does. */
  async failing(suite, file, text, right) {
    this.#child ??= await this.#started()
    this.#child.send({ suite, file, text })
    const answer = await this.#answer(this.#child)
    if (answer !== undefined) return answer.by
    // The child is gone, and with it its copy's fault.
    this.#stop()
    writeFileSync(join(this.#folder, file), right)
    return "no test, but they never end"
  }

  close() {
    this.#stop()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }

  async #started() {
    const child = fork(join(this.#folder, "test/mutants/worker.mjs"), {
      cwd: this.#folder,
      env: { ...process.env, MUTANTS_SEED: String(this.#seed) },
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    const ready = await this.#answer(child)
    if (ready === undefined) throw new Error("the tests cannot be started")
    return child
  }

  #answer(child) {
    return new Promise((resolve) => {
      const done = (answer) => {
        clearTimeout(timer)
        child.off("message", done)
        child.off("exit", gone)
        resolve(answer)
      }
      const gone = () => done(undefined)
      const timer = setTimeout(gone, WAIT_LIMIT)
      child.on("message", done)
      child.on("exit", gone)
    })
  }

  #stop() {
    this.#child?.kill("SIGKILL")
    this.#child = undefined
  }
}

/** Areas that have tests of their own. */
const own = new Set(["operation", "sign-in", "polls"])

const suitesOf = ({ area }) => (own.has(area) ? [area] : ["property", "domain"])

const verdictOf = async (copied, placement, fault) => {
  const { equivalent } = fault
  for (const suite of suitesOf(fault)) {
    const [path, text, right] = [placement.pathOf(fault), placement.faultyTextOf(fault), placement.textOf(fault)]
    const by = await copied.failing(suite, path, text, right)
    if (by !== null) return { kind: equivalent !== null ? "found" : suite === "property" ? suite : "domain", by }
  }
  return equivalent === null ? { kind: "survived", by: "" } : { kind: "equivalent", by: equivalent }
}

const said = {
  property: (by) => by,
  domain: (by) => `unit tests only: ${by}`,
  survived: () => "SURVIVED",
  equivalent: (by) => `equivalent: ${by}`,
  found: (by) => `NOT EQUIVALENT as it says: ${by}`
}

const kinds = ["property", "domain", "survived", "equivalent"]

/** What the property tests find of those that can be found. */
const shareOf = (of) => {
  const possible = of.filter(({ kind }) => kind !== "equivalent")
  return possible.length === 0 ? 1 : possible.filter(({ kind }) => kind === "property").length / possible.length
}

/** Prints a line for each fault and a table; whether as many are found as have to be. */
export const run = async (root, faults, placement, { seed, workers }) => {
  const report = reporter(faults, ({ by, kind }) => said[kind](by))
  const next = faults.keys()

  /** The first of the workers also makes sure that nothing is found without a fault. */
  const work = async (_, worker) => {
    const copied = new Copy(root, seed)
    const close = () => copied.close()
    process.once("exit", close)
    try {
      const sound = async (when) => {
        const [first] = faults
        if (worker > 0 || first === undefined) return
        for (const suite of new Set(faults.flatMap(suitesOf))) {
          const right = placement.textOf(first)
          const by = await copied.failing(suite, placement.pathOf(first), right, right)
          if (by !== null) throw new Error(`without any fault, ${when}, a test fails: ${by}`)
        }
      }
      await sound("before all of them")
      for (const index of next) report(index, await verdictOf(copied, placement, faults[index]))
      await sound("after all of them")
    } finally {
      process.off("exit", close)
      close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, faults.length) }, work))
  const { verdicts } = report

  const row = (title, of) => {
    const counts = kinds.map((kind) => of.filter((one) => one.kind === kind).length)
    const cells = [of.length, ...counts, percent(shareOf(of))].map((cell) => String(cell).padStart(10))
    console.log(title.padEnd(16) + cells.join(" "))
  }
  const totals = (title, groupOf) => {
    const heads = ["faults", "property", "unit only", "survived", "equivalent", "property"]
    console.log(`\n${title.padEnd(16)}${heads.map((head) => head.padStart(10)).join(" ")}`)
    for (const group of new Set(faults.map(groupOf))) {
      row(
        group,
        verdicts.filter((_, index) => groupOf(faults[index]) === group)
      )
    }
  }
  totals("file", ({ file }) => file)
  totals("rules", ({ area }) => area)
  row("all", verdicts)

  const most = ["activation", "recurrence", "state", "threshold"]
  const rules = shareOf(verdicts.filter((_, index) => most.includes(faults[index].area)))
  const open = verdicts.filter(({ kind }) => kind === "found" || kind === "survived")
  console.log(
    `\nOf the activation, recurrence, state and threshold rules' faults the property tests find ${percent(rules)}; ` +
      `${open.length} of all ${faults.length} are open. Seed ${seed}.`
  )
  return open.length === 0 && rules >= 0.9
}
