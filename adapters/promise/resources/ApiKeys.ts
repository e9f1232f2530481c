/**
 * API keys.
 */
import { Effect, Schema } from "effect"
import { ApiKeys } from "simplan"
import { ApiKey } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import * as Pages from "../Pages.ts"
import type { Provided, Runtime } from "../Runtime.ts"
import type { CallOptions, WriteOptions } from "../types/Calls.ts"
import type * as Types from "../types/Organizations.ts"

const shape = (of: ApiKey.ApiKey): Types.ApiKey => ({
  organizationId: of.organizationId,
  apiKeyId: of.apiKeyId,
  name: of.name,
  scope: of.scope,
  hint: of.hint,
  createdAt: Arguments.toDate(of.createdAt),
  expiresAt: Arguments.toDateOrNull(of.expiresAt),
  revokedAt: Arguments.toDateOrNull(of.revokedAt)
})

const creation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    name: Arguments.Name,
    scope: Schema.optional(
      Schema.Literals(ApiKey.scopes).annotate({ message: `must be one of ${ApiKey.scopes.join(", ")}` })
    ),
    expiresAt: Schema.optional(Schema.NullOr(Arguments.Instant))
  })
)
const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, apiKeyId: Arguments.Id }))
const ofOrganization = Arguments.decoder(Schema.Struct(Arguments.ofOrganization))
const secret = Arguments.decoder(Schema.Struct({ key: Schema.String }))

const service = ApiKeys.ApiKeys

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
  return Methods.once("ApiKey", run, (apiKey) => Effect.sync(() => ({ ...shape(apiKey), key })))
}

export const make = (runtime: Runtime): Types.ApiKeys => {
  const creating = Methods.writing(
    runtime,
    { name: "apiKeys.create", decode: creation },
    ({ expiresAt, name, organizationId, scope = "full" }) => {
      const request = { organizationId, name, scope, expiresAt: Arguments.toInstantOrNull(expiresAt) }
      return making(Effect.flatMap(service, (keys) => keys.create(request)))
    }
  )
  const rotating = Methods.writing(runtime, { name: "apiKeys.rotate", decode: named }, (of) =>
    making(Effect.flatMap(service, (keys) => keys.rotate(of)))
  )
  // A call without an idempotency key is never a repetition, so that its answer has the key.
  function create(request: Types.CreateApiKey, options?: Unkeyed): Promise<Types.NewApiKey>
  function create(request: Types.CreateApiKey, options: WriteOptions): Promise<Types.MaybeNewApiKey>
  function create(request: Types.CreateApiKey, options?: WriteOptions): Promise<Types.MaybeNewApiKey> {
    return creating(request, options)
  }
  function rotate(of: Types.OfApiKey, options?: Unkeyed): Promise<Types.NewApiKey>
  function rotate(of: Types.OfApiKey, options: WriteOptions): Promise<Types.MaybeNewApiKey>
  function rotate(of: Types.OfApiKey, options?: WriteOptions): Promise<Types.MaybeNewApiKey> {
    return rotating(of, options)
  }
  return {
    create,
    rotate,
    list: Methods.paging(
      runtime,
      { name: "apiKeys.list", decode: ofOrganization },
      Pages.created,
      (of, page) => Effect.flatMap(service, (keys) => keys.page({ ...of, ...page })),
      shape
    ),
    revoke: Methods.writing(runtime, { name: "apiKeys.revoke", decode: named }, (of) =>
      Methods.once(
        "ApiKey",
        Effect.flatMap(service, (keys) => keys.revoke(of)),
        (apiKey) => Effect.succeed(shape(apiKey))
      )
    ),
    authenticate: Methods.reading(runtime, { name: "apiKeys.authenticate", decode: secret }, ({ key }) =>
      Effect.flatMap(service, (keys) => Effect.map(keys.authenticate(key), shape))
    )
  }
}
