/**
 * SMS over SMPP 3.4, for telcos whose packages are somewhere else.
 *
 *     Smpp.make({ telco: "smsc", url: "smpp://simplan@127.0.0.1:2775", password, destinationOf })
 */
export * as Addresses from "./Addresses.ts"
export * as FileSettings from "./SmppFileSettings.ts"
export * as Smpp from "./Smpp.ts"
