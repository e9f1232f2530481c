// Loaded into a server before its own modules: reports, on a port of its own, what the process
// holds after a collection, and how many statements its connections to PostgreSQL have prepared.
import { createServer } from "node:http"
import { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

const count = (names) => {
  const counts = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Names of the statements that were prepared on each open connection. */
const prepared = new Map()

/**
 * The name in a message of PostgreSQL's protocol that prepares a statement; undefined where it is
 * none, or has no name.
 */
const statementOf = (bytes) => {
  if (!(bytes instanceof Uint8Array) || bytes.length < 6 || bytes[0] !== 0x50) return undefined
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = message.indexOf(0, 5)
  return message.readUInt32BE(1) >= bytes.length || end <= 5 ? undefined : message.toString("utf8", 5, end)
}

/** What is written to a connection goes by here: `pg` writes each message by itself. */
const watchStatements = () => {
  const write = Socket.prototype.write
  Socket.prototype.write = function (bytes, ...others) {
    const name = statementOf(bytes)
    if (name !== undefined) {
      if (!prepared.has(this)) this.once("close", () => prepared.delete(this))
      prepared.set(this, (prepared.get(this) ?? new Set()).add(name))
    }
    return Reflect.apply(write, this, [bytes, ...others])
  }
}

if (process.env.SOAK_PROBE_PORT !== undefined) {
  watchStatements()
  createServer((_, response) => {
    collect()
    collect()
    const { heapUsed } = process.memoryUsage()
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
    const statements = Math.max(0, ...[...prepared.values()].map(({ size }) => size))
    const body = { heapUsed, listeners, statements, resources: count(process.getActiveResourcesInfo()) }
    response.setHeader("connection", "close").end(JSON.stringify(body))
  })
    .listen(Number(process.env.SOAK_PROBE_PORT), "127.0.0.1")
    .unref()
}
