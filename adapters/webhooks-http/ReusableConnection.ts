/**
 * Whether a connection has nothing left over after a response. Bytes beyond its end would be taken for the answer to the
 * next request, so such a connection must not be used again. One on which anything comes between two requests is closed.
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
  /** The last bytes of a chunked body. */
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

const NOTHING = Buffer.alloc(0)

const takeBody = (following: Following, chunk: Buffer): void => {
  following.bodyBytes += chunk.length
  if (following.length !== null && following.length >= 0) return
  // A copy: the tail of an idle connection would else keep a whole chunk in memory.
  following.tail = Buffer.concat([following.tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length)
}

const take = (following: Following, chunk: Buffer): void => {
  if (following.head === null) {
    takeBody(following, chunk)
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
    takeBody(following, head)
    return
  }
}

// Null: between two requests.
const followed = new WeakMap<Duplex, Following | null>()

/** Follows the response to a request that begins now on this connection. */
export const begin = (socket: Duplex): void => {
  const isNew = !followed.has(socket)
  followed.set(socket, { head: NOTHING, bodyBytes: 0, tail: NOTHING, length: null })
  if (!isNew) return
  socket.on("data", (chunk: Buffer) => {
    const following = followed.get(socket)
    if (following) take(following, chunk)
    else socket.destroy()
  })
}

// Whether exactly one response was received. False where its length is unknown.
const isClean = ({ bodyBytes, head, length, tail }: Following): boolean => {
  if (head !== null || length === null) return false
  // A chunked body ends with this. Node closes a connection on which a second head follows.
  return length < 0 ? tail.toString("latin1") === LAST_CHUNK : bodyBytes === length
}

/** Ends following the response. Returns whether the connection can be used for another request. */
export const end = (socket: Duplex): boolean => {
  const following = followed.get(socket)
  followed.set(socket, null)
  return following ? isClean(following) : false
}
