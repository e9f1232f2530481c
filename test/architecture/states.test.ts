/**
 * A state of several steps is asked for by the questions of its module, and by no tag outside of
 * it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import * as States from "./States.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const states: ReadonlyArray<States.State> = [
  { type: "Allocation", file: "src/domain/Sim.ts", field: "_tag" },
  { type: "MobilePlan", file: "src/domain/Sim.ts", field: "_tag", also: ["src/domain/MobilePlan.ts"] },
  { type: "Service", file: "src/domain/Sim.ts", field: "_tag", also: ["src/domain/Pause.ts"] },
  { type: "Subscription", file: "src/domain/Subscription.ts", field: "status" },
  { type: "Package", file: "src/domain/Package.ts", field: "status" },
  { type: "Delivery", file: "src/domain/Delivery.ts", field: "status" }
]

/**
 * Invariants, suites and verdicts say the rules once more, and share no question with what they
 * check.
 */
const isChecked = (path: string): boolean =>
  /^(?:src|adapters)\//.test(path) && !/^(?:src\/testing|adapters\/simulation)\//.test(path)

/** The compiler reads the whole repository, on a machine that may do much else. */
const COMPILING = 120_000

it("Only the module of a state compares its tags", { timeout: COMPILING }, () => {
  const found = States.comparisons(root, `${root}tsconfig.json`, isChecked)
  // Each state is found where it is declared, so none of the names above is out of date.
  const owned = states.map(({ field, file, type }) =>
    found.some(({ declaration: of }) => of.file === file && of.type === type && of.field === field)
  )
  expect(owned).toEqual(states.map(() => true))
  expect(States.strangers(found, states)).toEqual([])
})

it("Only the module of the column names its values: statements ask by questions of the domain", () => {
  const files = readdirSync(`${root}adapters/postgres`, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.startsWith("migrations")
  )
  const naming = files.filter((path) =>
    /'(?:Free|Provisioning|InService|Releasing|Withdrawn|Replaced)'/.test(
      readFileSync(`${root}adapters/postgres/${path}`, "utf8")
    )
  )
  expect(files).toContain(join("statements", "sims", "SimsStatements.ts"))
  expect(naming).toEqual([])
})

it("A comparison is found by whatever name, and a switch that leaves tags out; one of all tags is none", {
  timeout: COMPILING
}, () => {
  const folder = `${mkdtempSync(join(tmpdir(), "states-"))}/`
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write("tsconfig.json", JSON.stringify({ compilerOptions: { strict: true, module: "esnext", noEmit: true } }))
  write(
    "Light.ts",
    'export type Light = { readonly _tag: "On" } | { readonly _tag: "Fading" } | { readonly _tag: "Off" }\n' +
      'export const isLit = (light: Light): boolean => light._tag !== "Off"\n'
  )
  write(
    "other.ts",
    'import type { Light } from "./Light"\n' +
      'export const one = (lamp: { readonly light: Light }) => lamp.light._tag === "On"\n' +
      'export const two = ({ _tag }: Light) => "On" !== _tag\n' +
      'export const three = ({ _tag: step }: Light) => step === "On"\n' +
      'export const four = (lamp?: Light) => lamp?._tag === "On"\n' +
      'export const five = (light: Light) => { switch (light._tag) { case "On": return 1\n default: return 0 } }\n' +
      'export const all = (light: Light) => { switch (light._tag) { case "On": case "Fading": return 1\n case "Off": return 0 } }\n' +
      'export const another = (of: { readonly _tag: "On" | "Off" }) => of._tag === "On"\n'
  )
  const light: States.State = { type: "Light", file: "Light.ts", field: "_tag" }
  const found = States.comparisons(folder, `${folder}tsconfig.json`, () => true)
  const lines = States.strangers(found, [light])
  expect(lines.map((line) => line.split(":").slice(0, 2).join(":"))).toEqual(
    [2, 3, 4, 5, 6].map((n) => `other.ts:${n}`)
  )
  expect(States.strangers(found, [{ ...light, also: ["other.ts"] }])).toEqual([])
})
