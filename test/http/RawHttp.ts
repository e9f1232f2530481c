/**
 * HTTP as bytes on a socket, for what no client sends.
 */
import { connect } from "node:net"

/**
 * Writes bytes to a socket, `rest` 20 ms later, and returns what the server sends until it closes
 * the connection.
 */
export const exchange = (url: string, bytes: string | Uint8Array, rest = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    let answer = ""
    socket.on("data", (chunk) => {
      answer += chunk.toString()
      setTimeout(() => socket.end(), 100)
    })
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
    socket.write(bytes)
    if (rest !== "") setTimeout(() => socket.write(rest), 20)
  })

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** The first answer of an exchange, with its body as it was sent. */
export const answer = (text: string): RawAnswer => {
  const end = text.indexOf("\r\n\r\n")
  const head = end === -1 ? text : text.slice(0, end)
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body: text.slice(head.length + 4) }
}

/** The statuses of all answers of an exchange. */
export const statuses = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
