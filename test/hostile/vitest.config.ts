import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:hostile` alone. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/hostile/*.long.ts"],
    globalSetup: ["test/setup/copy.ts"],
    testTimeout: 2 ** 31 - 1
  }
})
