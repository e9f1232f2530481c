import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:fuzz` alone: the test of `test:processes`, for as long as it is set. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/fuzz/fuzz.test.ts"],
    globalSetup: [
      "test/setup/databases/memory.ts",
      "test/setup/databases/pglite.ts",
      "test/setup/databases/postgres.ts"
    ],
    testTimeout: 2 ** 31 - 1
  }
})
