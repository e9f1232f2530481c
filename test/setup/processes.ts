/**
 * The tests that take as long as all others together: those that start servers, browsers or workers as processes again
 * and again, and those that ask or play a service very often. `npm run test:processes` runs them, `npm test` does not.
 */
export const processes: ReadonlyArray<string> = [
  "test/cli/server/clocks.test.ts",
  "test/cli/server/operation.test.ts",
  "test/cli/server/serve.test.ts",
  "test/cli/telco.test.ts",
  "test/conformance/pglite/pglite-directory.test.ts",
  "test/conformance/postgres/postgres-partitioned.test.ts",
  "test/conformance/postgres/connections/postgres-pool-suite.test.ts",
  "test/conformance/postgres/connections/postgres-pool.test.ts",
  "test/conformance/postgres/connections/postgres-start.test.ts",
  "test/documents/commands.test.ts",
  "test/faults/short.test.ts",
  "test/http/documents-page.test.ts",
  "test/http/security/memory.test.ts",
  "test/http/security/file-limit.test.ts",
  "test/http/security/unread-memory.test.ts",
  "test/hostile/planted.test.ts",
  "test/playground/page.test.ts",
  "test/playground/playground.test.ts",
  "test/histories/deep.test.ts",
  "test/histories/planted.test.ts",
  "test/histories/storages.test.ts",
  "test/telco-ocs/simulation/boundaries.test.ts",
  "test/telco-routes/serve.test.ts"
]
