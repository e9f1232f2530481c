// Plants the faults of the engine, and reports which of them the simulations find.
import { readFileSync, writeFileSync } from "node:fs"
import { Hunter } from "./Hunter.mjs"
import { percent, reporter } from "./Reporter.mjs"

const verdictOf = async (hunter, placement, fault) => {
  const { equivalent, hint } = fault
  const found = await hunter.hunt(placement.pathOf(fault), placement.faultyTextOf(fault), hint)
  if (found !== null) return { kind: equivalent === null ? "found" : "refuted", ...found }
  return { kind: equivalent === null ? "survived" : "equivalent" }
}

const said = ({ equivalent }, { kind, run, what }) => {
  switch (kind) {
    case "found":
      return `${run}: ${what.replaceAll("\n", " ").slice(0, 120)}`
    case "refuted":
      return `NOT EQUIVALENT as it says: ${run}: ${what.slice(0, 120)}`
    case "equivalent":
      return `not found: ${equivalent}`
    case "survived":
      return "SURVIVED"
  }
}

/**
 * Prints a line for each fault and a table; whether nine in ten are found, and each other one says
 * why it is not. With `keep` the run that finds a fault is written down beside it, and tried first
 * the next time.
 */
export const run = async (root, planted, placement, { keep, list, seed, workers }) => {
  // Those that cannot be found take longest, and go last.
  const faults = planted.toSorted((left, right) => Number(left.equivalent !== null) - Number(right.equivalent !== null))
  const report = reporter(faults, (verdict) => said(faults[report.verdicts.indexOf(verdict)], verdict))
  const next = faults.keys()
  const work = async (_, worker) => {
    const hunter = new Hunter(root, seed)
    const close = () => hunter.close()
    process.once("exit", close)
    try {
      const [first] = faults
      if (worker === 0 && first !== undefined) {
        const found = await hunter.hunt(placement.pathOf(first), placement.textOf(first), null)
        if (found !== null) throw new Error(`without any fault ${found.run} finds: ${found.what}`)
      }
      for (const index of next) report(index, await verdictOf(hunter, placement, faults[index]))
    } finally {
      process.off("exit", close)
      close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, faults.length) }, work))
  const { verdicts } = report
  if (keep) {
    const found = new Map(faults.map(({ name }, index) => [name, verdicts[index].run]))
    writeFileSync(
      list.path,
      list.hinted(readFileSync(list.path, "utf8"), (name) => found.get(name))
    )
  }

  const kinds = ["found", "equivalent", "survived", "refuted"]
  const row = (title, of) => {
    const counts = kinds.map((kind) => of.filter((one) => one.kind === kind).length)
    const share = of.length === 0 ? 1 : counts[0] / of.length
    const cells = [of.length, ...counts, percent(share)].map((cell) => String(cell).padStart(10))
    console.log(title.padEnd(28) + cells.join(" "))
    return share
  }
  const heads = ["faults", "found", "reason", "survived", "refuted", "found"]
  console.log(`\n${"file".padEnd(28)}${heads.map((head) => head.padStart(10)).join(" ")}`)
  const pathsOf = faults.map((fault) => placement.pathOf(fault))
  for (const path of new Set(pathsOf)) {
    row(
      path.replace(/^(src\/app|adapters)\//, ""),
      verdicts.filter((_, index) => pathsOf[index] === path)
    )
  }
  const share = row("all", verdicts)
  const open = verdicts.filter(({ kind }) => kind === "survived" || kind === "refuted").length
  console.log(
    `\nThe simulations find ${percent(share)} of ${faults.length} faults in the engine; ${open} of the others have no ` +
      `reason that holds. Seed ${seed}.`
  )
  return share >= 0.9 && open === 0
}
