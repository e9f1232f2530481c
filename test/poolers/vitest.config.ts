import { defineConfig } from "vitest/config"
import suite from "../vitest.config.ts"

/** For `npm run test:poolers` alone. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    globalSetup: ["test/setup/databases/postgres.ts", "test/setup/copy.ts"],
    include: ["test/poolers/**/*.test.ts"],
    exclude: ["node_modules/**"]
  }
})
