/**
 * Successful answers: their envelopes, and lists that are sent while they are read (rules W4 and
 * W10).
 *
 * The items of a list are encoded as the reader takes them, in pieces of about 64 KiB, so that the
 * process holds two pages of a list and one piece at most, and a slow reader delays nobody else.
 * The pieces of all lists are made one in each turn of the event loop: another request waits for
 * one piece, however many answers are under way. A list that fails in its first two pages is
 * answered with an error. One that fails later breaks the connection, so that the client does not
 * take a part for the whole.
 */
import { Cause, Effect, Pull, type Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Http from "node:http"
import { RequestContext, Time } from "simplan"
import { Csv } from "../../fields/index.ts"
import * as Turns from "../Turns.ts"
import * as Errors from "./Errors.ts"

/** `{error: false, data}`. */
export const data = <Data>(data: Data) => ({ error: false, data }) as const

/** `{error: false, data, next_page}`: a page, and the token of the next one. */
export const page = <Item>(items: ReadonlyArray<Item>, next: string | null) =>
  ({ error: false, data: items, next_page: next }) as const

/** `{error: false, message}`. */
export const message = (message: string) => ({ error: false, message }) as const

/** The text of an instant; null for none. */
export const instant = (at: Time.Instant | null): string | null => (at === null ? null : Time.toIso(at))

/** What stands before the items, between them, after each one and after all of them. */
interface Format {
  readonly contentType: string
  /** The text of an encoded item. */
  readonly text: (encoded: unknown) => string
  readonly head: string
  readonly separator: string
  readonly end: string
  readonly tail: string
}

const json: Format = {
  contentType: "application/json",
  text: JSON.stringify,
  head: '{"error":false,"data":[',
  separator: ",",
  end: "",
  tail: "]}"
}

const jsonLines: Format = {
  contentType: "application/x-ndjson",
  text: JSON.stringify,
  head: "",
  separator: "",
  end: "\n",
  tail: ""
}

/** The length from which a piece is sent, in characters. */
const PIECE = 65_536

type Pages<A, E> = Pull.Pull<ReadonlyArray<A>, E>

const breakConnection = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  Effect.sync(() => {
    if (request.source instanceof Http.IncomingMessage) request.source.destroy()
  })

/** Encodes a list piece by piece. */
class Encoder<A> {
  readonly #encode: (item: A) => unknown
  readonly #format: Format
  #items: Iterator<A> = [][Symbol.iterator]()
  #item: IteratorResult<A> = this.#items.next()
  #separator = ""

  constructor(encode: (item: A) => unknown, format: Format) {
    this.#encode = encode
    this.#format = format
  }

  /** Goes on with a page. */
  turn(page: ReadonlyArray<A>): void {
    this.#items = page[Symbol.iterator]()
    this.#item = this.#items.next()
  }

  /** The next items of the page, until there are so many characters. */
  take(limit: number): string {
    let text = ""
    while (this.#item.done !== true && text.length < limit) {
      text += this.#separator + this.#format.text(this.#encode(this.#item.value)) + this.#format.end
      this.#separator = this.#format.separator
      this.#item = this.#items.next()
    }
    return text
  }
}

const nextPage = <A, E>(pages: Pages<A, E>): Effect.Effect<ReadonlyArray<A> | null, E> =>
  Pull.catchDone(pages, () => Effect.succeed(null))

/**
 * The whole list in pieces: what was begun, the rest of the encoder's page, then `page`, then what
 * is left to pull.
 */
const pieces = <A, E>(
  begun: string,
  encoder: Encoder<A>,
  page: ReadonlyArray<A>,
  pages: Pages<A, E>,
  tail: string
): Stream.Stream<Uint8Array, E> => {
  const bytes = new TextEncoder()
  let text = begun
  let following: ReadonlyArray<A> | undefined = page
  let isWhole = false
  const send = (): readonly [Uint8Array] => {
    const piece = bytes.encode(text)
    text = ""
    return [piece]
  }
  const more: Effect.Effect<readonly [Uint8Array], E | Cause.Done> = Effect.suspend(() => {
    text += encoder.take(PIECE - text.length)
    if (text.length >= PIECE) return Effect.succeed(send())
    return Effect.flatMap(following === undefined ? nextPage(pages) : Effect.succeed(following), (found) => {
      following = undefined
      if (found !== null) {
        encoder.turn(found)
        return more
      }
      isWhole = true
      text += tail
      return Effect.succeed(send())
    })
  })
  const next = Effect.suspend(() => (isWhole ? Cause.done() : Effect.andThen(Turns.piece, more)))
  return Stream.fromPull(Effect.succeed(next))
}

const answer = Effect.fnUntraced(function* <A, E extends Errors.Failure>(
  items: Stream.Stream<A, E>,
  encode: (item: A) => unknown,
  format: Format
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope> {
  const request = yield* HttpServerRequest.HttpServerRequest
  const current = yield* RequestContext.Current
  const pages = yield* Stream.toPull(items)
  const encoder = new Encoder<A>(encode, format)
  let begun = format.head
  let page = yield* nextPage(pages)
  while (page !== null && begun.length < PIECE) {
    encoder.turn(page)
    begun += encoder.take(PIECE - begun.length)
    page = yield* nextPage(pages)
  }
  const { contentType, tail } = format
  if (page === null) {
    return HttpServerResponse.text(begun + encoder.take(Number.POSITIVE_INFINITY) + tail, { contentType })
  }

  const whole = pieces(begun, encoder, page, pages, tail).pipe(
    Stream.tapCause((cause) =>
      Effect.andThen(Errors.log("A list broke off", cause), breakConnection(request)).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(RequestContext.Current, current)
      )
    )
  )
  return HttpServerResponse.stream(whole, { contentType })
})

type Answer<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Answers `{"error":false,"data":[…]}` with the items of a stream. A list that is shorter than a
 * piece or is one chunk is sent whole, with its length; a longer one is sent piece by piece.
 */
export const list = <A, E extends Errors.Failure>(
  items: Stream.Stream<A, E>,
  encode: (item: A) => unknown
): Answer<E> => answer(items, encode, json)

/** Answers with a line of JSON for each item, as they come. */
export const lines = <A, E extends Errors.Failure>(
  items: Stream.Stream<A, E>,
  encode: (item: A) => unknown
): Answer<E> => answer(items, encode, jsonLines)

const CSV = "text/csv"

/**
 * Answers with a table, as items come: a line of the names of columns, and a line for each item.
 * Null is an empty cell.
 */
export const csv = <A, Item, E extends Errors.Failure>(
  items: Stream.Stream<A, E>,
  columns: ReadonlyArray<keyof Item & string>,
  encode: (item: A) => Item
): Answer<E> =>
  answer(items, (item) => Csv.line(columns, encode(item)), {
    contentType: `${CSV}; charset=utf-8`,
    text: String,
    head: `${columns.join(",")}${Csv.END}`,
    separator: "",
    end: Csv.END,
    tail: ""
  })

/** Answers with a table if the caller accepts one, else with a list. */
export const listOrCsv = <A, Item, E extends Errors.Failure>(
  accept: string | undefined,
  items: Stream.Stream<A, E>,
  columns: ReadonlyArray<keyof Item & string>,
  encode: (item: A) => Item
): Answer<E> => (accept?.includes(CSV) === true ? csv(items, columns, encode) : list(items, encode))
