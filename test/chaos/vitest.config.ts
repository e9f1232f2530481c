import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:chaos` alone. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: ["test/setup/copy.ts"],
    include: ["test/chaos/*.long.ts"],
    testTimeout: 2 ** 31 - 1
  }
})
