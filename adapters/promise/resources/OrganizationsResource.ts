/**
 * Organizations and their API keys.
 */
import { Effect } from "effect"
import { ApiKeys, Organizations } from "simplan"
import { Copy, Organizations as Views } from "simplan/views"
import { OrganizationsOperations } from "../../operations/index.ts"
import * as Methods from "../Methods.ts"
import type { Provided, Runtime } from "../Runtime.ts"
import type { CallOptions, WriteOptions } from "../types/Calls.ts"
import type * as Types from "../types/OrganizationsTypes.ts"

const toHost = Copy.toHost(Views.Organization)
const keyToHost = Copy.toHost(Views.ApiKey)

export const make = (runtime: Runtime): Types.Organizations => ({
  ...Methods.ofRows(runtime, "organizations", OrganizationsOperations.organizations),
  create: Methods.writing(runtime, Methods.method("organizations.create", Views.CreateOrganization), (request) =>
    Methods.once(
      "Organization",
      Organizations.Organizations.use((organizations) => organizations.create(request)),
      (made) => Effect.succeed(toHost(made))
    )
  )
})

type Unkeyed = CallOptions & { readonly idempotencyKey?: undefined }

/** The answer with the secret if the key was made by this very call. */
const making = (
  make: Effect.Effect<ApiKeys.NewKey, unknown, Provided>
): Methods.Writing<"ApiKey", Types.MaybeNewApiKey> => {
  let key: string | null = null
  const run = Effect.map(make, (made) => {
    key = made.key
    return made.apiKey
  })
  return Methods.once("ApiKey", run, (apiKey) => Effect.sync(() => ({ ...keyToHost(apiKey), key })))
}

export const makeApiKeys = (runtime: Runtime): Types.ApiKeys => {
  const creating = Methods.writing(runtime, Methods.method("apiKeys.create", Views.CreateApiKey), (request) =>
    making(ApiKeys.ApiKeys.use((keys) => keys.create(request)))
  )
  const rotating = Methods.writing(runtime, Methods.method("apiKeys.rotate", Views.RotateApiKey), (request) =>
    making(ApiKeys.ApiKeys.use((keys) => keys.rotate(request)))
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
    ...Methods.ofRows(runtime, "apiKeys", OrganizationsOperations.apiKeys),
    create,
    rotate,
    revoke: Methods.writing(runtime, Methods.method("apiKeys.revoke", Views.OfApiKey), (of) =>
      Methods.once(
        "ApiKey",
        ApiKeys.ApiKeys.use((keys) => keys.revoke(of)),
        (apiKey) => Effect.succeed(keyToHost(apiKey))
      )
    ),
    authenticate: Methods.reading(runtime, Methods.method("apiKeys.authenticate", Views.Secret), ({ key }) =>
      ApiKeys.ApiKeys.use((keys) => Effect.map(keys.authenticate(key), keyToHost))
    )
  }
}
