/**
 * The files of `examples/deploy`: each metric that a rule or the dashboard reads is one that the
 * page of metrics lists, whose list is held against what is exported, and each setting is one of
 * the server's.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { expect, it } from "vitest"
import * as Definitions from "../../adapters/cli/settings/Definitions.ts"

const directory = new URL("../../examples/deploy/", import.meta.url)

const read = (name: string): string => readFileSync(new URL(name, directory), "utf8")

const manual = readFileSync(new URL("../../adapters/cli/metrics.md", import.meta.url), "utf8")
const listed = new Set(Array.from(manual.matchAll(/^\| `((?:simplan|http)_\w+)` \|/gm), ([, name]) => name))

const metricsIn = (expression: string): ReadonlyArray<string> =>
  Array.from(expression.matchAll(/\b(?:simplan|http)_\w+/g), ([name]) => name.replace(/_(?:bucket|count|sum)$/, ""))

const Dashboard = Schema.Struct({
  panels: Schema.Array(Schema.Struct({ targets: Schema.Array(Schema.Struct({ expr: Schema.String })) }))
})

it("the alert rules read metrics that the server exports, and each has a test or a plain threshold", () => {
  const rules = read("rules.yml")
  const named = metricsIn(rules)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !listed.has(name))).toEqual([])
  const alerts = Array.from(rules.matchAll(/alert: (\w+)/g), ([, name]) => name)
  expect(new Set(alerts).size).toBe(alerts.length)
  const tested = Array.from(read("rules.test.yml").matchAll(/alertname: (\w+)/g), ([, name]) => name)
  expect(tested.filter((name) => !alerts.includes(name))).toEqual([])
  const simulated = ["SimplanStorage", "SimplanTelcoDown", "SimplanWebhooksFail", "SimplanJobQueue", "SimplanNoStock"]
  expect(simulated.filter((name) => !tested.includes(name))).toEqual([])
  const inDrill = Array.from(
    read("README.md").matchAll(/^\| .* \| ((?:`Simplan\w+`(?:, )?)+) \|$/gm),
    ([, names = ""]) => names
  )
  expect(inDrill.join(", ").replaceAll("`", "").split(", ").toSorted()).toEqual(alerts.toSorted())
})

it("the dashboard reads metrics that the server exports", () => {
  const { panels } = Schema.decodeUnknownSync(Schema.fromJsonString(Dashboard))(read("dashboard.json"))
  const named = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !listed.has(name))).toEqual([])
})

it("the files name settings of the server", () => {
  const known = new Set(Definitions.table.map(({ name }) => name))
  for (const file of readdirSync(directory)) {
    const named = Array.from(read(file).matchAll(/\bSIMPLAN_[A-Z_]+/g), ([name]) => name)
    expect({ file, unknown: named.filter((name) => !known.has(name)) }).toEqual({ file, unknown: [] })
  }
})

it("the container has the optional dependencies, which a telcos' file needs, and a directory that its user may write", () => {
  const dockerfile = read("Dockerfile")
  expect(dockerfile).not.toContain("--omit=optional")
  expect(dockerfile).toMatch(/^WORKDIR (\S+)\nRUN chown node:node \.\nUSER node$/m)
})

it("the ports of nginx are those that the README gives the instances of the unit", () => {
  const [readme, nginx] = [read("README.md"), read("nginx.conf")]
  const ports = Array.from(nginx.matchAll(/server 127\.0\.0\.1:(\d+)/g), ([, port]) => port)
  expect(ports).toEqual(["3000", "3002"])
  expect(readme).toContain("`SIMPLAN_PORT=3000`")
  expect(readme).toContain("3002 and 3003")
})
