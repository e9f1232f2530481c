import { defineConfig } from "vitest/config"
import { processes } from "./setup/suites/processes.ts"
import { everything, shared } from "./setup/suites/shared.ts"

export default defineConfig({
  ...shared,
  test: { ...shared.test, ...everything, exclude: [...everything.exclude, ...processes] }
})
