/**
 * Handlers of the endpoints that are made of rows of operations: each decodes its request, calls
 * the row's use case, and answers.
 */
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Copy, View } from "simplan/views"
import type { Operation } from "../../operations/index.ts"
import * as Rows from "../api/Rows.ts"
import * as Schemas from "../api/Schemas.ts"
import * as Views from "../api/Views.ts"
import type * as Idempotency from "../middleware/Idempotency.ts"
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

/** How the request of a row is read: what the path, the query and the body have of it. */
const requestOf = (row: Operation.Row) => {
  const { asked, hasBody, inBody, named, sent } = Rows.fieldsOf(row)
  const copySent = Copy.fromWire(sent)
  const decodeBody = hasBody ? Body.closedDecoder(Views.body(row.request, inBody)) : null
  const parameters = Object.entries(asked).flatMap(([name, field]) => View.wireName(name, field) ?? [])

  const ofPath = ({ params }: Call): Fields => {
    const found = fieldsIn(params)
    return Object.fromEntries(named.map(({ field, name, parameter }) => [field.from ?? name, found[parameter]]))
  }

  const ofQuery = ({ query }: Call): Fields => {
    const given = fieldsIn(query)
    return Object.fromEntries(parameters.flatMap((name) => (name in given ? [[name, given[name]]] : [])))
  }

  const decode = Effect.fnUntraced(function* (call: Call, body: unknown) {
    yield* Query.texts(fieldsIn(call.query))
    const decoded = decodeBody === null ? {} : fieldsIn(yield* decodeBody(body))
    return { ...ofPath(call), ...copySent({ ...decoded, ...ofQuery(call) }) }
  })

  return {
    ofPath,
    decode,
    read: Effect.fnUntraced(function* (call: Call) {
      return yield* decode(call, hasBody ? (yield* Body.read(call.request)).value : undefined)
    })
  }
}

/** The handler of what is done once for an idempotency key (rule W2). A preview ignores the key. */
const onceOf = (services: Operation.Services, row: Operation.Of<"Once">, once: Idempotency.Once) => {
  const { decode, ofPath } = requestOf(row)
  const shape = (made: unknown) => Responses.data(row.toWire(made))
  return Effect.fnUntraced(function* (call: Call) {
    const sent = yield* Body.read(call.request)
    const run = Effect.flatMap(decode(call, sent.value), (asked) => row.call(services, asked, call.caller))
    if (textIn(fieldsIn(call.query), "dry_run") === "true") return call.respond(shape(yield* run))
    const organizationId = textIn(ofPath(call), "organizationId") ?? ""
    const { request } = call
    const keyed = { caller: { organizationId }, request, respond: (body: unknown) => call.respond(body) }
    return yield* once(row.kind, keyed, sent, run, shape)
  })
}

const handlerOf = (services: Operation.Services, row: Exclude<Operation.Row, Operation.Of<"Once">>) => {
  const { read } = requestOf(row)

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

/** Makes a handler for each row. Rows that are done once for an idempotency key need `once`. */
export function handlers<Rows extends Operation.Rows>(
  services: Operation.Services,
  rows: Rows,
  once?: Idempotency.Once
): { readonly [Name in keyof Rows]: ReturnType<typeof handlerOf> | ReturnType<typeof onceOf> }
export function handlers(services: Operation.Services, rows: Operation.Rows, once?: Idempotency.Once): object {
  const made = (row: Operation.Row) => {
    if (row.form !== "Once") return handlerOf(services, row)
    if (once === undefined) throw new Error(`${row.route} takes an idempotency key`)
    return onceOf(services, row, once)
  }
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, made(row)]))
}
