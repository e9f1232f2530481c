/**
 * Airalo, a wholesale supplier of eSIMs, by its Partner API, version 2.
 *
 *     Airalo.layer({ clientId, clientSecret })           // the telco port, and what is on sale; needs a journal
 *     HttpPartnerApi.layer({ clientId, clientSecret })   // the calls alone, by a token, within limits
 */
export * as Airalo from "./Airalo.ts"
export type * as Catalogue from "./Catalogue.ts"
export * as HttpPartnerApi from "./HttpPartnerApi.ts"
export * as PartnerApi from "./PartnerApi.ts"
