/**
 * How the tests run against a faulty domain: the property tests, or the unit tests, in the order in
 * which they are likely to find the fault in the shortest time, and no further than the first that
 * does. What operators see, API keys, the sign-in and polls have tests of their own.
 *
 * Left out are the random histories that say nothing of the domain: those that compare storages or
 * fast paths with each other, those that look for faults of their own, and those about mistakes in
 * the use of the simulation.
 */
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { fromSources } from "../setup/sources.ts"

/** Those that simulate a whole service take longest. */
const last = ["invariants", "arbitraries.property", "timing-model.property", "regressions", "problems", "histories"]

const rank = ({ moduleId }: TestSpecification): number => last.indexOf(basename(moduleId, ".test.ts"))

class Quickest extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const named = files.toSorted((left, right) => (left.moduleId < right.moduleId ? -1 : 1))
    return named.toSorted((left, right) => rank(left) - rank(right))
  }
}

const others = ["storages*", "planted*", "deep*", "misuse*", "fast-paths*"]

export default defineConfig({
  ...fromSources,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: [
      "test/{domain,property,histories}/**/*.test.ts",
      "test/scenarios/operation/{key-uses,processes}.test.ts",
      "test/http/management/{sessions,sign-in}.test.ts",
      "test/conformance/memory.test.ts",
      "test/telco-calls/polls.test.ts"
    ],
    exclude: [...configDefaults.exclude, ...others.map((name) => `test/histories/${name}.test.ts`)],
    setupFiles: ["test/mutants/setup.ts"],
    sequence: { sequencer: Quickest },
    testTimeout: 60_000,
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    bail: 1
  }
})
