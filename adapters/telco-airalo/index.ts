/**
 * Airalo, a wholesale supplier of eSIMs, by its Partner API, version 2.
 *
 *     Airalo.layer({ clientId, clientSecret })           // the port over HTTP and a journal, and the account
 *     HttpPartnerApi.layer({ clientId, clientSecret })   // the calls alone, by a token, within limits
 */
export * as Airalo from "./Airalo.ts"
export * as FileSettings from "./AiraloFileSettings.ts"
export type * as Catalogue from "./Catalogue.ts"
export * as HttpPartnerApi from "./HttpPartnerApi.ts"
export * as PartnerApi from "./PartnerApi.ts"
