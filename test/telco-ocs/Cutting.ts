/**
 * A network between the adapter and a charging system that cuts a connection after a given byte of
 * a request or of its answer. Whoever cuts has read the whole request, so what it is about decides
 * which one is cut.
 */
import { connect, createServer, type Socket } from "node:net"

/** Where to cut: after so many bytes of the request or the answer; null: nowhere. */
export interface Cut {
  readonly of: "request" | "answer"
  readonly after: number
}

export interface Network {
  readonly port: number
  /** How long the last request and its answer were that passed uncut, in bytes. */
  readonly lengths: () => { readonly request: number; readonly answer: number }
  readonly close: () => Promise<void>
}

/**
 * The length of a whole request or answer at the start of some bytes; undefined until it is known.
 */
const lengthOf = (bytes: Buffer): number | undefined => {
  const head = bytes.indexOf("\r\n\r\n")
  if (head < 0) return undefined
  const [, length = "0"] = /content-length: *(\d+)/i.exec(bytes.subarray(0, head).toString("latin1")) ?? []
  return head + 4 + Number(length)
}

/** Collects bytes until they are a whole request or answer. */
const wholes = (socket: Socket, take: (whole: Buffer) => void) => {
  let bytes = Buffer.alloc(0)
  socket.on("data", (part: Buffer) => {
    bytes = Buffer.concat([bytes, part])
    const length = lengthOf(bytes)
    if (length === undefined || bytes.length < length) return
    const whole = bytes.subarray(0, length)
    bytes = bytes.subarray(length)
    take(whole)
  })
}

export const start = async (port: number, cutOf: (request: string) => Cut | null): Promise<Network> => {
  const sockets = new Set<Socket>()
  const lengths = { request: 0, answer: 0 }
  const open = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    wholes(open(client), (request) => {
      const cut = cutOf(request.toString("latin1"))
      const upstream = open(connect(port, "127.0.0.1"))
      if (cut?.of === "request") {
        upstream.write(request.subarray(0, cut.after), () => upstream.destroy())
        client.destroy()
        return
      }
      wholes(upstream, (answer) => {
        upstream.destroy()
        if (cut === null) {
          Object.assign(lengths, { request: request.length, answer: answer.length })
          client.write(answer)
        } else client.write(answer.subarray(0, cut.after), () => client.destroy())
      })
      upstream.write(request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    lengths: () => lengths,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
