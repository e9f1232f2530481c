/**
 * Reads of one organization, each declared once and made twice, with the same parameters and the same answer: for `/v3`, where the
 * key says whose they are, and for the management API, where the path does (rule W14).
 */
import type { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import type { Operator } from "simplan/ports"
import type { Codes } from "../../fields/index.ts"
import * as Roles from "./Roles.ts"
import * as Schemas from "./Schemas.ts"

/** What a read takes, answers and means. */
interface Declaration<Query, Success> {
  readonly query?: Query | undefined
  readonly success: Success
  /** Its errors beside those that every endpoint of its API has. */
  readonly errors: ReadonlyArray<Codes.Code>
  readonly summary: string
  readonly description: string
  /** The least role of the operators that may use it; `read` where it is absent. */
  readonly role?: Operator.Role
  /** Whether its answer has activation codes. */
  readonly hasCodes?: boolean
}

const SHORTENED = "Operators of the role `read` get activation codes shortened, and no links that install them."

const errorsOf = ({ errors }: Declaration<unknown, unknown>) => Schemas.problems(...Schemas.always, ...errors)

const managedErrorsOf = ({ errors, role = "read" }: Declaration<unknown, unknown>) => {
  const every = new Set<Codes.Code>([...Schemas.reviewing, "organization_not_found", ...errors])
  return Schemas.problems(...(role === "read" ? every : every.add("forbidden")))
}

const annotations = ({ description, summary }: Declaration<unknown, unknown>) => Schemas.operation(summary, description)

const managedAnnotations = ({ description, hasCodes, role = "read", summary }: Declaration<unknown, unknown>) =>
  Roles.operation(role, summary, hasCodes === true ? `${description} ${SHORTENED}` : description)

/** A read whose path has no parameter in `/v3`. */
export const ofAll = <
  const Identifier extends string,
  const Path extends `/${string}`,
  const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
  Query extends Schema.Struct.Fields = never
>(
  identifier: Identifier,
  path: Path,
  declaration: Declaration<Query, Success>
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
export const ofOne = <
  const Identifier extends string,
  const Path extends `/${string}`,
  Params extends Schema.Struct.Fields,
  const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
  Query extends Schema.Struct.Fields = never
>(
  identifier: Identifier,
  path: Path,
  params: Params,
  declaration: Declaration<Query, Success>
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
