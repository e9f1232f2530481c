/**
 * A wholesale supplier of eSIMs: eSIM Access (https://docs.esimaccess.com).
 *
 *     HttpApi.layer({ accessCode })               // the calls of an account
 *     EsimAccess.layer({ telco: "esim-access" })  // the port over them and a journal, and the account
 */
export * as AccountApi from "./AccountApi.ts"
export * as FileSettings from "./EsimAccessFileSettings.ts"
export * as EsimAccess from "./EsimAccess.ts"
export * as HttpApi from "./HttpApi.ts"
export * as Seller from "./Seller.ts"
