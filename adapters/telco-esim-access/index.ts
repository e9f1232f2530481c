/**
 * A wholesale supplier of eSIMs: eSIM Access (https://docs.esimaccess.com).
 *
 *     HttpApi.layer({ accessCode })               // the calls of an account
 *     EsimAccess.layer({ telco: "esim-access" })  // the telco port over them; needs a journal
 *     EsimAccess.Account                          // catalogue, balance, and what was bought
 */
export * as AccountApi from "./AccountApi.ts"
export * as EsimAccess from "./EsimAccess.ts"
export * as HttpApi from "./HttpApi.ts"
export * as Seller from "./Seller.ts"
