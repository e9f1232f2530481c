/** The values that examples share, those of events too. */
export * from "../domain/Samples.ts"
