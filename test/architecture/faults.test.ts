/**
 * The faults that `npm run test:mutants` plants: each one's text stands in its file exactly once. A rename that forgets a
 * fault fails here, rather than in a run of many minutes.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import type { Fault } from "../mutants/faults/Fault.ts"
import { faults } from "../mutants/faults/index.ts"

const textOf = ({ file, folder }: Fault): string => {
  const path = fileURLToPath(new URL(`../../${folder}/${file}`, import.meta.url))
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

it("Each planted fault has its text in its file, once", () => {
  expect(faults.length).toBeGreaterThan(100)
  const misplaced = faults.filter((fault) => textOf(fault).split(fault.right).length !== 2)
  expect(misplaced.map(({ file, right }) => `${file}: ${right}`)).toEqual([])
})
