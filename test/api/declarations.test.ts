/**
 * The package has the declarations that an entry point leads to, and no others.
 */
import { expect, it } from "vitest"
import { reachedFrom } from "../../adapters/cli/build/compiled.mjs"

const files: Record<string, string> = {
  "src/index.d.ts":
    'export * as Plan from "./domain/Plan.ts";\nimport "./Global.js";\nimport { Effect } from "effect";',
  "src/Global.d.ts": "declare global {}",
  "src/domain/Plan.d.ts": 'export declare const of: () => import("../../adapters/rows/Rows.ts").Rows;',
  "adapters/rows/Rows.d.ts": 'export type { Rows } from "./Types.d.ts";',
  "adapters/rows/Types.d.ts": 'import type { Plan } from "../../src/domain/Plan.ts";',
  "src/domain/Sql.d.ts": 'export * from "./Plan.ts";'
}

const read = (name: string): string => {
  const text = files[name]
  if (text === undefined) throw new Error(`no ${name}`)
  return text
}

it("follows re-exports, imports for effects, and types that the compiler imports in place", () => {
  expect([...reachedFrom(["src/index.d.ts"], read)].sort()).toEqual(
    Object.keys(files)
      .filter((name) => name !== "src/domain/Sql.d.ts")
      .sort()
  )
})

it("fails where an entry point has no declaration", () => {
  expect(() => reachedFrom(["src/none.d.ts"], read)).toThrow("no src/none.d.ts")
})
