import { defineConfig } from "vitest/config"
import shared from "../vitest.config.ts"

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
