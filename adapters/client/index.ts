/**
 * The entry point `simplan/client`: a typed client of the HTTP API, for Promises and for Effect. It
 * is derived from the definition that the server's routes come from, and loads no part of the
 * server.
 */
export { ApiError } from "./Client.ts"
export * as Client from "./Client.ts"
