/**
 * The two kinds of methods, those that read and those that write: both check their request and that
 * its organization exists; one that writes takes an idempotency key (rule W2). Lists are async
 * iterables, and have pages whose tokens are opaque to the host.
 */
import { type Context, Effect, Result, Schema, Stream } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { createHash } from "node:crypto"
import { types } from "node:util"
import { IdempotencyKeys, Organizations, Refusal, Services } from "simplan"
import { Idempotency, type Storage } from "simplan/ports"
import type { View } from "simplan/views"
import { Operation } from "../operations/index.ts"
import { Fields } from "../fields/index.ts"
import * as Errors from "./errors/Errors.ts"
import type * as Failures from "./errors/Failures.ts"
import * as Arguments from "./Arguments.ts"
import * as Routed from "./ports/Routed.ts"
import type { Provided, Runtime } from "./Runtime.ts"
import type { CallOptions, List, Page, PagedList, PageRequest, WriteOptions } from "./types/Calls.ts"

type Use<A> = Effect.Effect<A, unknown, Provided>

/** Checks a request; throws an `InvalidFieldError`. */
export type Decode<Request> = (method: string, request: unknown) => Request

/** What a method is, beside what it does. */
export interface Method<Request> {
  /** Such as `plans.create`. */
  readonly name: string
  readonly decode: Decode<Request>
  /** The host's names of fields that the domain names otherwise. */
  readonly fields?: Readonly<Record<string, string>>
}

const decodeCall = Arguments.decoder(
  Schema.Struct({
    signal: Schema.optional(Arguments.Signal),
    timeout: Schema.optional(Schema.Unknown),
    idempotencyKey: Schema.optional(Schema.Unknown),
    request: Schema.optional(
      Schema.Struct({
        requestId: Schema.optional(Schema.String),
        address: Schema.optional(Schema.String),
        actor: Schema.optional(Schema.String),
        reason: Schema.optional(Arguments.Why)
      })
    )
  }),
  "the options"
)

/** Checks the options of a call. */
const checkOptions = (method: string, options: unknown): void => {
  if (options !== undefined) decodeCall(`${method}, options`, options)
}

/** The options of a call, checked. */
export const checkedOptions = <Options extends CallOptions>(
  method: string,
  options: Options | undefined
): Options | undefined => {
  checkOptions(method, options)
  return options
}

const organizationIn = (request: object): string | undefined =>
  "organizationId" in request && typeof request.organizationId === "string" ? request.organizationId : undefined

const existing = (organizationId: string | undefined): Use<void> =>
  organizationId === undefined
    ? Effect.void
    : Effect.flatMap(Organizations.Organizations, (organizations) => organizations.check({ organizationId }))

/**
 * The call as its errors name it. It has to be made before anything is awaited, while the host is
 * on the stack.
 */
const callOf = <Request>({ fields, name }: Method<Request>, request: unknown): Failures.Call => {
  const site: { readonly stack?: string } = {}
  Error.captureStackTrace(site, callOf)
  return { method: name, request, fields, site }
}

/** A method that reads. */
export const reading =
  <Request extends object, A>(runtime: Runtime, method: Method<Request>, use: (request: Request) => Use<A>) =>
  async (request: unknown, options?: CallOptions): Promise<A> => {
    checkOptions(method.name, options)
    const decoded = method.decode(method.name, request)
    const effect = Effect.andThen(existing(organizationIn(decoded)), use(decoded))
    return runtime.run(callOf(method, request), effect, options)
  }

/** How many items are read at once if a list is iterated. */
const ITERATED = 100

const PRESET = 25

const decodePage = Arguments.decoder(
  Schema.Struct({
    size: Schema.optional(Fields.integer(1, ITERATED)),
    after: Schema.optional(Schema.NullOr(Schema.String))
  }),
  "the options"
)

/** A position in a list, and its token. */
interface Cursor<Position> {
  readonly write: (position: Position) => string
  /** Undefined if this service cannot have made the token. */
  readonly read: (token: string) => Position | undefined
}

const decoded = (token: string): string => {
  const text = Result.getOrUndefined(Base64Url.decodeString(token))
  return text !== undefined && Fields.textProblem(text) === undefined ? text : ""
}

/** A position in a list ordered by creation. */
export const byCreation: Cursor<Storage.CreatedCursor> = {
  write: ({ createdAt, id }) => Base64Url.encode(`${createdAt}:${id}`),
  read: (token) => {
    const [, createdAt, id] = /^(-?\d{1,15}):([\x21-\x7e]{1,200})$/.exec(decoded(token)) ?? []
    return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id }
  }
}

