import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { fromSources } from "../setup/sources.ts"

// The domain's unit tests and the property tests alone, but for those on a server: no database, and so no global set-up.
export default defineConfig({
  ...fromSources,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/{domain,property}/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/property/*-postgres.test.ts"],
    pool: "forks",
    maxWorkers: 1,
    isolate: false
  }
})
