/**
 * Handlers of the endpoints that are made of rows of operations: each decodes its request, calls
 * the row's use case, and answers.
 */
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Copy } from "simplan/views"
import type { Operation } from "../../operations/index.ts"
import * as Rows from "../api/Rows.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Views from "../api/Views.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

type Fields = Readonly<Record<string, unknown>>

/** A request, as far as rows read it. */
interface Call {
  readonly params?: unknown
  readonly query?: unknown
  readonly caller: Operation.Within
  readonly request: HttpServerRequest.HttpServerRequest
  respond(body: unknown): HttpServerResponse.HttpServerResponse
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" ? value : undefined
}

const badPlace = Errors.invalidField("after", "must be a token that next gave")

const handlerOf = (services: Operation.Services, row: Operation.Row) => {
  const { hasBody, named, sent } = Rows.fieldsOf(row)
  const copySent = Copy.fromWire(sent)
  const decodeBody = hasBody ? Body.closedDecoder(Views.body(row.request, sent)) : null

  const ofPath = (params: unknown): Fields => {
    const found = fieldsIn(params)
    return Object.fromEntries(named.map(({ field, name, parameter }) => [field.from ?? name, found[parameter]]))
  }

  const read = Effect.fnUntraced(function* ({ params, query, request }: Call) {
    if (decodeBody === null) {
      const given = fieldsIn(query)
      yield* Query.texts(given)
      return { ...ofPath(params), ...copySent(given) }
    }
    const { value } = yield* Body.read(request)
    return { ...ofPath(params), ...copySent(yield* decodeBody(value)) }
  })

  const answer = Effect.fnUntraced(function* (call: Call) {
    const asked = yield* read(call)
    switch (row.form) {
      case "Item":
      case "List":
        return Responses.data(row.toWire(yield* row.call(services, asked, call.caller)))
      case "Done":
        yield* row.call(services, asked, call.caller)
        return Responses.data(row.toWire(asked))
      case "Page": {
        if (row.stream !== undefined && call.request.headers["accept"]?.includes(Schemas.JSON_LINES) === true) {
          return yield* Responses.lines(row.stream(services, asked), row.toWire)
        }
        const query = fieldsIn(call.query)
        const asksFor = { page_size: textIn(query, "page_size"), page: textIn(query, "page") }
        const page = yield* Query.keyset(asksFor, Rows.pageSizeOf(row))
        const { items, next } = yield* row.call(services, { ...asked, ...page }, call.caller)
        return Responses.page(items.map(row.toWire), Query.createdToken(next))
      }
      case "Part": {
        const place = Effect.fromResult(Query.createdCursor(textIn(asked, "after")))
        const after = yield* Effect.mapError(place, () => badPlace)
        const { count, next } = yield* row.call(services, { ...asked, after }, call.caller)
        return Responses.data({ [row.counts]: count, has_more: next !== null, next: Query.createdToken(next) })
      }
    }
  })

  return (call: Call) => Effect.map(answer(call), (body) => call.respond(body))
}

/** Makes a handler for each row. */
export function handlers<Rows extends Operation.Rows>(
  services: Operation.Services,
  rows: Rows
): { readonly [Name in keyof Rows]: ReturnType<typeof handlerOf> }
export function handlers(services: Operation.Services, rows: Operation.Rows): object {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, handlerOf(services, row)]))
}
