import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// The domain's unit and property tests alone: they need no database, and so no global set-up.
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/{domain,property}/**/*.test.ts"], pool: "forks", maxWorkers: 1, isolate: false }
})
