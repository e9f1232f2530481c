import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Documents from "../documents/Documents.ts"
import { cycles, loadedWith, manifestOf, roomCycles, type SourceFile, strayEntries, violations } from "./rules.ts"

const readFiles = (...folders: ReadonlyArray<string>): ReadonlyArray<SourceFile> =>
  Documents.below(folders, /\.[mc]?tsx?$/).map((path) => ({ path, text: Documents.read(path) }))

// Read once, so that each is parsed once.
const all = readFiles("src", "adapters")
const examples = readFiles("examples")

/** Parsing all files takes some seconds, and many times that on a machine that does much else. */
const PARSING = 60_000

const tracked = (): ReadonlyArray<string> => {
  try {
    return execFileSync("git", ["ls-files"], { cwd: Documents.root, encoding: "utf8", stdio: "pipe" })
      .trim()
      .split("\n")
  } catch {
    // An unpacked archive instead of a clone.
    return readdirSync(Documents.root).filter((name) => !["node_modules", "dist", "coverage"].includes(name))
  }
}

const manifest = manifestOf(Documents.read("package.json"))

describe("the repository", () => {
  it("keeps the import rules", { timeout: PARSING }, () => {
    expect(all.filter(({ path }) => path.startsWith("src/")).length).toBeGreaterThan(0)
    expect(violations([...all, ...examples], manifest)).toEqual([])
  })

  it("has no circles of imports, types included", { timeout: PARSING }, () => {
    expect(cycles(all, manifest)).toEqual([])
  })

  it("has no circles of imports among folders beside each other", { timeout: PARSING }, () => {
    expect(roomCycles(all, manifest)).toEqual([])
  })

  it("holds nothing else at its top level", () => {
    expect(strayEntries(tracked())).toEqual([])
  })
})

