/**
 * The faults that `npm run test:mutants` plants: each one's text stands in its file exactly once. A rename that forgets a
 * fault fails here, rather than in a run of many minutes.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { faults } from "../mutants/faults/index.ts"

const textOf = (file: string): string => {
  const path = fileURLToPath(new URL(`../../src/domain/${file}`, import.meta.url))
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

it("Each planted fault has its text in its file, once", () => {
  expect(faults.length).toBeGreaterThan(100)
  const misplaced = faults.filter(({ file, right }) => textOf(file).split(right).length !== 2)
  expect(misplaced.map(({ file, right }) => `${file}: ${right}`)).toEqual([])
})
