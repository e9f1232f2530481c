/**
 * Every file of the domain that holds more than types is tested: a test here imports it as a value,
 * or it is listed below with the test that covers it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const domain = readdirSync(folder("../../src/domain")).filter((name) => name.endsWith(".ts"))

const tests = ["../domain", "../property"].flatMap((path) =>
  readdirSync(folder(path))
    .filter((name) => name.endsWith(".test.ts") && name !== "every-file.test.ts")
    .map((name) => readFileSync(`${folder(path)}/${name}`, "utf8"))
)

/** The files of the domain that a test imports as values. */
const imported = new Set(
  tests.flatMap((text) =>
    Array.from(text.matchAll(/^import (?!type ).*"\.\.\/\.\.\/src\/domain\/(\w+\.ts)"$/gm), ([, name]) => name)
  )
)

/** Files that a test covers without importing them. */
const through: Readonly<Record<string, string>> = {
  "CallingCodes.ts": "sim-search.test.ts",
  // A second suspension is the empty decision.
  "Decision.ts": "suspension.test.ts",
  // The examples of events are made of them.
  "Samples.ts": "webhook-event.test.ts",
  "Session.ts": "session.property.test.ts"
}

const holdsValues = (name: string): boolean =>
  /^export (?:const|class|function)\b/m.test(readFileSync(`${folder("../../src/domain")}/${name}`, "utf8"))

describe("The domain", () => {
  it("has files with values", () => {
    expect(domain.filter(holdsValues).length).toBeGreaterThan(25)
  })

  it.each(domain.filter(holdsValues))("%s is exercised", (name) => {
    const test = through[name]
    expect(
      imported.has(name) ||
        (test !== undefined && ["../domain", "../property"].some((path) => existsSync(`${folder(path)}/${test}`)))
    ).toBe(true)
  })
})
