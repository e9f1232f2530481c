/**
 * What all runs of the tests have in common but for the files: each configuration names its own, so
 * that none loses one because another leaves it out.
 */
import { fileURLToPath } from "node:url"
import type { ViteUserConfig } from "vitest/config"
import { LongestFirst } from "./LongestFirst.ts"
import { fromSources } from "../sources.ts"

/**
 * Every test file, without those that need a container or a build of another's program, and those
 * that `npm run check` runs.
 */
export const everything = {
  include: ["test/**/*.test.ts"],
  exclude: [
    "node_modules/**",
    "test/smsc/**",
    "test/poolers/**",
    "test/hosts/shop/**",
    "test/architecture/**",
    "test/documents/{types,package}.test.ts",
    "test/api/printed-*.test.ts"
  ]
}

export const shared = {
  ...fromSources,
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  test: {
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
} satisfies ViteUserConfig