/** A position in the order of import. */
export const byImport: Cursor<number> = {
  write: (position) => Base64Url.encode(String(position)),
  read: (token) => (/^\d{1,15}$/.test(decoded(token)) ? Number(decoded(token)) : undefined)
}

/**
 * The position of a token; null without one. A token of something else is an `InvalidFieldError`.
 */
const position = <Position>(
  cursor: Cursor<Position>,
  token: string | null | undefined,
  method: string
): Position | null => {
  if (token === undefined || token === null) return null
  const found = cursor.read(token)
  if (found === undefined) throw Arguments.invalid(method, "after", "must be a token that `next` gave", token)
  return found
}

const toArray = async <Item>(items: AsyncIterable<Item>): Promise<Array<Item>> => {
  const found: Array<Item> = []
  for await (const item of items) found.push(item)
  return found
}

/** The list whose items `iterate` gives. */
const listOf = <Item>(iterate: () => AsyncIterator<Item>): List<Item> => {
  const items = { [Symbol.asyncIterator]: iterate }
  return { ...items, toArray: () => toArray(items) }
}

/** The list whose pages `read` gives. */
const paged = <Item, Position>(
  method: string,
  cursor: Cursor<Position>,
  read: (of: {
    readonly after: Position | null
    readonly limit: number
  }) => Promise<{ readonly items: ReadonlyArray<Item>; readonly next: Position | null }>
): PagedList<Item> => {
  async function* iterate(): AsyncGenerator<Item, void> {
    let after: Position | null = null
    do {
      const page: { readonly items: ReadonlyArray<Item>; readonly next: Position | null } = await read({
        after,
        limit: ITERATED
      })
      yield* page.items
      after = page.next
    } while (after !== null)
  }
  const page = async (of: PageRequest = {}): Promise<Page<Item>> => {
    const { after, size = PRESET } = decodePage(`${method}.page`, of)
    const { items, next } = await read({ after: position(cursor, after, `${method}.page`), limit: size })
    return { items, next: next === null ? null : cursor.write(next) }
  }
  return { ...listOf(iterate), page }
}

/**
 * A method that gives a list. A wrong request is thrown at once. `keyed` is what it does under an
 * idempotency key, if the request takes one: then the list begins when all is done.
 */
export const streaming =
  <Request extends object, A, Kind extends keyof Idempotency.Answers = never>(
    runtime: Runtime,
    method: Method<Request>,
    use: (request: Request) => Effect.Effect<Stream.Stream<A, unknown>, unknown, Provided>,
    keyed?: (request: Request) => Writing<Kind, ReadonlyArray<A>> | null
  ) =>
  (request: unknown, options?: WriteOptions): List<A> => {
    const { name } = method
    checkOptions(name, options)
    const decoded = method.decode(name, request)
    const once = keyed?.(decoded) ?? null
    const key = once === null ? undefined : keyOf(name, options)
    const done =
      once === null || key === undefined
        ? use(decoded)
        : Effect.map(underKey(name, decoded, key, once), Stream.fromIterable)
    const stream = Stream.unwrap(Effect.andThen(existing(organizationIn(decoded)), done))
    return listOf(() => runtime.iterate(callOf(method, request), stream, options))
  }

/** A method that gives a list of pages. A wrong request is thrown at once. */
export const paging =
  <Request extends object, Item, A, Position>(
    runtime: Runtime,
    method: Method<Request>,
    cursor: Cursor<Position>,
    use: (
      request: Request,
      page: { readonly after: Position | null; readonly limit: number }
    ) => Use<{ readonly items: ReadonlyArray<Item>; readonly next: Position | null }>,
    shape: (item: Item) => A
  ) =>
  (request?: unknown, options?: CallOptions): PagedList<A> => {
    checkOptions(method.name, options)
    const decoded = method.decode(method.name, request ?? {})
    const read = async (page: { readonly after: Position | null; readonly limit: number }) => {
      const effect = Effect.andThen(existing(organizationIn(decoded)), use(decoded, page))
      const { items, next } = await runtime.run(callOf(method, request), effect, options)
      return { items: items.map(shape), next }
    }
    return paged(method.name, cursor, read)
  }

// What is iterated over has no value before it is read. A field that is undefined is not there.
const jsonOf = (value: unknown): unknown => {
  if (types.isDate(value)) return value.toISOString()
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== "object" || value === null) return value
  if (Symbol.iterator in value || Symbol.asyncIterator in value) return null
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, jsonOf(field)]))
}

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

