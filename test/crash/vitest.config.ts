import { defineConfig } from "vitest/config"
import suite from "../vitest.config.ts"

// For `npm run test:crash`: a server that is killed again and again takes longer than the rest of the suite may.
export default defineConfig({
  ...suite,
  test: { ...suite.test, include: ["test/crash/**/*.test.ts"], exclude: ["node_modules/**"] }
})
