import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:soak` alone. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/soak/*.long.ts"],
    globalSetup: ["test/setup/copy.ts"],
    testTimeout: 2 ** 31 - 1
  }
})
