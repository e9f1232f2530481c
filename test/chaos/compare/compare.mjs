// The faults that queue libraries are compared by, on each library with the same work: prints a
// table in Markdown.
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { ensureBuilt } from "../../../adapters/cli/build/build.mjs"
import * as Postgres from "../../bench/Postgres.mjs"
import * as Faults from "./Faults.mjs"
import * as Trial from "./Trial.mjs"

const { count, only, waitSeconds } = JSON.parse(process.argv[2])

await ensureBuilt()
const Processes = await import("../../bench/Processes.mjs")
const Libraries = await import("./Libraries.mjs")

const folder = mkdtempSync(join(tmpdir(), "simplan-compared-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
if (only === "" || only === "pg-boss") Libraries.install(folder)
const libraries = Object.entries(Libraries.all).flatMap(([name, of]) =>
  only === "" || only === name ? [of(folder)] : []
)

const span = (seconds) =>
  seconds >= 3_600
    ? `${(seconds / 3_600).toFixed(1)} h`
    : seconds >= 300
      ? `${Math.round(seconds / 60)} min`
      : `${seconds.toFixed(1)} s`

const bold = (count) => (count === 0 ? "0" : `**${count}**`)

const cell = ({ doubled, ends, held, left, lost, seconds }) =>
  [
    `${bold(lost)} lost, ${bold(doubled)} doubled, ${span(seconds)}`,
    ...(held === 0 ? [] : [`${held} held until then`]),
    ...(left === 0 ? [] : ["some of them for good"]),
    ...(ends === 0 ? [] : [`its processes ended ${ends} times`])
  ].join("; ")

const postgres = await Postgres.start()
Processes.stopWith(postgres)

const lines = [
  `| ${count.toLocaleString("en")} units | ${libraries.map(({ name }) => name).join(" | ")} |`,
  `|---|${libraries.map(() => "---|").join("")}`
]
try {
  console.log(`Node ${process.version}, ${availableParallelism()} cores`)
  for (const [what, fault] of Object.entries(Faults.all)) {
    const cells = []
    for (const library of libraries) {
      const outcome = await Trial.run({ count, fault, library, postgres, waitMillis: waitSeconds * 1_000 })
      cells.push(cell(outcome))
      console.log(`${what}, ${library.name}: ${cells.at(-1)}`)
    }
    lines.push(`| ${what} | ${cells.join(" | ")} |`)
  }
  console.log(`\n${lines.join("\n")}`)
} finally {
  Processes.stopAll()
  await postgres.stop()
}