const keyOf = (method: string, options: WriteOptions | undefined): string | undefined => {
  const key: unknown = options?.idempotencyKey
  if (key === undefined) return undefined
  if (typeof key === "string" && PRINTABLE.test(key)) return key
  throw new Errors.InvalidFieldError({
    code: "invalid_idempotency_key",
    status: 400,
    field: "idempotencyKey",
    message: `${method}: idempotencyKey must be 1 to 255 printable ASCII characters, not ${Arguments.shown(key)}`
  })
}

/**
 * What a method that writes does: the part that is done once, and what is returned for its answer,
 * first or repeated.
 */
export interface Writing<Kind extends keyof Idempotency.Answers, A> {
  readonly kind: Kind
  readonly run: Use<Idempotency.Answers[Kind]>
  readonly reply: (answer: Idempotency.Answers[Kind]) => Use<A>
}

/** Runs once for each idempotency key; its answer is kept as one of this kind. */
export const once = <Kind extends keyof Idempotency.Answers, A>(
  kind: Kind,
  run: Use<Idempotency.Answers[Kind]>,
  reply: (answer: Idempotency.Answers[Kind]) => Use<A>
): Writing<Kind, A> => ({ kind, run, reply })

/**
 * A call that writes, and keeps its idempotency key itself. It checks that its organization exists,
 * too.
 */
export const keyed = async <Request extends object, A>(
  runtime: Runtime,
  method: Method<Request>,
  request: unknown,
  options: WriteOptions | undefined,
  use: (request: Request, key: string | undefined) => Use<A>
): Promise<A> => {
  checkOptions(method.name, options)
  const decoded = method.decode(method.name, request)
  return runtime.run(callOf(method, request), use(decoded, keyOf(method.name, options)), options)
}

/** Does it once for the key. */
const underKey = <Kind extends keyof Idempotency.Answers, A>(
  name: string,
  decoded: object,
  key: string | undefined,
  { kind, reply, run }: Writing<Kind, A>
): Use<A> => {
  const once = Effect.flatMap(IdempotencyKeys.IdempotencyKeys, (keys) => keys.once(kind, run))
  const keyed =
    key === undefined
      ? run
      : Effect.provideService(once, IdempotencyKeys.CurrentRequest, {
          organizationId: organizationIn(decoded) ?? "",
          key,
          fingerprint: createHash("sha256")
            .update(Idempotency.meaning(name, jsonOf(decoded)))
            .digest("hex")
        })
  return Effect.flatMap(keyed, reply)
}

/** A method that writes. */
export const writing =
  <Request extends object, Kind extends keyof Idempotency.Answers, A>(
    runtime: Runtime,
    method: Method<Request>,
    use: (request: Request) => Writing<Kind, A>
  ) =>
  async (request: unknown, options?: WriteOptions): Promise<A> => {
    const { name } = method
    checkOptions(name, options)
    const decoded = method.decode(name, request)
    const key = keyOf(name, options)
    const keyed = underKey(name, decoded, key, use(decoded))
    const effect = Effect.andThen(existing(organizationIn(decoded)), keyed)
    return runtime.run(callOf(method, request), effect, options)
  }

type AnswerOf<Form, A> = Form extends "List" ? ReadonlyArray<A> : A

/** The method that hosts have of a row. It checks its request, whatever its type says. */
type MethodOf<Row> =
  Row extends Operation.Of<infer Form, infer _Route, infer Request, infer Answer>
    ? Form extends "Page"
      ? (request?: unknown, options?: CallOptions) => PagedList<View.Host<Answer>>
      : Form extends "Done"
        ? (request: unknown, options?: WriteOptions) => Promise<void>
        : keyof Request extends never
          ? (options?: WriteOptions) => Promise<AnswerOf<Form, View.Host<Answer>>>
          : (request?: unknown, options?: WriteOptions) => Promise<AnswerOf<Form, View.Host<Answer>>>
    : never

/** The URLs of webhook endpoints: hosts get them as they are. */
export const urlsOf = ({ checkUrl }: Runtime): Operation.Urls => ({
  check: (url) =>
    Effect.flatMap(
      Effect.promise(() => checkUrl(url)),
      (message) =>
        message === undefined ? Effect.void : Effect.fail(new Refusal.InvalidField({ field: "url", message }))
    ),
  shown: (url) => url
})

const processOf = (context: Context.Context<Provided>): Operation.Process => ({
  version: null,
  telcos: () => Routed.telcos(context) ?? Operation.onlyTelco
})

const ofHost: Operation.Within = { organizationId: null }

const Counted = Schema.Struct({ count: Schema.Number, next: Schema.NullOr(Schema.String) })

