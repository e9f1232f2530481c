import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { fromSources } from "../setup/sources.ts"

// The domain's unit tests and the property tests alone, but for the slow ones: quick, no database.
export default defineConfig({
  ...fromSources,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/{domain,property}/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/property/{deep,planted,storages*}.test.ts"],
    pool: "forks",
    maxWorkers: 1,
    isolate: false
  }
})
