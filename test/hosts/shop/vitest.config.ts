import { defineConfig } from "vitest/config"
import { shared } from "../../setup/suites/shared.ts"

/** For the case `shop` of `npm run test:hosts` alone, which says where the shop is installed. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: ["test/setup/databases/memory.ts", "test/setup/databases/postgres.ts"],
    include: ["test/hosts/shop/**/*.test.ts"],
    testTimeout: 900_000
  }
})
