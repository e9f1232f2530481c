/**
 * The beginning of a response's body. If the body is long or slow, the connection is closed.
 */
import type { IncomingMessage } from "node:http"
import { WebhookSender } from "simplan/ports"

/** Up to which size and time a body is read, so that the connection can be used again. */
const READ_BYTES = 16 * 1024
const READ_MILLIS = 1_000

const utf8 = new TextDecoder()

/** PostgreSQL stores no NUL. A character that is cut off at the end is left out. */
const toText = (bytes: Uint8Array): string => {
  const text = utf8.decode(bytes, { stream: true })
  // Ends the stream: the next text begins anew.
  utf8.decode()
  return text.replaceAll("\0", "\u{fffd}")
}

const isEmpty = ({ headers, statusCode }: IncomingMessage): boolean =>
  headers["content-length"] === "0" || statusCode === 204

/** Calls `done` once: with the first kilobyte, with the whole body, or with what came within a second. */
export const read = (response: IncomingMessage, done: (text: string) => void): void => {
  if (isEmpty(response)) {
    response.on("error", () => {}).resume()
    done("")
    return
  }
  let begun = Buffer.alloc(0)
  let total = 0
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    done(toText(begun))
  }
  const tooSlow = setTimeout(() => {
    finish()
    response.destroy()
  }, READ_MILLIS)
  response.on("data", (chunk: Buffer) => {
    total += chunk.length
    if (begun.length < WebhookSender.BODY_BYTES) {
      begun = Buffer.concat([begun, chunk]).subarray(0, WebhookSender.BODY_BYTES)
    }
    if (begun.length === WebhookSender.BODY_BYTES) finish()
    if (total > READ_BYTES) response.destroy()
  })
  response.on("end", finish)
  response.on("error", finish)
  response.on("close", () => {
    clearTimeout(tooSlow)
    finish()
  })
}
