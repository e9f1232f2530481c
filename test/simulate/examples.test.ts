/**
 * The scenarios of `examples/simulate`: their drawings are up to date, and each shows the rule in
 * its name.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as Timeline from "../../adapters/timeline/index.ts"
import * as Played from "./Played.ts"

const directory = fileURLToPath(new URL("../../examples/simulate/", import.meta.url))
const names = readdirSync(directory)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replace(/\.json$/, ""))

const play = (name: string) => Played.text(readFileSync(`${directory}${name}.json`, "utf8"))

describe("the examples", () => {
  it("are at least eight, each with a drawing and a line in the README", () => {
    expect(names.length).toBeGreaterThanOrEqual(8)
    const readme = readFileSync(`${directory}README.md`, "utf8")
    for (const name of names) {
      expect(existsSync(`${directory}${name}.svg`), name).toBe(true)
      expect(readme).toContain(`(${name}.json)`)
      expect(readme).toContain(`${name}.svg)`)
    }
  })

  it.each(names)("%s: its picture is what the service does", async (name) => {
    const history = await play(name)
    await expect(`${Timeline.Drawing.svg(history)}\n`).toMatchFileSnapshot(`${directory}${name}.svg`)
  })
})

describe("each of the seven active_period rules has an example of its own", () => {
  const packagesAtOnce = (history: Timeline.History.History) =>
    (history.attachments[0]?.packages ?? []).filter(({ createdAt }) => createdAt === history.start).length

  it.each([
    ["rule-1-first-use", "rule 1", 1],
    ["rule-2-active-period", "rule 2", 1],
    ["rule-3-recurring-first-use", "rule 3", 1],
    ["rule-4-end-ignored", "rule 4", 0],
    ["rule-5-start-in-the-past", "rule 5", 1],
    ["rule-6-start-soon", "rule 6", 1],
    ["rule-7-start-ahead", "rule 7", 0]
  ])("%s", async (name, rule, atOnce) => {
    const history = await play(name)
    expect(history.attachments[0]?.rules.map((one) => one.name)).toContain(rule)
    expect(packagesAtOnce(history)).toBe(atOnce)
  })

  it("month-end: 31 January, 28 February, 31 March", async () => {
    const { attachments } = await play("month-end")
    expect(attachments[0]?.packages.slice(0, 3).map(({ activationAt }) => activationAt)).toEqual([
      Date.UTC(2026, 0, 31),
      Date.UTC(2026, 1, 28),
      Date.UTC(2026, 2, 31)
    ])
  })
})
