/**
 * Operations as rows: what takes a request, calls one use case and shapes its answer. The
 * management API's endpoints and handlers, the client, the document and the library's methods are
 * read from the rows.
 *
 * A request's fields are in the path if it names them, `:id` the organization's; else in the
 * body, or in the query of what reads, or whose route says so. `dryRun` is always in the query
 * (rule S9). Rows load neither the service nor a
 * server, since clients read them too.
 */
import type { Effect, Stream } from "effect"
import type { Refusal, Services as Simplan } from "simplan"
import type { Idempotency, Operator, Storage } from "simplan/ports"
import { Copy, type Telcos, View } from "simplan/views"
import type { Codes } from "../fields/index.ts"

/** How an operation is sent. */
export type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * How an operation is sent, and where below `/admin/v1`: `GET /organizations/:id`. With `?` at its
 * end, the query has what the path has not, though it changes something.
 */
export type Route = `${Verb} /${string}`

/** The names of the parameters of a path. */
export type Parameters<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Parameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** A route in its parts. */
export const parts = (
  route: Route
): {
  readonly verb: Verb
  readonly path: `/${string}`
  readonly parameters: ReadonlyArray<string>
  readonly inQuery: boolean
} => {
  const [, verb, path = "", mark] = /^(\w+) \/([^?]*)(\?)?$/.exec(route) ?? []
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
  const known = verbs.find((one) => one === verb) ?? "GET"
  return { verb: known, path: `/${path}`, parameters, inQuery: known === "GET" || mark === "?" }
}

const verbs: ReadonlyArray<Verb> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

/** The name that a path has for a field. */
export const parameterOf = (name: string, field: View.AnyField): string | null =>
  name === "organizationId" ? "id" : View.wireName(name, field)

/** Why an operation fails. */
export type Failure = Refusal.Plain | Storage.StorageError

/** The URLs of webhook endpoints, which may hold secrets. */
export interface Urls {
  /** Refuses one that webhooks may not go to. */
  readonly check: (url: string) => Effect.Effect<unknown, Refusal.Plain>
  /** As answers have it. */
  readonly shown: (url: string) => string
}

/** How far a comparison of all SIMs with a telco is. */
export type ComparisonProgress = Omit<View.Of<typeof Telcos.TelcoComparison>, "telco">

/** The comparison of all SIMs with the books of a telco. */
export interface Comparison {
  /** Has all SIMs compared from now on. */
  readonly begin: Effect.Effect<ComparisonProgress, Storage.StorageError>
  /** Null: none was asked for. */
  readonly progress: Effect.Effect<ComparisonProgress | null, Storage.StorageError>
}

type Zone = View.Of<typeof Telcos.TelcoZone>

/** A telco, as far as operators see it and set it. */
export interface Telco {
  /** Absent: its books cannot be compared. */
  readonly comparison?: Comparison
  /** Absent or null: it has no location zones. */
  readonly zones?: {
    /** Sets it, and runs `record` in the same commit. */
    readonly set: (
      zone: Zone,
      record: Effect.Effect<void, Storage.StorageError>
    ) => Effect.Effect<void, Storage.StorageError | Refusal.InvalidField>
    readonly list: Effect.Effect<ReadonlyArray<Zone>, Storage.StorageError>
  } | null
}

/** The process that answers, as far as its services do not know it. */
export interface Process {
  /** The version of its build; null if nobody says. */
  readonly version: string | null
  /** The telcos that are connected now, by their names; that of the only one is null. */
  readonly telcos: () => ReadonlyMap<string | null, Telco>
}

/** The only telco, of which nothing else is known. */
export const onlyTelco: ReadonlyMap<null, Telco> = new Map([[null, {}]])

/** What operations call. */
export interface Services extends Simplan.ByName {
  readonly urls: Urls
  readonly process: Process
}

/** Which page is asked for. */
export type PageRequest = Storage.Keyset<Storage.CreatedCursor>

/** A page of a list ordered by creation. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly next: Storage.CreatedCursor | null
}

/** How far one request about many things has come. */
export interface Part {
  /** How many things it was done to. */
  readonly count: number
  /** Where the next request goes on; null if nothing is left. */
  readonly next: Storage.CreatedCursor | null
}

/** For whom it is done: hosts and most operators see all organizations. */
export type Within = Pick<Operator.Acting, "organizationId">

/** What every row has. */
export interface Declared<R extends Route, Request extends View.AnyFields> {
  readonly route: R
  readonly request: View.View<Request>
  /** The least role of the operators that may use it. */
  readonly role: Operator.Role
  /** Whether it is only for operators who are not bound to an organization; not by default. */
  readonly isOfService?: boolean
  /**
   * Whether the library keeps its answer as JSON for an idempotency key; not by default, as an
   * answer may have a secret, and the commit of some use cases keeps it.
   */
  readonly isKept?: boolean
  /** Its errors beside those that follow from the route, the role and the body. */
  readonly errors?: ReadonlyArray<Codes.Code>
  /** In a line, without a full stop. */
  readonly title: string
  /** What it does, in sentences. */
  readonly text: string
}

type Call<Request, Answer> = (services: Services, request: Request, within: Within) => Effect.Effect<Answer, Failure>

