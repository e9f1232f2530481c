import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./setup/LongestFirst.ts"
import { processes } from "./setup/processes.ts"
import { fromSources } from "./setup/sources.ts"

export default defineConfig({
  ...fromSources,
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    // What `npm run check` runs is left to it.
    exclude: [
      "test/smsc/**",
      "test/poolers/**",
      "test/architecture/**",
      "test/documents/{types,package}.test.ts",
      ...processes
    ],
    globalSetup: [
      "test/setup/databases/memory.ts",
      "test/setup/databases/pglite.ts",
      "test/setup/databases/postgres.ts",
      "test/setup/copy.ts"
    ],
    setupFiles: ["test/setup/output.ts"],
    pool: "forks",
    // The files of one worker share their modules: loading them anew for each file took a quarter
    // of the run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // One more than the two cores that there are at least: tests wait a fifth of their time.
    maxWorkers: 3,
    // What the code logs is shown of a test that fails: that the telco fails is logged ten thousand
    // times in all.
    silent: "passed-only",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // What is waited for comes soon, but a slow machine may take long.
    expect: { poll: { timeout: 20_000, interval: 20 } }
  }
})
