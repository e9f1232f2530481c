import { defineConfig } from "vitest/config"
import suite from "../../vitest.config.ts"

export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    include: ["test/console/screenshots/screenshots.ts"],
    exclude: ["node_modules/**"],
    globalSetup: []
  }
})
