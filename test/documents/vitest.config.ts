import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// For `npm run check:documents`: the types of the blocks of code in documents, and the links of the package.
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/documents/types.test.ts", "test/documents/package.test.ts"], pool: "forks" }
})
