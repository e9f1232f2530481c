/**
 * X.509 certificates of a test, made of fresh keys by Node alone: a root, and what it has signed. A
 * key exists only while the test runs.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

export interface Identity {
  readonly certificate: string
  readonly key: string
}

export interface Authority extends Identity {
  readonly issue: (of: { readonly name: string; readonly isServer?: boolean }) => Identity
}

// DER: the tag, the length, the contents.
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const contents = Buffer.concat(parts)
  const { length } = contents
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), contents])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...parts)
const octets = (contents: Uint8Array): Buffer => der(0x04, contents)
const bits = (contents: Uint8Array): Buffer => der(0x03, Buffer.from([0]), contents)
const explicit = (number: number, contents: Uint8Array): Buffer => der(0xa0 + number, contents)
const TRUE = Buffer.from([0x01, 0x01, 0xff])

// Object identifiers, in their encoded form.
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"))
const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"))
const COMMON_NAME = oid("550403")
const BASIC_CONSTRAINTS = oid("551d13")
const SUBJECT_ALT_NAME = oid("551d11")

const named = (text: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text, "utf8")))))

const DAY = 86_400_000
const time = (millis: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(millis).toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`))

// The names that a server of the test has: localhost, and the address 127.0.0.1.
const localNames = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])))

interface Contents {
  readonly name: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signedBy: KeyObject
  readonly extensions: ReadonlyArray<Buffer>
}

const certificate = ({ extensions, issuer, name, publicKey, signedBy }: Contents): string => {
  const now = Date.now()
  const signed = sequence(
    explicit(0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    named(issuer),
    sequence(time(now - DAY), time(now + DAY)),
    named(name),
    publicKey.export({ type: "spki", format: "der" }),
    ...(extensions.length > 0 ? [explicit(3, sequence(...extensions))] : [])
  )
  const body = sequence(signed, ECDSA_SHA256, bits(sign("sha256", signed, signedBy)))
  const lines = body.toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`
}

const keys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString()

/** A root with a key of its own. */
export const authority = (issuer: string): Authority => {
  const own = keys()
  const isRoot = sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE)))
  return {
    key: pem(own.privateKey),
    certificate: certificate({
      name: issuer,
      issuer,
      publicKey: own.publicKey,
      signedBy: own.privateKey,
      extensions: [isRoot]
    }),
    issue: ({ isServer = false, name }) => {
      const { privateKey, publicKey } = keys()
      const extensions = isServer ? [sequence(SUBJECT_ALT_NAME, octets(localNames))] : []
      return {
        key: pem(privateKey),
        certificate: certificate({ name, issuer, publicKey, signedBy: own.privateKey, extensions })
      }
    }
  }
}
