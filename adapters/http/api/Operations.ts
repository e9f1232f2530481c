/**
 * Operations of one organization, each declared once and made twice, with the same parameters,
 * bodies and answers: for `/v3`, where the key says whose they are, and for the management API,
 * where the path does (rule W14).
 */
import type { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import type { Operator } from "simplan/ports"
import type { Codes } from "../../fields/index.ts"
import * as Roles from "./Roles.ts"
import * as Schemas from "./Schemas.ts"

/** What an operation takes, answers and means. */
interface Declaration<Query, Success> {
  readonly query?: Query | undefined
  readonly success: Success
  /** Its errors beside those that every endpoint of its API has. */
  readonly errors: ReadonlyArray<Codes.Code>
  readonly summary: string
  readonly description: string
  /** Whether its answer has activation codes. */
  readonly hasCodes?: boolean
}

interface ReadDeclaration<Query, Success> extends Declaration<Query, Success> {
  /** The least role of the operators that may use it; `read` if it is absent. */
  readonly role?: Operator.Role
}

interface WriteDeclaration<Query, Payload, Success> extends Declaration<Query, Success> {
  readonly payload?: Payload | undefined
  /** The least role of the operators that may use it; `support` if it is absent. */
  readonly role?: Operator.Role
}

const managedWriteAnnotations = ({
  description,
  role = "support",
  summary
}: Pick<WriteDeclaration<unknown, unknown, unknown>, "description" | "role" | "summary">) =>
  Roles.operation(role, summary, description)

/** What the errors of a change follow from. */
type Failing = Pick<WriteDeclaration<unknown, unknown, unknown>, "errors" | "payload">

const SHORTENED = "Operators of the role `read` get activation codes shortened, and no links that install them."

const errorsOf = ({ errors }: ReadDeclaration<unknown, unknown>) => Schemas.problems(...Schemas.always, ...errors)

const managedErrorsOf = ({ errors, role = "read" }: ReadDeclaration<unknown, unknown>) => {
  const every = new Set<Codes.Code>([...Schemas.managing, "organization_not_found", ...errors])
  return Schemas.problems(...(role === "read" ? every : every.add("forbidden")))
}

const annotations = ({ description, summary }: Declaration<unknown, unknown>) => Schemas.operation(summary, description)

const managedAnnotations = ({ description, hasCodes, role = "read", summary }: ReadDeclaration<unknown, unknown>) =>
  Roles.operation(role, summary, hasCodes === true && role === "read" ? `${description} ${SHORTENED}` : description)

/** A read whose path has no parameter in `/v3`. */
export const readOfAll = <
  const Identifier extends string,
  const Path extends `/${string}`,
  const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
  Query extends Schema.Struct.Fields = never
>(
  identifier: Identifier,
  path: Path,
  declaration: ReadDeclaration<Query, Success>
) => ({
  v3: HttpApiEndpoint.get(identifier, path, {
    query: declaration.query,
    success: declaration.success,
    error: errorsOf(declaration)
  }).annotateMerge(annotations(declaration)),
  managed: HttpApiEndpoint.get(identifier, `/organizations/:id${path}`, {
    params: Schemas.ofOrganization,
    query: declaration.query,
    success: declaration.success,
    error: managedErrorsOf(declaration)
  }).annotateMerge(managedAnnotations(declaration))
})

/** A read of what its path names. */
export const readOfOne = <
  const Identifier extends string,
  const Path extends `/${string}`,
  Params extends Schema.Struct.Fields,
  const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
  Query extends Schema.Struct.Fields = never
>(
  identifier: Identifier,
  path: Path,
  params: Params,
  declaration: ReadDeclaration<Query, Success>
) => ({
  v3: HttpApiEndpoint.get(identifier, path, {
    params,
    query: declaration.query,
    success: declaration.success,
    error: errorsOf(declaration)
  }).annotateMerge(annotations(declaration)),
  managed: HttpApiEndpoint.get(identifier, `/organizations/:id${path}`, {
    params: { ...Schemas.ofOrganization, ...params },
    query: declaration.query,
    success: declaration.success,
    error: managedErrorsOf(declaration)
  }).annotateMerge(managedAnnotations(declaration))
})

type Method = "POST" | "PATCH" | "DELETE"

/**
 * The errors that every operation with this method and body may answer any caller: of its query,
 * its body, and its key.
 */
const sent = (method: Method, hasBody: boolean): ReadonlyArray<Codes.Code> => [
  "invalid_field",
  ...(hasBody ? Schemas.withBody : []),
  ...(method === "POST" ? Schemas.once : [])
]

const writeErrorsOf = (method: Method, { errors, payload }: Failing) =>
  Schemas.problems(
    ...new Set<Codes.Code>([...Schemas.always, "key_read_only", ...sent(method, payload !== undefined), ...errors])
  )

const managedWriteErrorsOf = (method: Method, { errors, payload }: Failing) =>
  Schemas.problems(
    ...new Set<Codes.Code>([
      ...Schemas.restricted,
      "concurrency_limited",
      ...sent(method, payload !== undefined),
      "organization_not_found",
      ...errors
    ])
  )

/** A creation, whose path has no parameter in `/v3`. */
export const creation = <
  const Identifier extends string,
  const Path extends `/${string}`,
  const Success extends Schema.Top,
  Payload extends Schema.Top,
  Query extends Schema.Struct.Fields
>(
  identifier: Identifier,
  path: Path,
  declaration: WriteDeclaration<Query, Payload, Success>
) => ({
  v3: HttpApiEndpoint.post(identifier, path, {
    query: declaration.query,
    payload: declaration.payload,
    success: declaration.success,
    error: writeErrorsOf("POST", declaration)
  }).annotateMerge(annotations(declaration)),
  managed: HttpApiEndpoint.post(identifier, `/organizations/:id${path}`, {
    params: Schemas.ofOrganization,
    query: declaration.query,
    payload: declaration.payload,
    success: declaration.success,
    error: managedWriteErrorsOf("POST", declaration)
  }).annotateMerge(managedWriteAnnotations(declaration))
})

/** A task of what its path names. */
export const task = <
  const Identifier extends string,
  const Path extends `/${string}`,
  Params extends Schema.Struct.Fields,
  const Success extends Schema.Top,
  Payload extends Schema.Top = never,
  Query extends Schema.Struct.Fields = never
>(
  identifier: Identifier,
  path: Path,
  params: Params,
  declaration: WriteDeclaration<Query, Payload, Success>
) => ({
  v3: HttpApiEndpoint.post(identifier, path, {
    params,
    query: declaration.query,
    payload: declaration.payload,
    success: declaration.success,
    error: writeErrorsOf("POST", declaration)
  }).annotateMerge(annotations(declaration)),
  managed: HttpApiEndpoint.post(identifier, `/organizations/:id${path}`, {
    params: { ...Schemas.ofOrganization, ...params },
    query: declaration.query,
    payload: declaration.payload,
    success: declaration.success,
    error: managedWriteErrorsOf("POST", declaration)
  }).annotateMerge(managedWriteAnnotations(declaration))
})

/** A correction of what its path names. */
export const correction = <
  const Identifier extends string,
  const Path extends `/${string}`,
  Params extends Schema.Struct.Fields,
  const Success extends Schema.Top,
  Payload extends Schema.Top,
  Query extends Schema.Struct.Fields
>(
  identifier: Identifier,
  path: Path,
  params: Params,
  declaration: WriteDeclaration<Query, Payload, Success>
) => ({
  v3: HttpApiEndpoint.patch(identifier, path, {
    params,
    query: declaration.query,
    payload: declaration.payload,
    success: declaration.success,
    error: writeErrorsOf("PATCH", declaration)
  }).annotateMerge(annotations(declaration)),
  managed: HttpApiEndpoint.patch(identifier, `/organizations/:id${path}`, {
    params: { ...Schemas.ofOrganization, ...params },
    query: declaration.query,
    payload: declaration.payload,
    success: declaration.success,
    error: managedWriteErrorsOf("PATCH", declaration)
  }).annotateMerge(managedWriteAnnotations(declaration))
})

/** The errors of what changes many things of an organization in the management API. */
export const managedErrors = (errors: ReadonlyArray<Codes.Code>) =>
  Schemas.problems(
    ...new Set<Codes.Code>([...Schemas.restricted, "concurrency_limited", "organization_not_found", ...errors])
  )

/** The errors of a removal beside those with bodies of their own. */
export const removalErrors = (errors: ReadonlyArray<Codes.Code>) => ({
  v3: writeErrorsOf("DELETE", { errors }),
  managed: managedWriteErrorsOf("DELETE", { errors })
})
