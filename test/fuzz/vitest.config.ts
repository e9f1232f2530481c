import { defineConfig } from "vitest/config"
import shared from "../vitest.config.ts"

/** For `npm run test:fuzz` alone: the test of `npm test`, for as long as it is set. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/fuzz/fuzz.test.ts"],
    globalSetup: ["test/setup/databases/pglite.ts", "test/setup/databases/postgres.ts"],
    testTimeout: 2 ** 31 - 1
  }
})
