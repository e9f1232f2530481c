/**
 * Organizations and their API keys.
 */
import { Effect, Schema } from "effect"
import { ApiKeys, Organizations } from "simplan"
import { ApiKey, type Organization } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Provided, Runtime } from "../Runtime.ts"
import type * as Types from "../types/Organizations.ts"
import type { CallOptions, WriteOptions } from "../types/Calls.ts"
import { Fields } from "../../fields/index.ts"

const organizationOf = ({ createdAt, name, organizationId }: Organization.Organization): Types.Organization => ({
  organizationId,
  name,
  createdAt: Arguments.toDate(createdAt)
})

const creation = Arguments.decoder(Schema.Struct({ name: Arguments.Name }))
const organizationNamed = Arguments.decoder(Schema.Struct(Arguments.ofOrganization))
const everything = Arguments.decoder(Arguments.Nothing)

export const make = (runtime: Runtime): Types.Organizations => ({
  create: Methods.writing(runtime, { name: "organizations.create", decode: creation }, (request) =>
    Methods.once(
      "Organization",
      Effect.flatMap(Organizations.Organizations, (organizations) => organizations.create(request)),
      (organization) => Effect.succeed(organizationOf(organization))
    )
  ),
  get: Methods.reading(runtime, { name: "organizations.get", decode: organizationNamed }, (of) =>
    Effect.flatMap(Organizations.Organizations, (organizations) => Effect.map(organizations.get(of), organizationOf))
  ),
  list: Methods.paging(
    runtime,
    { name: "organizations.list", decode: everything },
    Methods.byCreation,
    (_, page) => Effect.flatMap(Organizations.Organizations, (organizations) => organizations.page(page)),
    organizationOf
  )
})

const apiKeyOf = (of: ApiKey.ApiKey): Types.ApiKey => {
  // The answer that an earlier version has kept for an idempotency key has neither.
  const { lastUsedAt = null, previousUntil = null }: Partial<ApiKey.ApiKey> = of
  return {
    organizationId: of.organizationId,
    apiKeyId: of.apiKeyId,
    name: of.name,
    scope: of.scope,
    hint: of.hint,
    createdAt: Arguments.toDate(of.createdAt),
    expiresAt: Arguments.toDateOrNull(of.expiresAt),
    revokedAt: Arguments.toDateOrNull(of.revokedAt),
    previousKeyUntil: Arguments.toDateOrNull(previousUntil),
    lastUsedAt: Arguments.toDateOrNull(lastUsedAt)
  }
}

const decodeKeyCreation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    name: Arguments.Name,
    scope: Schema.optional(Fields.oneOf(ApiKey.scopes)),
    expiresAt: Schema.optional(Schema.NullOr(Arguments.Instant))
  })
)

const keyCreation = (method: string, request: unknown) => {
  const { expiresAt, scope = "full", ...of } = decodeKeyCreation(method, request)
  return { ...of, scope, expiresAt: Arguments.toInstantOrNull(expiresAt) }
}

const keyNamed = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, apiKeyId: Arguments.Id }))
const rotation = Arguments.decoder(
  Schema.Struct({ ...Arguments.ofOrganization, apiKeyId: Arguments.Id, overlapHours: Schema.optional(Schema.Number) })
)
const secret = Arguments.decoder(Schema.Struct({ key: Schema.String }))

type Unkeyed = CallOptions & { readonly idempotencyKey?: undefined }

/** The answer with the secret where the key was made by this very call. */
const making = (
  make: Effect.Effect<ApiKeys.NewKey, unknown, Provided>
): Methods.Writing<"ApiKey", Types.MaybeNewApiKey> => {
  let key: string | null = null
  const run = Effect.map(make, (made) => {
    key = made.key
    return made.apiKey
  })
  return Methods.once("ApiKey", run, (apiKey) => Effect.sync(() => ({ ...apiKeyOf(apiKey), key })))
}

export const makeApiKeys = (runtime: Runtime): Types.ApiKeys => {
  const creating = Methods.writing(runtime, { name: "apiKeys.create", decode: keyCreation }, (request) =>
    making(Effect.flatMap(ApiKeys.ApiKeys, (keys) => keys.create(request)))
  )
  const rotating = Methods.writing(
    runtime,
    { name: "apiKeys.rotate", decode: rotation },
    ({ overlapHours = 0, ...of }) =>
      making(Effect.flatMap(ApiKeys.ApiKeys, (keys) => keys.rotate({ ...of, overlapHours })))
  )
  // A call without an idempotency key is never a repetition, so that its answer has the key.
  function create(request: Types.CreateApiKey, options?: Unkeyed): Promise<Types.NewApiKey>
  function create(request: Types.CreateApiKey, options: WriteOptions): Promise<Types.MaybeNewApiKey>
  function create(request: Types.CreateApiKey, options?: WriteOptions): Promise<Types.MaybeNewApiKey> {
    return creating(request, options)
  }
  function rotate(of: Types.RotateApiKey, options?: Unkeyed): Promise<Types.NewApiKey>
  function rotate(of: Types.RotateApiKey, options: WriteOptions): Promise<Types.MaybeNewApiKey>
  function rotate(of: Types.RotateApiKey, options?: WriteOptions): Promise<Types.MaybeNewApiKey> {
    return rotating(of, options)
  }
  return {
    create,
    rotate,
    list: Methods.paging(
      runtime,
      { name: "apiKeys.list", decode: organizationNamed },
      Methods.byCreation,
      (of, page) => Effect.flatMap(ApiKeys.ApiKeys, (keys) => keys.page({ ...of, ...page })),
      apiKeyOf
    ),
    revoke: Methods.writing(runtime, { name: "apiKeys.revoke", decode: keyNamed }, (of) =>
      Methods.once(
        "ApiKey",
        Effect.flatMap(ApiKeys.ApiKeys, (keys) => keys.revoke(of)),
        (apiKey) => Effect.succeed(apiKeyOf(apiKey))
      )
    ),
    authenticate: Methods.reading(runtime, { name: "apiKeys.authenticate", decode: secret }, ({ key }) =>
      Effect.flatMap(ApiKeys.ApiKeys, (keys) => Effect.map(keys.authenticate(key), apiKeyOf))
    )
  }
}
