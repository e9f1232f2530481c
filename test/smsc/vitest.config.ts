import { defineConfig } from "vitest/config"
import { shared } from "../setup/suites/shared.ts"

/** For `npm run test:smsc` alone. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, globalSetup: [], include: ["test/smsc/**/*.test.ts"] }
})
