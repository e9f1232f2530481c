import { defineConfig } from "vitest/config"
import suite from "../vitest.config.ts"

/** For `npm run test:pgbouncer` alone. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    globalSetup: ["test/setup/databases/postgres.ts"],
    include: ["test/pgbouncer/**/*.test.ts"],
    exclude: ["node_modules/**"]
  }
})
