/**
 * A pooler in transaction mode in front of a PostgreSQL: each transaction of a client goes to
 * another of its sessions.
 *
 * A client logs in over a session of the pooler's own, which then is for every client. `next` says
 * which idle session the next transaction gets, as `PgBouncer` (the one that was used last) or in
 * turn.
 */
import { connect, createServer, type Socket } from "node:net"

export interface Pooler {
  readonly port: number
  readonly close: () => Promise<void>
}

interface Session {
  readonly socket: Socket
  client: Client | null
  /** The answers that are still to come: one `ReadyForQuery` each. */
  due: number
}

interface Client {
  readonly socket: Socket
  session: Session | null
  /**
   * What waits for a session: whole groups of messages, each of which the server ends with
   * `ReadyForQuery`.
   */
  readonly waiting: Array<Buffer>
}

const SYNC = "S"
const QUERY = "Q"
const TERMINATE = "X"
const READY = "Z"
const IDLE = "I"

/** Cuts a stream of bytes into messages: a letter, four bytes of length, and the rest. */
const messages = (onMessage: (type: string, message: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  return (bytes: Buffer): void => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      onMessage(String.fromCharCode(message[0] ?? 0), message)
    }
  }
}

export const start = async (
  host: string,
  port: number,
  { next, sessions: most }: { readonly next: "last used" | "in turn"; readonly sessions: number }
): Promise<Pooler> => {
  const sockets = new Set<Socket>()
  const sessions = new Set<Session>()
  const idle: Array<Session> = []
  const queue: Array<Client> = []

  const add = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy())
  }

  const serve = (): void => {
    while (queue.length > 0 && idle.length > 0) {
      const client = queue.shift()
      const session = next === "in turn" ? idle.shift() : idle.pop()
      if (client === undefined || session === undefined) return
      client.session = session
      session.client = client
      pass(client, session)
    }
  }

  const pass = (client: Client, session: Session): void => {
    for (const group of client.waiting.splice(0)) {
      session.due++
      session.socket.write(group)
    }
  }

  const give = (session: Session): void => {
    if (session.client !== null) session.client.session = null
    session.client = null
    idle.push(session)
    serve()
  }

  /** The session ends with a client that leaves in the middle of a transaction. */
  const leave = (client: Client): void => {
    const at = queue.indexOf(client)
    if (at >= 0) queue.splice(at, 1)
    client.session?.socket.destroy()
  }

  /** From the log-in on. */
  const attach = (socket: Socket): void => {
    const client: Client = { socket, session: null, waiting: [] }
    let group: Array<Buffer> = []
    const read = messages((type, message) => {
      if (type === TERMINATE) {
        socket.end()
        return
      }
      group.push(message)
      if (type !== SYNC && type !== QUERY) return
      client.waiting.push(Buffer.concat(group))
      group = []
      if (client.session !== null) pass(client, client.session)
      else if (!queue.includes(client)) queue.push(client)
      serve()
    })
    socket.on("data", read).once("close", () => leave(client))
  }

  const join = (socket: Socket): void => {
    if (sessions.size >= most) {
      socket.end(Buffer.from([TERMINATE.charCodeAt(0), 0, 0, 0, 4]))
      return
    }
    const session: Session = { socket, client: null, due: 0 }
    sessions.add(session)
    socket.once("close", () => {
      sessions.delete(session)
      const at = idle.indexOf(session)
      if (at >= 0) idle.splice(at, 1)
      session.client?.socket.destroy()
    })
    socket.on(
      "data",
      messages((type, message) => {
        // What comes while no client has the session, such as a notification, is lost.
        session.client?.socket.write(message)
        if (type !== READY) return
        session.due--
        if (session.due === 0 && String.fromCharCode(message[5] ?? 0) === IDLE) give(session)
      })
    )
    give(session)
  }

  const server = createServer((socket) => {
    add(socket)
    const upstream = add(connect({ host, port }))
    const up = (bytes: Buffer): void => void upstream.write(bytes)
    const end = (): void => void upstream.destroy()
    const down = messages((type, message) => {
      if (type !== READY) {
        socket.write(message)
        return
      }
      socket.off("data", up).off("close", end)
      upstream.off("data", down)
      attach(socket)
      join(upstream)
      socket.write(message)
    })
    socket.on("data", up).once("close", end)
    upstream.on("data", down)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
