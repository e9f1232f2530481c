/**
 * The faults that `npm run test:mutants` plants: each one's text stands in its file exactly once. A
 * rename that forgets a fault fails here, rather than in a run of many minutes.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import type { Fault } from "../mutants/faults/Fault.ts"
import { faults, list } from "../mutants/faults/index.ts"

const textOf = ({ file, folder }: Fault): string => {
  const path = fileURLToPath(new URL(`../../${folder}/${file}`, import.meta.url))
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

it("Each planted fault has its text in its file, once", () => {
  expect(faults.length).toBeGreaterThan(100)
  const misplaced = faults.filter((fault) => textOf(fault).split(fault.right).length !== 2)
  expect(misplaced.map(({ file, right }) => `${file}: ${right}`)).toEqual([])
})

it("The list of the engine's faults keeps everything when the runs that found them are written down", () => {
  const text = readFileSync(list.path, "utf8")
  const hints = new Map(faults.map(({ hint, name }) => [name, hint ?? undefined]))
  expect(list.hinted(text, (name) => hints.get(name))).toBe(text)
  const fresh = list.hinted(text, () => "plan 99")
  expect(fresh.replaceAll(/\n {2}@ .*/g, "")).toBe(text.replaceAll(/\n {2}@ .*/g, ""))
  expect(fresh.match(/^ {2}@ plan 99$/gm)).toHaveLength(faults.filter(({ area }) => area === "engine").length)
})