describe("the package", () => {
  it("names no file beside a module as bundlers do, which fail where it is missing", () => {
    const named = /new URL\(\s*["'`]\.[^)]*\bimport\.meta\.url/
    expect(named.test('new URL("../.pglite", import.meta.url)')).toBe(true)
    expect(all.filter(({ text }) => named.test(text)).map(({ path }) => path)).toEqual([])
  })

  const isTimeline = (path: string): boolean => path.includes("adapters/timeline/")

  for (const [name, entry] of [...manifest.entries, ["the command line", "adapters/cli/Program.ts"] as const]) {
    it(`loads no drawing with ${name}`, { timeout: PARSING }, () => {
      const { dynamic, files: loaded } = loadedWith(entry, all, manifest)
      expect([...loaded].filter(isTimeline)).toEqual([])
      expect([...dynamic].filter(isTimeline)).toEqual(
        entry === "adapters/cli/Program.ts" ? ["adapters/cli/commands/Simulate.ts -> adapters/timeline/index.ts"] : []
      )
    })
  }

  it("loads no server, embedded database or telco with the command line until a command needs it", {
    timeout: PARSING
  }, () => {
    const { files: loaded } = loadedWith("adapters/cli/Program.ts", all, manifest)
    const isOfServers =
      /^adapters\/(?:cli\/server\/Server|cli\/server\/Stores|http\/index|pglite\/|telco-\w+\/|catalogue\/)/
    expect([...loaded].filter((path) => isOfServers.test(path))).toEqual([])
  })

  it("loads no embedded database with the server until one is opened", { timeout: PARSING }, () => {
    const { dynamic, files: loaded } = loadedWith("adapters/cli/server/Server.ts", all, manifest)
    expect([...loaded].filter((path) => path.startsWith("adapters/pglite/"))).toEqual([])
    expect([...dynamic]).toContain("adapters/cli/server/Stores.ts -> adapters/pglite/index.ts")
  })

  it("loads no storage, server or data with simplan/promise", { timeout: PARSING }, () => {
    const { files: loaded } = loadedWith("adapters/promise/index.ts", all, manifest)
    const folders = new Set(
      [...loaded].map((path) =>
        path
          .split("/")
          .slice(0, path.startsWith("src/") ? 1 : 2)
          .join("/")
      )
    )
    expect([...folders].toSorted()).toEqual(["adapters/fields", "adapters/operations", "adapters/promise", "src"])
  })

  it("is followed through all that an entry imports", () => {
    const { files: loaded } = loadedWith("adapters/cli/Program.ts", all, manifest)
    expect([...loaded]).toEqual(expect.arrayContaining(["adapters/postgres/index.ts", "src/domain/Plan.ts"]))
  })
})

const of = (path: string, text: string): ReadonlyArray<string> => violations([{ path, text }], manifest)

describe("the import rules find", () => {
  const planted: ReadonlyArray<readonly [rule: string, path: string, text: string]> = [
    ["domain importing a port", "src/domain/A.ts", 'import type { Storage } from "../ports/Storage.ts"'],
    ["ports importing a use case", "src/ports/A.ts", 'export * from "../app/Plans.ts"'],
    ["app importing testing", "src/app/A.ts", 'const a = await import("../testing/index.ts")'],
    ["the index importing testing", "src/index.ts", 'export * as Testing from "./testing/index.ts"'],
    ["a layer importing the index", "src/domain/A.ts", 'import { Plan } from "../index.ts"'],
    ["a folder of no layer", "src/util/A.ts", 'import { Option } from "effect"'],
    ["the core importing an adapter", "src/app/A.ts", 'import { layer } from "../../adapters/memory/index.ts"'],
    ["the core importing itself by name", "src/app/A.ts", 'import { Plan } from "simplan"'],
    ["a node module in the core", "src/app/A.ts", 'import { readFileSync } from "node:fs"'],
    ["a node module in a type", "src/app/A.ts", 'export type A = import("node:fs").Stats'],
    ["a platform module in the core", "src/app/A.ts", 'import { HttpClient } from "effect/http"'],
    ["a library in the core", "src/domain/A.ts", 'import { v5 } from "uuid"'],
    ["fast-check outside testing", "src/app/A.ts", 'import * as fc from "fast-check"'],
    ["a computed import in the core", "src/app/A.ts", "export const load = (name: string) => import(name)"],
    ["Effect in the domain", "src/domain/A.ts", 'import { Effect } from "effect"'],
    ["Effect as a type in the domain", "src/domain/A.ts", 'import { Option, type Effect as E } from "effect"'],
    ["Effect's module in the domain", "src/domain/A.ts", 'import * as Effect from "effect/Effect"'],
    ["all of effect in the domain", "src/domain/A.ts", 'import * as E from "effect"'],
    ["Effect in a type of the domain", "src/domain/A.ts", 'export type A = import("effect").Effect.Effect<void>'],
    ["Date.now", "src/domain/A.ts", "export const now = () => Date.now()"],
    ["new Date()", "src/app/A.ts", "export const now = () => new Date()"],
    ["Date()", "src/app/A.ts", "export const now = () => Date()"],
    ["Math.random", "src/ports/A.ts", 'export const random = Math["random"]'],
    ["performance.now", "src/app/A.ts", "export const now = () => performance.now()"],
    ["DateTime.nowUnsafe", "src/domain/A.ts", "export const now = () => DateTime.nowUnsafe()"],
    ["setTimeout", "src/app/A.ts", "setTimeout(() => {}, 1)"],
    ["setInterval", "src/app/A.ts", "globalThis.setInterval(() => {}, 1)"],
    ["an adapter reaching into the core", "adapters/memory/A.ts", 'import { Plan } from "../../src/domain/Plan.ts"'],
    ["an adapter with the core's index", "adapters/memory/A.ts", 'import { Plan } from "../../src/index.ts"'],
    ["an adapter importing a sibling", "adapters/memory/A.ts", 'import { layer } from "../catalogue/index.ts"'],
    ["an adapter importing a sibling by name", "adapters/memory/A.ts", 'import { layer } from "simplan/catalogue"'],
    ["postgres importing pglite", "adapters/postgres/A.ts", 'import { layer } from "simplan/pglite"'],
    ["rows importing memory", "adapters/rows/A.ts", 'import { layer } from "../memory/index.ts"'],
    ["memory reaching into rows", "adapters/memory/A.ts", 'import { write } from "../rows/Writes.ts"'],
    ["another storage using rows", "adapters/postgres/A.ts", 'import { Rows } from "simplan/rows"'],
    ["a root reaching into a sibling", "adapters/http/A.ts", 'import { rows } from "../memory/Rows.ts"'],
    ["an adapter importing no entry point", "adapters/memory/A.ts", 'import { Plan } from "simplan/domain"'],
    [
      "an adapter importing all of the platform",
      "adapters/http/A.ts",
      'import { NodePath } from "@effect/platform-node"'
    ],
    ["an adapter importing a tool", "adapters/memory/A.ts", 'import { it } from "vitest"'],
    ["an adapter importing what is in a page", "adapters/http/A.ts", 'import { render } from "preact"'],
    ["a file in no adapter", "adapters/A.ts", 'import { Plan } from "simplan"'],
    ["an example reaching into the core", "examples/a.ts", 'import { Plan } from "../src/index.ts"'],
    ["an example importing no entry point", "examples/a.ts", 'import { Plan } from "simplan/app"']
  ]

  for (const [rule, path, text] of planted) {
    it(rule, () => {
      expect(of(path, text)).toHaveLength(1)
    })
  }
})

describe("the import rules allow", () => {
  const fine: ReadonlyArray<readonly [rule: string, path: string, text: string]> = [
    ["a layer importing those before it", "src/app/A.ts", 'import "../domain/A.ts"\nimport "../ports/A.ts"'],
    ["testing importing the index", "src/testing/A.ts", 'import "../index.ts"\nimport * as fc from "fast-check"'],
    ["a pure module in the domain", "src/domain/A.ts", 'import { Option, Result } from "effect"'],
    ["Effect in a port", "src/ports/A.ts", 'import { Context, type Effect } from "effect"'],
    ["an instant given as a number", "src/domain/A.ts", "export const a = (at: number) => new Date(at).toISOString()"],
    ["a comment and a string", "src/domain/A.ts", '// Date.now()\nexport const a = "setTimeout, import from node:fs"'],
    ["an adapter using the core as a stranger", "adapters/memory/A.ts", 'import { Plan } from "simplan"'],
    ["an adapter using its own files", "adapters/memory/a/A.ts", 'import { rows } from "../Rows.ts"'],
    ["an adapter using node and platform modules", "adapters/http/A.ts", 'import "node:fs"\nimport "effect/sql"'],
    ["a telco using what telcos share", "adapters/telco-ocs/A.ts", 'import { Journal } from "../telco-calls/index.ts"'],
    [
      "the OCS using the reader of long lists",
      "adapters/telco-ocs/A.ts",
      'import { JsonElements } from "../fields/index.ts"'
    ],
    ["the console using what is in its page", "adapters/console/A.tsx", 'import { useState } from "preact/hooks"'],
    ["memory using rows", "adapters/memory/A.ts", 'import { Rows } from "../rows/index.ts"'],
    ["pglite using postgres", "adapters/pglite/A.ts", 'import { queries } from "../postgres/Queries.ts"'],
    ["a root using siblings", "adapters/cli/A.ts", 'import "simplan/memory"\nimport "../http/index.ts"'],
    [
      "the simulation joining the testing kit",
      "adapters/simulation/index.ts",
      'export * from "../../src/testing/index.ts"'
    ],
    ["an example using the entry points", "examples/a.ts", 'import { Plan } from "simplan"\nimport "simplan/memory"']
  ]

  for (const [rule, path, text] of fine) {
    it(rule, () => {
      expect(of(path, text)).toEqual([])
    })
  }
})

describe("the circles found", () => {
  const planted = (...imports: ReadonlyArray<readonly [path: string, text: string]>) =>
    cycles(
      imports.map(([path, text]) => ({ path, text })),
      manifest
    )

  it("are those of values, of types and of type expressions", () => {
    const back = ["src/domain/B.ts", 'export * from "./A.ts"'] as const
    for (const text of [
      'import { b } from "./B.ts"',
      'import type { B } from "./B.ts"',
      'import { type B } from "./B.ts"',
      'export type B = import("./B.ts").B',
      'export const load = () => import("./B.ts")'
    ]) {
      expect(planted(["src/domain/A.ts", text], back)).toEqual(["src/domain/A.ts, src/domain/B.ts"])
    }
  })

  it("may be long, cross folders and lead through an entry point", () => {
    expect(
      planted(
        ["adapters/http/A.ts", 'import "./handlers/B.ts"'],
        ["adapters/http/handlers/B.ts", 'import "simplan/memory"'],
        ["adapters/memory/index.ts", 'import "../http/A.ts"'],
        ["adapters/memory/Other.ts", 'import "./index.ts"']
      )
    ).toEqual(["adapters/http/A.ts, adapters/http/handlers/B.ts, adapters/memory/index.ts"])
  })

  it("may be of one file, and several at once", () => {
    expect(
      planted(
        ["src/app/A.ts", 'import "./A.ts"'],
        ["src/app/B.ts", 'import "./A.ts"\nimport "./C.ts"'],
        ["src/app/C.ts", 'import "./D.ts"'],
        ["src/app/D.ts", 'import "./C.ts"']
      )
    ).toEqual(["src/app/A.ts", "src/app/C.ts, src/app/D.ts"])
  })

  it("are none where two files lead to a third, by two ways", () => {
    expect(
      planted(
        ["src/app/A.ts", 'import "./B.ts"\nimport "./C.ts"'],
        ["src/app/B.ts", 'import "./D.ts"'],
        ["src/app/C.ts", 'import "./B.ts"\nimport "./D.ts"'],
        ["src/app/D.ts", ""]
      )
    ).toEqual([])
  })
})

describe("the circles of folders found", () => {
  const planted = (...imports: ReadonlyArray<readonly [path: string, text: string]>) =>
    roomCycles(
      imports.map(([path, text]) => ({ path, text })),
      manifest
    )

  it("are folders beside each other, with all that is below them", () => {
    const there = ["src/app/sims/A.ts", 'import type { B } from "../plans/B.ts"'] as const
    const other = ["src/app/sims/C.ts", ""] as const
    const back = ["src/app/plans/deep/D.ts", 'import "../../sims/C.ts"'] as const
    const target = ["src/app/plans/B.ts", ""] as const
    expect(planted(there, other, target, back)).toEqual(["src/app/plans, src/app/sims"])
    expect(planted(there, other, target)).toEqual([])
  })

  it("may lead through a third one", () => {
    expect(
      planted(
        ["src/app/sims/A.ts", 'import "../plans/B.ts"'],
        ["src/app/plans/B.ts", ""],
        ["src/app/plans/C.ts", 'import "../jobs/D.ts"'],
        ["src/app/jobs/D.ts", 'import "../sims/E.ts"'],
        ["src/app/sims/E.ts", ""]
      )
    ).toEqual(["src/app/jobs, src/app/plans, src/app/sims"])
  })

  it("are none where one is above the other", () => {
    expect(
      planted(
        ["src/app/A.ts", 'import "./plans/B.ts"'],
        ["src/app/plans/B.ts", 'import "../C.ts"'],
        ["src/app/C.ts", ""]
      )
    ).toEqual([])
  })
})

describe("the top level", () => {
  it("takes only the entries that belong there", () => {
    expect(strayEntries(["src/index.ts", ".ci/run", "README.md", "docs/a.md", "vitest.config.ts"])).toEqual([
      "docs",
      "vitest.config.ts"
    ])
  })
})
