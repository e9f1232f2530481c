import { defineConfig } from "vitest/config"
import { shared } from "../../setup/suites/shared.ts"

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/console/screenshots/screenshots.ts"],
    globalSetup: []
  }
})
