/**
 * Webhooks over HTTP: the sender, and the verification of signatures for receivers.
 */
export * as Destinations from "./Destinations.ts"
export { checkUrl } from "./Destinations.ts"
export * as HttpSender from "./HttpSender.ts"
export * as Proxy from "./Proxy.ts"
export * as Signature from "./Signature.ts"
export { verify } from "./Signature.ts"
