/**
 * Sends an answer over a connection of Node's HTTP server, as fast as the client reads it.
 *
 * `fastify.inject`, functions of AWS Lambda and mocks call a handler without a connection: their
 * requests and responses have only a part of Node's methods. Once such a request is answered,
 * nothing of it goes on.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/** How long a client may read nothing of its answer, in ms (rule W10). */
const STALLED = 30_000

/** How long a client may go on sending a body after its answer, in ms. */
const LINGER = 2_000

/** Ends an answer that is not whole. */
export const breakOff = (response: ServerResponse): void => void response.destroy?.()

/**
 * Waits until a response takes more, or will never again. The response has one listener of each
 * kind for all waits: what middleware such as `compression` has put in its place takes listeners,
 * and cannot remove them.
 */
const waitingFor = (response: ServerResponse): (() => Promise<void>) => {
  let wake: (() => void) | undefined
  const done = () => wake?.()
  response.on("drain", done)
  response.once("close", done)
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => breakOff(response), STALLED)
      wake = () => {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
    })
}

/**
 * Whether a client may still be sending the body. A request that is injected ends, and is never
 * complete.
 */
const isArriving = (request: IncomingMessage): boolean =>
  !request.complete && !request.readableEnded && !request.destroyed && typeof request.resume === "function"

/**
 * Discards the rest of a body after its answer: a client that is still sending would else not see
 * the answer.
 */
const discardRest = (request: IncomingMessage): void => {
  if (!isArriving(request)) return
  // Only a connection has somebody at its other end who could send for ever.
  if (typeof request.socket?.destroy === "function") {
    const timer = setTimeout(() => request.socket.destroy(), LINGER)
    const done = () => clearTimeout(timer)
    request.once("end", done)
    request.once("close", done)
  }
  request.resume()
}

const stream = async (body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> => {
  const reader = body.getReader()
  const drained = waitingFor(response)
  const giveUp = () => void reader.cancel().catch(() => undefined)
  response.once("close", giveUp)
  try {
    for (let next = await reader.read(); next.done !== true; next = await reader.read()) {
      if (response.destroyed) return
      // A mock returns nothing, and has taken all of it.
      if (response.write(next.value) === false) await drained()
    }
    response.end()
  } catch {
    // The service has logged why. A client must not take a part for the whole.
    breakOff(response)
  } finally {
    response.removeListener("close", giveUp)
  }
}

/** The headers of an answer, beside those that the host has set: what both vary by adds up. */
const headersOf = ({ headers }: Response, response: ServerResponse): Record<string, string> => {
  const [before, vary] = [response.getHeader("vary"), headers.get("vary")]
  const both = before !== undefined && vary !== null && { vary: [before, vary].flat().join(", ") }
  return { ...Object.fromEntries(headers), ...both }
}

/** Whether the body is that of the answer: another one may have taken its place. */
const isOf = (answer: Response, taken: Uint8Array | string): boolean =>
  answer.body === null && answer.headers.get("content-length") === String(Buffer.byteLength(taken))

/**
 * Sends an answer with the body that was taken for it, if any, and returns when the response has
 * all of it.
 */
export const send = async (
  answer: Response,
  request: IncomingMessage,
  response: ServerResponse,
  taken?: Uint8Array | string
): Promise<void> => {
  // The client has gone, or something of the host's has answered, such as a time limit.
  if (response.destroyed || response.headersSent) return void (await answer.body?.cancel())
  response.once("finish", () => discardRest(request))
  response.writeHead(answer.status, headersOf(answer, response))
  if (taken !== undefined && isOf(answer, taken)) response.end(taken)
  else if (answer.body === null) response.end()
  // Every answer of a known length is text, which goes out with the headers in one write.
  else if (answer.headers.has("content-length")) response.end(await answer.text())
  else await stream(answer.body, response)
}
