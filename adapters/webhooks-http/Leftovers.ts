/**
 * Whether a connection has nothing left over after a response. Bytes beyond its end would be taken for the answer to the
 * next request, so such a connection must not be used again.
 */
import type { Duplex } from "node:stream"

/** The longest head that is followed; Node itself refuses longer ones. */
const LONGEST_HEAD = 16 * 1024

const HEAD_END = "\r\n\r\n"
const LAST_CHUNK = "0\r\n\r\n"

interface Following {
  /** The bytes up to the end of the head; null once that is known. */
  head: Buffer | null
  bodyBytes: number
  /** The last bytes received. */
  tail: Buffer
  /** What the head says about the body: its length, -1 if it is chunked, null if neither. */
  length: number | null
}

/** Reads the head of a final response. */
const lengthOf = (head: string): number | null => {
  if (/^HTTP\/1\.1 (?:204|304) /.test(head)) return 0
  if (/^transfer-encoding:[ \t]*chunked[ \t]*$/im.test(head)) return -1
  const lengths = head.match(/^content-length:[ \t]*\d+[ \t]*$/gim) ?? []
  return lengths.length === 1 ? Number(lengths[0].replace(/^[^:]*:/, "")) : null
}

const take = (following: Following, chunk: Buffer): void => {
  // A copy: the tail of an idle connection would else keep a whole chunk in memory.
  following.tail = Buffer.concat([following.tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length)
  if (following.head === null) {
    following.bodyBytes += chunk.length
    return
  }
  let head = following.head.length === 0 ? chunk : Buffer.concat([following.head, chunk])
  for (;;) {
    const end = head.indexOf(HEAD_END)
    if (end < 0) {
      following.head = head.subarray(0, LONGEST_HEAD)
      return
    }
    const text = head.toString("latin1", 0, end)
    head = head.subarray(end + HEAD_END.length)
    // An informational response comes before the final one.
    if (/^HTTP\/1\.1 1/.test(text)) continue
    following.head = null
    following.length = lengthOf(text)
    following.bodyBytes = head.length
    return
  }
}

const followed = new WeakMap<Duplex, Following>()

const follow = (socket: Duplex): Following => {
  const following: Following = { head: Buffer.alloc(0), bodyBytes: 0, tail: Buffer.alloc(0), length: null }
  followed.set(socket, following)
  return following
}

/** Follows the response to a request that begins now on this connection. */
export const begin = (socket: Duplex): void => {
  if (followed.has(socket)) {
    follow(socket)
    return
  }
  follow(socket)
  socket.on("data", (chunk: Buffer) => {
    const following = followed.get(socket)
    if (following !== undefined) take(following, chunk)
  })
}

/** Whether exactly one response was received since `begin`. False where its length is unknown. */
export const isClean = (socket: Duplex): boolean => {
  const following = followed.get(socket)
  if (following === undefined || following.head !== null || following.length === null) return false
  // A chunked body ends with this. Node closes a connection on which a second head follows.
  if (following.length < 0) return following.tail.toString("latin1") === LAST_CHUNK
  return following.bodyBytes === following.length
}
