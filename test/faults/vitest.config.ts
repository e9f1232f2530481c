import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/**
 * For `npm run test:faults` and `npm run test:crash`, which take longer than the rest of the suite
 * may.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/faults/**/*.long.ts"],
    testTimeout: 2 ** 31 - 1
  }
})
