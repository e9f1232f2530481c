import { defineConfig } from "vitest/config"
import suite from "../vitest.config.ts"

/** For `npm run test:smsc` alone. */
export default defineConfig({
  ...suite,
  test: { ...suite.test, globalSetup: [], include: ["test/smsc/**/*.test.ts"], exclude: ["node_modules/**"] }
})
