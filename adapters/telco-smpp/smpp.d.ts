/**
 * The npm package `smpp`, which has no types of its own.
 */
declare module "smpp" {
  const smpp: import("./Session.ts").Library
  export type PDU = import("./Session.ts").PDU
  export type Session = import("./Session.ts").LibrarySession
  export default smpp
}
