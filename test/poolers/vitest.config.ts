import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:poolers` alone. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: ["test/setup/databases/postgres.ts", "test/setup/copy.ts"],
    include: ["test/poolers/**/*.test.ts"]
  }
})