/** The services, which are found once: those that were started stay until the end. */
const servicesOf = (runtime: Runtime): Use<Operation.Services> => {
  const urls = urlsOf(runtime)
  let found: Operation.Services | null = null
  const find = Effect.contextWith((context: Context.Context<Provided>) =>
    Effect.map(Effect.all(Services.byName), (services) => {
      found = { ...services, urls, process: processOf(context) }
      return found
    })
  )
  return Effect.suspend(() => (found === null ? find : Effect.succeed(found)))
}

const ofRow = (runtime: Runtime, services: Use<Operation.Services>, name: string, row: Operation.Row) => {
  const decode = Arguments.ofView(row.request)
  const mayBeLeftOut = Object.values(row.request.fields).every(({ isOptional }) => isOptional)
  const method: Method<object> = {
    name,
    decode: (method, request) => decode(method, request === undefined && mayBeLeftOut ? {} : request)
  }
  const using = <A>(use: (services: Operation.Services) => Use<A>) => Effect.flatMap(services, use)
  switch (row.form) {
    case "Item":
    case "List": {
      const call = (request: object) => using((services) => row.call(services, request, ofHost))
      const toHost = (answer: unknown) => row.toHost(answer)
      const made =
        row.isKept === true
          ? writing(runtime, method, (request) =>
              json(Schema.Unknown, call(request), (answer) => Effect.sync(() => toHost(answer)))
            )
          : reading(runtime, method, (request) => Effect.map(call(request), toHost))
      const hasRequest = Object.keys(row.request.fields).length > 0
      return hasRequest ? made : (options?: WriteOptions) => made({}, options)
    }
    case "Once": {
      const call = (request: object) => using((services) => row.call(services, request, ofHost))
      const toHost = (made: unknown) => row.toHost(made)
      const preview = reading(runtime, method, (request) => Effect.map(call(request), toHost))
      const make = writing(runtime, method, (request) =>
        once(row.kind, call(request), (made) => Effect.sync(() => toHost(made)))
      )
      return (request: unknown, options?: WriteOptions) => (isPreview(request) ? preview : make)(request, options)
    }
    case "Page":
      return paging(
        runtime,
        method,
        byCreation,
        (request, page) => using((services) => row.call(services, { ...request, ...page }, ofHost)),
        row.toHost
      )
    case "Done":
      return writing(runtime, method, (request) => done(using((services) => row.call(services, request, ofHost))))
    case "Part":
      return writing(runtime, method, (request) => {
        const after = position(byCreation, tokenIn(request), name)
        const run = Effect.map(
          using((services) => row.call(services, { ...request, after }, ofHost)),
          ({ count, next }) => ({ count, next: next === null ? null : byCreation.write(next) })
        )
        return json(Counted, run, ({ count, next }) =>
          Effect.succeed({ [row.counts]: count, hasMore: next !== null, next })
        )
      })
  }
}

const isPreview = (request: unknown): boolean =>
  typeof request === "object" && request !== null && "dryRun" in request && request.dryRun === true

const tokenIn = (request: object): string | undefined =>
  "after" in request && typeof request.after === "string" ? request.after : undefined

/**
 * The methods of the rows of a group. What makes something that is answered once keeps no
 * idempotency key: with one, a secret would have to be stored.
 */
export function ofRows<Rows extends Operation.Rows>(
  runtime: Runtime,
  group: string,
  rows: Rows
): { readonly [Name in keyof Rows]: MethodOf<Rows[Name]> }
export function ofRows(runtime: Runtime, group: string, rows: Operation.Rows): object {
  const services = servicesOf(runtime)
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, ofRow(runtime, services, `${group}.${name}`, row)])
  )
}

/** A method whose request is a view. */
export const method = <Fields extends View.AnyFields>(
  name: string,
  view: View.View<Fields>
): Method<View.Domain<Fields>> => ({ name, decode: Arguments.ofView(view) })

/** What is done, with no result. */
export const done = (run: Use<unknown>): Writing<"Done", void> => ({
  kind: "Done",
  run: Effect.as(run, null),
  reply: () => Effect.void
})

/** An answer that has no kind of its own, kept as JSON that the schema reads again. */
export const json = <S extends Schema.ConstraintCodec<unknown, unknown>, A>(
  schema: S,
  run: Use<S["Type"]>,
  reply: (answer: S["Type"]) => Use<A>
): Writing<"Json", A> => {
  const text = Schema.fromJsonString(schema)
  return {
    kind: "Json",
    run: Effect.flatMap(run, Schema.encodeEffect(text)),
    reply: (answer) => Effect.flatMap(Effect.orDie(Schema.decodeUnknownEffect(text)(answer)), reply)
  }
}
