import { defineConfig } from "vitest/config"
import { everything, shared } from "./shared.ts"

/**
 * The files of `npm test` and of `npm run test:processes`: for single ones, and for other releases
 * of Node and PostgreSQL.
 */
export default defineConfig({ ...shared, test: { ...shared.test, ...everything } })
