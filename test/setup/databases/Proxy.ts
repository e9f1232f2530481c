/**
 * A proxy in front of a TCP server, that can be cut off and stalled, and can swallow what it
 * carries.
 */
import { connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** Breaks every connection, and each new one at once. */
  readonly cut: () => void
  /** Lets nothing through in either direction, and breaks nothing. */
  readonly stall: () => void
  /**
   * The connections that there are carry nothing any more, for good, without an error; new ones
   * work.
   */
  readonly swallow: () => void
  /** Lets everything through again. */
  readonly resume: () => void
  readonly close: () => Promise<void>
}

export const start = async (host: string, port: number): Promise<Proxy> => {
  let state: "open" | "cut" | "stalled" = "open"
  const sockets = new Set<Socket>()
  const swallowing = new WeakSet<Socket>()
  const add = (socket: Socket): void => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy())
  }
  const pass = (from: Socket, to: Socket): void => {
    from.on("data", (bytes) => swallowing.has(from) || to.write(bytes)).once("close", () => to.destroy())
    if (state === "stalled") from.pause()
  }
  const server = createServer((client) => {
    add(client)
    if (state === "cut") {
      client.destroy()
      return
    }
    const upstream = connect({ host, port })
    add(upstream)
    pass(client, upstream)
    pass(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut: () => {
      state = "cut"
      destroyAll()
    },
    stall: () => {
      state = "stalled"
      for (const socket of sockets) socket.pause()
    },
    swallow: () => {
      for (const socket of sockets) swallowing.add(socket)
    },
    resume: () => {
      state = "open"
      for (const socket of sockets) socket.resume()
    },
    close: () => {
      destroyAll()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
