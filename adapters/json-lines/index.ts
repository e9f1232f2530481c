/**
 * JSON files that people write, with the line of each mistake in them.
 */
export * as JsonLines from "./JsonLines.ts"
