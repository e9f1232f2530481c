/**
 * Unbounded lists, sent while they are read (rule W4). The process holds two pages of a list at most, and a slow reader
 * delays nobody else. A list that fails in its first two pages is answered with an error. One that fails later breaks
 * the connection, so that the client does not take a part for the whole.
 */
import { Array as Arr, Effect, Pull, type Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Http from "node:http"
import { RequestContext } from "simplan"
import * as ErrorLog from "./ErrorLog.ts"
import type * as Errors from "./Errors.ts"

const HEAD = '{"error":false,"data":['
const TAIL = "]}"
const json = { contentType: "application/json" }

const texts = <A>(encode: (item: A) => unknown) => {
  const written = (items: ReadonlyArray<A>): string => items.map((item) => JSON.stringify(encode(item))).join(",")
  return { written, further: (items: ReadonlyArray<A>): string => `,${written(items)}` }
}

const breakConnection = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  Effect.sync(() => {
    if (request.source instanceof Http.IncomingMessage) request.source.destroy()
  })

const nextPage = <A, E>(pull: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E>): Effect.Effect<ReadonlyArray<A>, E> =>
  Pull.catchDone(pull, () => Effect.succeed<ReadonlyArray<A>>([]))

/**
 * Answers `{"error":false,"data":[…]}` with the items of a stream. A list of one chunk is sent whole, with its length; a
 * longer one is sent chunk by chunk.
 */
export const list = Effect.fnUntraced(function* <A, E extends Errors.Failure>(
  items: Stream.Stream<A, E>,
  encode: (item: A) => unknown
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope> {
  const request = yield* HttpServerRequest.HttpServerRequest
  const current = yield* RequestContext.Current
  const { further, written } = texts(encode)
  const pull = yield* Stream.toPull(items)
  const first = yield* nextPage(pull)
  const second = first.length === 0 ? first : yield* nextPage(pull)
  const begun = HEAD + written(first)
  if (!Arr.isReadonlyArrayNonEmpty(second)) return HttpServerResponse.text(begun + TAIL, json)

  const chunks = Stream.concat(
    Stream.succeed(begun + further(second)),
    Stream.fromPull(Effect.succeed(pull)).pipe(Stream.chunks, Stream.map(further))
  )
  const whole = Stream.concat(chunks, Stream.succeed(TAIL)).pipe(
    Stream.encodeText,
    Stream.tapCause((cause) =>
      Effect.andThen(ErrorLog.log("A list broke off", cause), breakConnection(request)).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(RequestContext.Current, current)
      )
    )
  )
  return HttpServerResponse.stream(whole, json)
})
