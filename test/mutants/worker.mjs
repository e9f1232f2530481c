// Runs the tests of a copy of the repository against one fault after the other: asked by run.mjs
// for a file's text, it answers with the first test that fails. One vitest serves all of them, so
// that only what was changed is read anew.
import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { createVitest } from "vitest/node"

const root = process.cwd()

/** Of the present run. */
const failures = []

const nameOf = ({ moduleId }) => basename(moduleId, ".test.ts")

const reporter = {
  onTestCaseResult(test) {
    if (test.result().state === "failed") failures.push(`${nameOf(test.module)}: ${test.fullName}`)
  },
  onTestModuleEnd(module) {
    if (module.errors().length > 0) failures.push(`${nameOf(module)} cannot be loaded`)
  }
}

const options = { root, config: "test/mutants/vitest.config.ts", watch: false, reporters: [reporter] }

/** The cache is the copy's own: its dependencies are not. */
const vitest = await createVitest("test", options, { cacheDir: join(root, ".vite") })

const suites = {
  property: await vitest.globTestSpecifications(["test/property/", "test/histories/"]),
  domain: await vitest.globTestSpecifications(["test/domain/"]),
  operation: await vitest.globTestSpecifications([
    ...["api-key", "correction", "problem", "process", "version"].map((name) => `test/domain/${name}.test.ts`),
    "test/scenarios/operation/",
    "test/conformance/memory.test.ts"
  ]),
  polls: await vitest.globTestSpecifications(["test/telco-calls/polls.test.ts"]),
  "sign-in": await vitest.globTestSpecifications(
    ["sign-in", "sessions"].map((name) => `test/http/management/${name}.test.ts`)
  )
}

const write = (path, text) => {
  writeFileSync(path, text)
  vitest.invalidateFile(path)
}

/** The first test that fails; null where none does. */
const failing = async (suite) => {
  failures.length = 0
  const { unhandledErrors } = await vitest.runTestSpecifications(suites[suite], true)
  return failures[0] ?? (unhandledErrors.length > 0 ? "an error that nobody handles" : null)
}

process.on("message", async ({ file, suite, text }) => {
  const path = join(root, file)
  const right = readFileSync(path, "utf8")
  write(path, text)
  const by = await failing(suite)
  write(path, right)
  process.send({ by })
})
process.on("disconnect", () => process.exit(0))
process.send({ ready: true })
