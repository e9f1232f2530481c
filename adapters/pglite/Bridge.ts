/**
 * The way from the SQL client to an in-process PGlite: a stream that carries the wire protocol.
 *
 * PGlite is one session for ever, while the client may give up a connection and open another. So each stream begins
 * with a session that is as new: nothing is left of a transaction or of prepared statements. The planner has the settings
 * of reads on a server, for every statement.
 */
import { Duplex } from "node:stream"
import type { PGlite } from "@electric-sql/pglite"
import * as Connections from "../postgres/connection/Connections.ts"

// A request to cancel comes on a stream of its own. There is nothing to cancel: each message runs to its end.
const CANCEL_REQUEST = 80_877_102

const isCancelRequest = (message: Buffer): boolean => message.length === 16 && message.readInt32BE(4) === CANCEL_REQUEST

// The last message of a connection would end PGlite's session, which the next one needs.
const isTerminate = (message: Buffer): boolean => message.length === 5 && message.toString("latin1", 0, 1) === "X"

/** A new connection to the database. */
export const connect = (database: PGlite): Duplex => {
  let opened = false

  const open = async (): Promise<void> => {
    opened = true
    await database.exec("rollback")
    await database.exec("discard all")
    for (const [name, value] of Object.entries(Connections.plannerSettings))
      await database.exec(`set ${name} = ${value}`)
  }

  const send = async (message: Buffer): Promise<void> => {
    if (!opened) {
      if (isCancelRequest(message)) {
        stream.destroy()
        return
      }
      await open()
    }
    if (isTerminate(message)) return
    // Without a callback of one's own PGlite parses each reply, and keeps the parsed messages for ever.
    await database.execProtocolRawStream(new Uint8Array(message), {
      onRawData: (reply) => {
        if (reply.length > 0 && !stream.destroyed) stream.push(Buffer.from(reply))
      }
    })
  }

  const stream = new Duplex({
    read: () => {},
    write: (message: Buffer, _encoding, done) => {
      send(message).then(() => done(), done)
    }
  })
  return stream
}
