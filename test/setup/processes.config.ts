import { defineConfig } from "vitest/config"
import suite from "../vitest.config.ts"
import { processes } from "./processes.ts"

export default defineConfig({
  ...suite,
  test: { ...suite.test, include: [...processes], exclude: ["node_modules/**"] }
})
