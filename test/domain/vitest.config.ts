import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { fromSources } from "../setup/sources.ts"

// The domain's unit tests and the property tests alone: quick, no database.
export default defineConfig({
  ...fromSources,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/{domain,property}/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 1,
    isolate: false
  }
})
