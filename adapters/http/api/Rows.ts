/**
 * Endpoints of the management API, made of the rows of operations.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { View } from "simplan/views"
import { Operation } from "../../operations/index.ts"
import type { Codes } from "../../fields/index.ts"
import * as Roles from "./Roles.ts"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"

/** The field that is in the query though there is a body (rule S9). */
const DRY_RUN = "dry_run"

type VerbOf<Route> = Route extends `${infer Verb extends Operation.Verb} ${string}` ? Verb : never

type PathOf<Route> = Route extends `${string} ${infer Path extends `/${string}`}?`
  ? Path
  : Route extends `${string} ${infer Path extends `/${string}`}`
    ? Path
    : never

type IsInQuery<Route> = Route extends `GET ${string}` | `${string}?` ? true : false

type Sent<Route, Fields extends View.AnyFields> = Omit<View.Wire<Fields>, Operation.Parameters<PathOf<Route>>>

type Texts<Fields> = { readonly [Name in keyof Fields]: Views.AsText<Fields[Name]> }

/** The parameters of a page. */
export interface Paging {
  readonly page_size?: string
  readonly page?: string
}

/** A codec of these fields; none if there are no fields. */
type CodecOf<Fields> = keyof Fields extends never ? never : Schema.Codec<Fields>

type QueryOf<Route, Request extends View.AnyFields, Form> = Form extends "Page"
  ? Schema.Codec<Texts<Sent<Route, Request>> & Paging>
  : IsInQuery<Route> extends true
    ? CodecOf<Texts<Sent<Route, Request>>>
    : CodecOf<Texts<Pick<Sent<Route, Request>, keyof Sent<Route, Request> & typeof DRY_RUN>>>

type BodyOf<Route, Request extends View.AnyFields> =
  IsInQuery<Route> extends true ? never : CodecOf<Omit<Sent<Route, Request>, typeof DRY_RUN>>

/** A body with what was asked for. */
export interface Data<A> {
  readonly error: false
  readonly data: A
}

/** A body with a page. */
export interface PageOf<A> extends Data<ReadonlyArray<A>> {
  readonly next_page: string | null
}

type AnswerOf<Form, A> = Form extends "Page" ? PageOf<A> : Data<Form extends "List" ? ReadonlyArray<A> : A>

/** The endpoint of a row. */
export type EndpointOf<Id extends string, Row> =
  Row extends Operation.Of<infer Form, infer Route, infer Request, infer Answer>
    ? HttpApiEndpoint.HttpApiEndpoint<
        Id,
        VerbOf<Route>,
        PathOf<Route>,
        CodecOf<{ readonly [Name in Operation.Parameters<PathOf<Route>>]: string }>,
        QueryOf<Route, Request, Form>,
        BodyOf<Route, Request>,
        never,
        Schema.Codec<AnswerOf<Form, View.Wire<Answer>>>,
        ReturnType<typeof Schemas.problems>[number]
      >
    : never

/** The group of the endpoints of some rows, which have the names of the rows. */
export type GroupOf<Id extends string, Rows> = HttpApiGroup.HttpApiGroup<
  Id,
  { [Name in keyof Rows & string]: EndpointOf<Name, Rows[Name]> }[keyof Rows & string]
>

const errorsOf = (row: Operation.Row, path: string, hasBody: boolean) => {
  const { errors = [], isOfService, role } = row
  return Schemas.problems(
    ...new Set<Codes.Code>([
      ...(role === "read" ? Schemas.managing : Schemas.restricted),
      ...(isOfService === true ? ["route_not_found" as const] : []),
      ...(hasBody ? Schemas.withBody : []),
      ...(row.form === "Once" ? Schemas.once : []),
      ...(path.startsWith("/organizations/:id") ? ["organization_not_found" as const] : []),
      ...errors
    ])
  )
}

const successOf = (row: Operation.Row) => {
  const { answer, form } = row
  if (row.form === "Page") {
    const page = Schemas.page(Views.answer(answer))
    return row.stream === undefined ? page : ([page, Schemas.jsonLines] as const)
  }
  if (form === "List") return Schemas.data(Schema.Array(Views.answer(answer)))
  const data = Schemas.data(form === "Done" ? Views.unnamed(answer) : Views.answer(answer))
  return row.form === "Once" || (row.form === "Item" && row.makes === true)
    ? data.pipe(HttpApiSchema.status(201))
    : data
}

/**
 * The fields of a request by where they are: those that the path names; `sent`: all others, of
 * which `asked` are in the query and `inBody` in the body.
 */
export const fieldsOf = ({ request, route }: Pick<Operation.Row, "request" | "route">) => {
  const { inQuery, parameters, path, verb } = Operation.parts(route)
  const fields = Object.entries(request.fields).map(([name, field]) => {
    const parameter = Operation.parameterOf(name, field)
    return { name, field, parameter: parameter !== null && parameters.includes(parameter) ? parameter : null }
  })
  const named = fields.flatMap(({ field, name, parameter }) => (parameter === null ? [] : [{ field, name, parameter }]))
  const sent: View.AnyFields = Object.fromEntries(
    fields.flatMap(({ field, name, parameter }) =>
      parameter === null && View.wireName(name, field) !== null ? [[name, field]] : []
    )
  )
  const isAsked = ([name, field]: readonly [string, View.AnyField]) => inQuery || View.wireName(name, field) === DRY_RUN
  const all = Object.entries(sent)
  const asked: View.AnyFields = Object.fromEntries(all.filter(isAsked))
  const inBody: View.AnyFields = Object.fromEntries(all.filter((one) => !isAsked(one)))
  return { verb, path, hasBody: Object.keys(inBody).length > 0, named, sent, asked, inBody }
}

/** How many items a page has if the request does not say. */
export const pageSizeOf = ({ pageSize = Schemas.MANAGEMENT_PAGE_SIZE }: Operation.Of<"Page">): number => pageSize

const endpoint = (identifier: string, row: Operation.Row) => {
  const { asked, hasBody, inBody, named, path, verb } = fieldsOf(row)
  if (hasBody && verb !== "POST" && verb !== "PUT") throw new Error(`${row.route} has a body`)
  const params = Object.fromEntries(
    named.map(({ field, parameter }) => [
      parameter,
      parameter === "id" ? Schemas.ofOrganization.id : Views.pathParameter(field)
    ])
  )
  const query = { ...(row.form === "Page" && Schemas.paging(100, pageSizeOf(row))), ...Views.query(asked) }
  const given = {
    ...(named.length > 0 && { params }),
    ...(Object.keys(query).length > 0 && { query }),
    success: successOf(row),
    error: errorsOf(row, path, hasBody)
  }
  const annotations = (row.isOfService === true ? Roles.ofService : Roles.operation)(row.role, row.title, row.text)
  const sending = () => ({ ...given, payload: Views.body(row.request, inBody) })
  const made = !hasBody
    ? HttpApiEndpoint.make(verb)(identifier, path, given)
    : verb === "PUT"
      ? HttpApiEndpoint.put(identifier, path, sending())
      : HttpApiEndpoint.post(identifier, path, sending())
  return made.annotateMerge(annotations)
}

/** Makes the group of the endpoints of some rows. */
export function group<const Id extends string, const Rows extends Operation.Rows>(
  identifier: Id,
  rows: Rows
): GroupOf<Id, Rows>
export function group(identifier: string, rows: Operation.Rows): unknown {
  const [first, ...others] = Object.entries(rows).map(([name, row]) => endpoint(name, row))
  return first === undefined ? HttpApiGroup.make(identifier) : HttpApiGroup.make(identifier).add(first, ...others)
}
