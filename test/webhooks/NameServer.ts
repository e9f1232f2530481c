/**
 * A DNS server on a UDP port of its own: it answers for the names it is given, is silent about
 * those that are `"silent"`, and says of all others that they do not exist. A function is called
 * for each query for IPv4 addresses, and its last answer holds for IPv6.
 */
import { createSocket } from "node:dgram"
import { isIPv4 } from "node:net"
import ipaddr from "ipaddr.js"

export interface Entry {
  readonly addresses: ReadonlyArray<string>
  readonly ttlSeconds?: number
}

type Named = Entry | "silent" | (() => Entry)

export interface NameServer {
  /** As `host:port`. */
  readonly address: string
  readonly names: Map<string, Named>
  /** The names that were asked for, one for each query for IPv4 addresses. */
  readonly asked: Array<string>
  readonly close: () => void
}

const A = 1
const AAAA = 28

/** The name and the end of the question of a query. */
const question = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 }
}

const record = (type: number, ttlSeconds: number, address: string): Buffer => {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  const head = Buffer.alloc(12)
  // A pointer to the question's name.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttlSeconds, 6)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}

export const start = async (): Promise<NameServer> => {
  const socket = createSocket("udp4")
  const names = new Map<string, Named>()
  const last = new Map<string, Entry>()
  const asked: Array<string> = []
  socket.on("message", (query, { address, port }) => {
    const { end, name } = question(query)
    const type = query.readUInt16BE(end - 4)
    if (type === A) asked.push(name)
    const named = names.get(name)
    if (named === "silent") return
    if (typeof named === "function" && type === A) last.set(name, named())
    const entry = typeof named === "function" ? last.get(name) : named
    const isFamily = (one: string): boolean => isIPv4(one) === (type === A)
    const found = type === A || type === AAAA ? (entry?.addresses ?? []).filter(isFamily) : []
    const head = Buffer.from(query.subarray(0, 12))
    // A response that recursion led to; code 3 is "no such name".
    head.writeUInt16BE(0x8180 | (entry === undefined ? 3 : 0), 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    const records = found.map((one) => record(type, entry?.ttlSeconds ?? 60, one))
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return { address: `127.0.0.1:${socket.address().port}`, names, asked, close: () => socket.close() }
}
