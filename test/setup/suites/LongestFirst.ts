/**
 * The order of the test files. Those that take longest begin, so that none of them is left over for
 * one worker at the end. Where vitest knows from an earlier run how long each file takes it does so
 * itself; a fresh clone knows nothing.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const longest = [
  "test/cli/server/first-start.test.ts",
  "test/http/security/memory.test.ts",
  "test/soak/soak.test.ts",
  "test/faults/short.test.ts",
  "test/playground/playground.test.ts",
  "test/cluster/cluster.test.ts",
  "test/cli/server/full-disk.test.ts",
  "test/conformance/pglite.test.ts",
  "test/histories/histories.test.ts",
  "test/conformance/postgres.test.ts",
  "test/conformance/postgres/connections/postgres-start.test.ts",
  "test/conformance/postgres/postgres-lineage.test.ts",
  "test/conformance/postgres/postgres-reads.test.ts",
  "test/histories/storages.test.ts",
  "test/conformance/suite.test.ts"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}`))
  return place === -1 ? longest.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => rank(left) - rank(right))
  }
}
