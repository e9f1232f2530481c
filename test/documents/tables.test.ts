/**
 * What the documents list is what there is: options, transactions of clients, bounds, entry points,
 * scripts. Other tables are printed (`test/api/printed-tables.test.ts`).
 */
import { describe, expect, it } from "vitest"
import * as Documents from "./Documents.ts"

/** A part of a document, from its heading to the next one of any level. */
const section = (path: string, heading: string): string => {
  const [, text = ""] = `\n${Documents.read(path)}`.split(`\n${heading}\n`)
  return text.split(/^#/m)[0] ?? ""
}

/** The names in the first column of tables. */
const rows = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^\| (`.*?) \|/gm), ([, cell = ""]) => cell).flatMap((cell) =>
    Array.from(cell.matchAll(/`(.+?)`/g), ([, name = ""]) => name)
  )

/** The fields of an interface in a source. */
const fields = (path: string, name: string): ReadonlyArray<string> => {
  const [, body = ""] =
    new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, "ms").exec(Documents.read(path)) ?? []
  return Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, field = ""]) => field)
}

describe("The documents list all", () => {
  it("options of createSimplan", () => {
    const listed = rows(section("examples/README.md", "## Options"))
    expect(listed.toSorted()).toEqual(fields("adapters/promise/Options.ts", "Options").toSorted())
  })

  it("options of its HTTP API", () => {
    const listed = rows(section("examples/http.md", "## Options"))
    expect(listed.toSorted()).toEqual(fields("adapters/promise/types/Http.ts", "HttpOptions").toSorted())
  })

  it("clients whose transactions can be joined", () => {
    const clients = Documents.read("adapters/promise/within/Connections.ts").match(/(?<=^export const )from\w+/gm) ?? []
    const listed = section("examples/transactions.md", "## Clients").match(/(?<=\| `)from\w+/g) ?? []
    expect([...listed].toSorted()).toEqual([...clients].toSorted())
  })

  it("how to make the package, with the file that npm packs", () => {
    const { name, version } = JSON.parse(Documents.read("package.json"))
    expect(section("README.md", "## Install")).toContain(`/${name}-${version}.tgz`)
  })

  it("entry points", () => {
    const { exports } = JSON.parse(Documents.read("package.json"))
    const entries = Object.keys(exports).map((name) => name.replace(".", "simplan"))
    const text = Documents.read("adapters/README.md")
    const inside = ["simplan/package.json"]
    expect(entries.filter((entry) => !inside.includes(entry) && !text.includes(`\`${entry}\``))).toEqual([])
  })

  it("entry points, with their declarations, for compilers that know no exports", () => {
    const { exports, typesVersions } = JSON.parse(Documents.read("package.json"))
    const declared = Object.entries<{ readonly types?: string }>(exports).flatMap(([name, { types }]) =>
      name === "." || types === undefined ? [] : [[name.slice(2), [types.slice(2)]]]
    )
    expect(typesVersions).toEqual({ "*": Object.fromEntries(declared) })
  })

  it("the bounds of clients, with the numbers of the sources", () => {
    const text = section("adapters/cli/limits.md", "# Limits")
    const presets: ReadonlyArray<readonly [row: string, path: string, preset: RegExp, unit?: string]> = [
      ["requests under way", "adapters/http/middleware/Concurrency.ts", /defaults: Bounds = \{ requests: (\w+)/],
      ["streamed lists", "adapters/http/middleware/Concurrency.ts", /defaults: Bounds = .* streams: (\w+)/],
      ["bytes of answers", "adapters/http/connections/Connections.ts", /UNREAD_BYTES = (\w+) \* 1_048_576/, " MB"],
      ["connections", "adapters/http/Server.ts", /^const CONNECTIONS = (\w+)/m, ", or"],
      ["connections", "adapters/http/Server.ts", /^const CONNECTIONS_OF_ADDRESS = (\w+)/m],
      ["pieces of requests", "adapters/http/Turns.ts", /^const MOST = (\w+)/m, ", or"],
      ["wrong keys", "adapters/http/middleware/Auth.ts", /failureRate: .*requests: (\w+)/],
      ["keys that are looked up", "adapters/http/middleware/Auth.ts", /^const SLOTS = (\w+)/m],
      ["jobs", "src/app/Settings.ts", /concurrency: (\d+)/],
      ["names of webhooks", "adapters/webhooks-http/Names.ts", /^const ALL = (\w+)/m, ","],
      ["SMS", "src/app/Settings.ts", /smsLimit: \{ messages: (\w+)/]
    ]
    const wrong = presets.filter(([row, path, preset, unit = " |"]) => {
      const [, digits = ""] = preset.exec(Documents.read(path)) ?? []
      const number = Number(digits.replace("_", "")).toLocaleString("en-US")
      const [line = ""] = new RegExp(`^\\| ${row}\\b.*$`, "m").exec(text) ?? []
      return digits === "" || !line.includes(`| ${number}${unit}`)
    })
    expect(wrong).toEqual([])
  })

  it("scripts that test and measure", () => {
    const { scripts } = JSON.parse(Documents.read("package.json"))
    const named = Object.keys(scripts).filter((name) => /^(?:test|bench)/.test(name))
    const text = section("test/README.md", "## What is tested")
    expect(named.filter((name) => !new RegExp(`\`npm (?:run )?${name}(?: --.*)?\``).test(text))).toEqual([])
  })
})
