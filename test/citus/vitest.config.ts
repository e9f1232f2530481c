import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:citus` alone. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: [],
    include: ["test/citus/*.long.ts"],
    fileParallelism: false,
    silent: false,
    testTimeout: 600_000,
    hookTimeout: 300_000
  }
})
