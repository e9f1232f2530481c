/**
 * The HTTP API: its definition, its routes for any router, a server on Node, and a handler of web
 * requests for hosts.
 */
export { Api } from "./api/Api.ts"
export { Codes } from "../fields/index.ts"
export * as Document from "./openapi/Document.ts"
export type * as RateLimit from "./middleware/RateLimit.ts"
export type * as HostAuth from "./middleware/HostAuth.ts"
export * as RouteGroups from "./RouteGroups.ts"
export * as Routes from "./Routes.ts"
export * as Server from "./Server.ts"
export * as WebHandler from "./WebHandler.ts"
