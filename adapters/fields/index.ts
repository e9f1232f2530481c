/**
 * The fields of requests and of settings: their schemas, messages about wrong ones, and the codes
 * of errors and reasons. Shared by the ways in: HTTP, Promises and the command line; the reader of
 * long lists by the OCS too.
 */
export * as Codes from "./Codes.ts"
export * as Csv from "./Csv.ts"
export * as CsvText from "./CsvText.ts"
export * as Fields from "./Fields.ts"
export * as JsonElements from "./JsonElements.ts"
export * as Messages from "./Messages.ts"
export * as QrCode from "./QrCode.ts"
export * as TimeSpan from "./TimeSpan.ts"
