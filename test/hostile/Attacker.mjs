// A thread that attacks a server, so that its work delays nothing that is measured: many
// connections that send requests one after another without waiting for answers, and read what comes
// in one of several manners.
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { parentPort } from "node:worker_threads"

/**
 * How much of what was written may wait in this process before nothing more is written to a
 * connection.
 */
const WAITING = 1_048_576

/** After how many ms a connection that the server closed is opened again. */
const AGAIN = 20

/**
 * By manner of reading: how many bytes are read at once, and after how many ms again. Others read
 * all at once, or nothing.
 */
const PACES = { drips: [1, 1_000], slowly: [4_096, 100] }

let number = 0

/** Each request has another number; what it replaces is of the same length. */
const filled = (head, credential) => {
  number += 1
  const key = credential.random ? `${credential.line}${randomBytes(32).toString("hex").slice(0, 49)}` : credential.line
  const text = head.replaceAll("@@number@", String(number).padStart(9, "0"))
  return Buffer.from(text.replace("\r\n", `\r\n${key === "" ? "" : `${key}\r\n`}`), "latin1")
}

const run = (attack) => {
  const tally = { sent: 0, closed: 0, statuses: {} }
  const sockets = new Set()
  const timers = new Set()
  let isOver = false

  const open = (index) => {
    if (isOver) return
    const manner = attack.manners[index % attack.manners.length]
    const credential = attack.credentials[Math.floor(index / attack.manners.length) % attack.credentials.length]
    let [answered, sent, rest] = [0, 0, ""]

    const note = (bytes) => {
      const text = rest + bytes.toString("latin1")
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        answered += 1
        tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
      }
      rest = text.slice(-12)
    }
    const [size, pause] = PACES[manner] ?? [65_536, 0]
    const socket = connect({
      host: "127.0.0.1",
      port: attack.port,
      // A client has an address; those without a key come from many.
      localAddress: `127.0.0.${2 + index}`,
      onread: {
        buffer: Buffer.alloc(size),
        callback: (count, buffer) => {
          note(buffer.subarray(0, count))
          if (pause > 0) return false
          setImmediate(pump)
          return true
        }
      }
    })
    sockets.add(socket)

    const pump = () => {
      while (!isOver && socket.writable && sent - answered < attack.ahead && socket.writableLength < WAITING) {
        const { body, head } = attack.requests[(index * 7 + sent) % attack.requests.length]
        const bytes = filled(head, credential)
        sent += 1
        tally.sent += 1
        if (manner === "stalls") return stall(bytes, body)
        socket.write(bytes)
        if (body !== null) socket.write(body)
      }
    }
    // Half of a request, and its other half byte by byte.
    const stall = (head, body) => {
      const bytes = body === null ? head : Buffer.concat([head, body])
      let at = Math.floor(bytes.length / 2)
      socket.write(bytes.subarray(0, at))
      timers.add(
        setInterval(() => {
          if (socket.writable && at < bytes.length) socket.write(bytes.subarray(at, ++at))
        }, 100)
      )
    }
    socket.on("connect", () => {
      if (manner === "nothing") socket.pause()
      if (pause > 0) timers.add(setInterval(() => socket.resume(), pause))
      pump()
    })
    socket.on("drain", pump)
    socket.on("error", () => {})
    socket.on("close", () => {
      sockets.delete(socket)
      if (isOver) return
      tally.closed += 1
      timers.add(setTimeout(() => open(index), AGAIN))
    })
  }
  for (let index = 0; index < attack.connections; index++) open(index)

  setTimeout(() => {
    isOver = true
    for (const timer of timers) clearTimeout(timer)
    for (const socket of sockets) socket.destroy()
    parentPort.postMessage(tally)
  }, attack.millis)
}

parentPort.on("message", run)
