import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// For `npm run check:imports`: the import rules alone, without a database.
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/architecture/**/*.test.ts"], pool: "forks" }
})
