/**
 * Webhooks over HTTP: the sender, and the verification of signatures for receivers.
 */
export * as Addresses from "./Addresses.ts"
export { checkUrl } from "./Addresses.ts"
export * as HttpSender from "./HttpSender.ts"
export * as Signature from "./Signature.ts"
