import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { fromSources } from "../setup/sources.ts"

// For `npm run check:documents`: the types of the blocks of code in documents, the links of the
// package, and what is printed.
export default defineConfig({
  ...fromSources,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/documents/{types,package,tables}.test.ts", "test/api/printed-*.test.ts"],
    pool: "forks",
    testTimeout: 60_000
  }
})
