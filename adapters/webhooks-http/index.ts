/**
 * Webhooks over HTTP: the sender, and for receivers the check of its signatures.
 */
export * as Addresses from "./Addresses.ts"
export { checkUrl } from "./Addresses.ts"
export * as HttpSender from "./HttpSender.ts"
export * as Signature from "./Signature.ts"
