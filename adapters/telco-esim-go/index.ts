/**
 * eSIM Go as a telco that sells eSIMs with bundles (API v2.5).
 *
 *     HttpApi.layer({ key })                // its calls, over HTTPS
 *     EsimGo.layer({ telco: "esim-go" })    // the port over them and a journal, and the account
 */
export * as AccountApi from "./AccountApi.ts"
export * as FileSettings from "./EsimGoFileSettings.ts"
export * as EsimGo from "./EsimGo.ts"
export * as HttpApi from "./HttpApi.ts"
export * as Units from "./Units.ts"
