/**
 * A copy of the package in another directory, built there by the package's build. Server processes
 * of tests run from it, so that the tests neither write `dist/` in the checkout nor depend on
 * changes there. Types are not checked: that takes most of a build, and `npm run check` does it.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import * as Plain from "../setup/plain.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

export interface BuiltCopy {
  readonly directory: string
  readonly main: string
  readonly remove: () => void
}

const withoutTypes = (directory: string): void => {
  const file = join(directory, "adapters/cli/build/tsconfig.json")
  const { compilerOptions, ...rest } = JSON.parse(readFileSync(file, "utf8"))
  const quick = { ...compilerOptions, noCheck: true, declaration: false, declarationMap: false }
  writeFileSync(file, JSON.stringify({ ...rest, compilerOptions: quick }))
}

const fill = (directory: string): string => {
  for (const name of ["package.json", "package-lock.json", "tsconfig.json", "src", "adapters", ".pglite"]) {
    cpSync(join(root, name), join(directory, name), { recursive: true })
  }
  Plain.applyTo(directory)
  withoutTypes(directory)
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"), "dir")
  const build = spawnSync(process.execPath, [join(directory, "adapters/cli/build/build.mjs")], { encoding: "utf8" })
  if (build.status !== 0) throw new Error(`The copy does not build:\n${build.stdout}${build.stderr}`)
  return join(directory, "dist/adapters/cli/main.js")
}

/** Copies and builds the package; throws the messages of the compiler. */
export const make = (): BuiltCopy => {
  const directory = mkdtempSync(join(tmpdir(), "simplan-built-"))
  return { directory, main: fill(directory), remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/**
 * The copy that all tests of a run share, for tests that do not change it. The first caller builds
 * it.
 */
export const shared = async (): Promise<Pick<BuiltCopy, "main">> => {
  const directory = inject("sharedCopy")
  const [copy, built, failed] = [join(directory, "copy"), join(directory, "built"), join(directory, "failed")]
  if (!isFirst(copy)) {
    while (!existsSync(built)) {
      if (existsSync(failed)) throw new Error("The copy does not build; the first test to ask for it says why")
      await sleep(100)
    }
    return { main: join(copy, "dist/adapters/cli/main.js") }
  }
  let outcome = failed
  try {
    const main = fill(copy)
    outcome = built
    return { main }
  } finally {
    writeFileSync(outcome, "")
  }
}

const isFirst = (directory: string): boolean => {
  try {
    mkdirSync(directory)
    return true
  } catch {
    return false
  }
}
