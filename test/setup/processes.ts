/**
 * The tests that start whole servers as processes, again and again. They take as long as all others together, so that
 * `npm run test:processes` runs them, and `npm test` does not.
 */
export const processes: ReadonlyArray<string> = [
  "test/cli/clocks.test.ts",
  "test/cli/operation.test.ts",
  "test/cli/serve.test.ts",
  "test/cli/telco.test.ts",
  "test/conformance/pglite-directory.test.ts",
  "test/faults/short.test.ts"
]
