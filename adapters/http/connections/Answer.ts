/**
 * A response that gives a large body to the operating system piece by piece. So the bytes of it that wait for their
 * reader are known at any time, and a slow reader of a large answer makes progress that can be measured.
 */
import * as Http from "node:http"

/** The bytes of a piece. */
const PIECE = 65_536

/** The bytes of a piece for a reader that took longer than `SLOW` for the last one. */
const SMALL_PIECE = 8_192

/** In ms. */
const SLOW = 1_000

const bytesOf = (chunk: unknown): Uint8Array | undefined => {
  if (typeof chunk === "string") return chunk.length > PIECE ? Buffer.from(chunk) : undefined
  return chunk instanceof Uint8Array && chunk.byteLength > PIECE ? chunk : undefined
}

/** A response of the server. */
export class Answer<Request extends Http.IncomingMessage = Http.IncomingMessage> extends Http.ServerResponse<Request> {
  /** Runs when the whole answer was handed over; the operating system may have taken it by then, or not. */
  onHanded: (() => void) | undefined = undefined
  #rest: Uint8Array | undefined = undefined

  /** The bytes that the operating system has not taken yet. */
  get unread(): number {
    return this.writableLength + (this.#rest?.byteLength ?? 0)
  }

  override end(...given: ReadonlyArray<unknown>): this {
    const bytes = typeof given[1] === "string" ? undefined : bytesOf(given[0])
    if (bytes === undefined) Reflect.apply(super.end, this, given)
    else {
      this.#rest = bytes
      this.#send(given.slice(1))
    }
    this.onHanded?.()
    return this
  }

  #send(after: ReadonlyArray<unknown>, size = PIECE): void {
    for (let rest = this.#rest; rest !== undefined && !this.destroyed; rest = this.#rest) {
      if (rest.byteLength <= size) {
        this.#rest = undefined
        Reflect.apply(super.end, this, [rest, ...after])
        return
      }
      this.#rest = rest.subarray(size)
      if (this.write(rest.subarray(0, size))) continue
      const began = performance.now()
      this.once("drain", () => this.#send(after, performance.now() - began > SLOW ? SMALL_PIECE : PIECE))
      return
    }
  }
}
