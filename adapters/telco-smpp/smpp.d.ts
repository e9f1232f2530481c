/**
 * The npm package `smpp`, which has no types of its own.
 */
declare module "smpp" {
  const smpp: import("./Library.ts").Library
  export type PDU = import("./Library.ts").PDU
  export type Session = import("./Library.ts").Session
  export default smpp
}