/** A row as faces read it. */
interface Base<R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>
  extends Declared<R, Request> {
  readonly answer: View.View<Answer>
  /** The wire's form of what the use case has returned: of the whole, or of an item of a page. */
  toWire(result: unknown): unknown
  /** The form that hosts get of it. */
  toHost(result: unknown): unknown
}

// Calls are methods because a parameter of a method may be of a narrower type than is declared.
type AnyCall<Answer> = { call(services: Services, request: unknown, within: Within): Effect.Effect<Answer, Failure> }

interface Forms {
  /** Answers with one thing; the status is 201 if it makes that. */
  readonly Item: AnyCall<unknown> & { readonly makes?: boolean }
  /**
   * Makes what it answers with, once for an idempotency key (rule W2): the commit of its use case
   * keeps the answer.
   */
  readonly Once: AnyCall<Idempotency.Answers["MadePlan"]> & { readonly kind: "MadePlan" }
  /** Answers with a whole list. */
  readonly List: AnyCall<ReadonlyArray<unknown>>
  /** Answers with a page of a list, or over HTTP with all of it as lines of JSON. */
  readonly Page: AnyCall<Page<unknown>> & {
    readonly pageSize?: number
    stream?(services: Services, request: unknown): Stream.Stream<unknown, Failure>
  }
  /** Answers with the id that its path ends with. */
  readonly Done: AnyCall<unknown>
  /**
   * Is repeated until its answer has no `next`; `counts` is the field that has how many things it
   * was done to.
   */
  readonly Part: AnyCall<Part> & { readonly counts: string }
}

/** A row of one form. */
export type Of<
  Form extends keyof Forms,
  R extends Route = Route,
  Request extends View.AnyFields = View.AnyFields,
  Answer extends View.AnyFields = View.AnyFields
> = Base<R, Request, Answer> & Forms[Form] & { readonly form: Form }

/** A row. */
export type Row = { readonly [Form in keyof Forms]: Of<Form> }[keyof Forms]

/** Rows of a group, by the names of their endpoints. */
export type Rows = Readonly<Record<string, Row>>

const formsOf = <Fields extends View.AnyFields>(answer: View.View<Fields>) => ({
  answer,
  toWire: Copy.toWire(answer),
  toHost: Copy.toHost(answer)
})

/** Answers with one thing. */
export const item = <const R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>(
  row: Declared<R, Request> & {
    readonly answer: View.View<Answer>
    readonly makes?: boolean
    readonly call: Call<View.Domain<Request>, View.Domain<Answer>>
  }
): Of<"Item", R, Request, Answer> => ({ ...row, ...formsOf(row.answer), form: "Item" })

/** Makes what it answers with, once for an idempotency key. */
export const once = <const R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>(
  row: Declared<R, Request> & {
    readonly answer: View.View<Answer>
    readonly kind: "MadePlan"
    readonly call: Call<View.Domain<Request>, Idempotency.Answers["MadePlan"] & View.Domain<Answer>>
  }
): Of<"Once", R, Request, Answer> => ({ ...row, ...formsOf(row.answer), form: "Once" })

/** Answers with a whole list. */
export const list = <const R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>(
  row: Declared<R, Request> & {
    readonly answer: View.View<Answer>
    readonly call: Call<View.Domain<Request>, ReadonlyArray<View.Domain<Answer>>>
  }
): Of<"List", R, Request, Answer> => {
  const { answer, toHost, toWire } = formsOf(row.answer)
  return {
    ...row,
    answer,
    toWire: (items: ReadonlyArray<View.Domain<Answer>>) => items.map(toWire),
    toHost: (items: ReadonlyArray<View.Domain<Answer>>) => items.map(toHost),
    form: "List"
  }
}

/** Answers with a page of a list. */
export const page = <const R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>(
  row: Declared<R, Request> & {
    readonly answer: View.View<Answer>
    /** How many items a page has if the request does not say. */
    readonly pageSize?: number
    readonly call: Call<View.Domain<Request> & PageRequest, Page<View.Domain<Answer>>>
    /** The whole list, if the caller accepts lines of JSON. */
    readonly stream?: (services: Services, request: View.Domain<Request>) => Stream.Stream<View.Domain<Answer>, Failure>
  }
): Of<"Page", R, Request, Answer> => ({ ...row, ...formsOf(row.answer), form: "Page" })

/** Is done, and answers with the id that its path ends with. */
export const done = <const R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>(
  row: Declared<R, Request> & {
    /** Names what it is done to. */
    readonly answer: View.View<Answer>
    readonly call: Call<View.Domain<Request>, unknown>
  }
): Of<"Done", R, Request, Answer> => ({ ...row, ...formsOf(row.answer), form: "Done" })

/**
 * Is done to many things, in parts: the request has `after`, and is repeated until its answer has
 * no `next`.
 */
export const part = <const R extends Route, Request extends View.AnyFields, Answer extends View.AnyFields>(
  row: Declared<R, Request> & {
    /** Has the count, `hasMore` and `next`. */
    readonly answer: View.View<Answer>
    readonly counts: keyof Answer & string
    readonly call: Call<Omit<View.Domain<Request>, "after"> & { readonly after: Storage.CreatedCursor | null }, Part>
  }
): Of<"Part", R, Request, Answer> => ({ ...row, ...formsOf(row.answer), form: "Part" })
