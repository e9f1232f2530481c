import { defineConfig } from "vitest/config"
import { fastPathsOff } from "../plain.ts"
import { everything, shared } from "./shared.ts"

export default defineConfig({
  ...shared,
  plugins: [fastPathsOff],
  test: { ...shared.test, ...everything, env: { SIMPLAN_TEST_PLAIN: "true" } }
})
