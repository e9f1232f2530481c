/**
 * The entry point `simplan/http-api`: the definition of the HTTP API alone, for clients and documents. It loads no server.
 */
export { Api } from "./Api.ts"
