/**
 * The fields of requests: their schemas, and messages about wrong ones. Shared by the ways in: HTTP and Promises.
 */
export * as Fields from "./Fields.ts"
export * as Messages from "./Messages.ts"
export * as Text from "./Text.ts"
