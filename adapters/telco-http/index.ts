/**
 * The telco port as JSON over HTTP: a client for a bridge in any language, and a server for any
 * telco port.
 *
 *     TelcoHttp.layer({ url: "https://bridge.example", token })      // the port
 *     TelcoServer.routes({ token })                                  // the contract, over the port
 *
 * The contract is in `openapi.json` in this folder.
 */
export * as Contract from "./Contract.ts"
export * as FileSettings from "./HttpFileSettings.ts"
export * as TelcoHttp from "./TelcoHttp.ts"
export * as TelcoServer from "./TelcoServer.ts"
