import { defineConfig } from "vitest/config"
import suite from "../vitest.config.ts"
import { fastPathsOff } from "./plain.ts"

export default defineConfig({
  ...suite,
  plugins: [fastPathsOff],
  test: { ...suite.test, env: { SIMPLAN_TEST_PLAIN: "true" } }
})
