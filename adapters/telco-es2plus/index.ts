/**
 * An SM-DP+ behind the GSMA's ES2+ (SGP.22, version 2), with mutual TLS.
 *
 *     Es2plus.layer({ telco: "smdp", url, key, certificate })      // releases profiles; needs a journal
 *     DownloadProgress.make({ states })                            // takes what the SM-DP+ notifies; needs the app's Reports
 */
export * as Api from "./Api.ts"
export * as DownloadProgress from "./DownloadProgress.ts"
export * as Es2plus from "./Es2plus.ts"
export * as FileSettings from "./Es2plusFileSettings.ts"
export * as HttpApi from "./HttpApi.ts"
