/**
 * Organizations and their API keys.
 */
import { Effect } from "effect"
import { ApiKeys, Organizations } from "simplan"
import { Organizations as Views, View } from "simplan/views"
import * as Methods from "../Methods.ts"
import type { Provided, Runtime } from "../Runtime.ts"
import type { CallOptions, WriteOptions } from "../types/Calls.ts"
import type * as Types from "../types/Organizations.ts"
import * as Copies from "./printed/Organizations.ts"

export const make = (runtime: Runtime): Types.Organizations => {
  const { pages, read, write } = Methods.group(runtime, "organizations", Organizations.Organizations)
  return {
    create: write(
      "create",
      Views.CreateOrganization,
      "Organization",
      (organizations, request) => organizations.create(request),
      Copies.organization
    ),
    get: read("get", Views.OfOrganization, (organizations, of) => organizations.get(of), Copies.organization),
    list: pages("list", View.nothing, (organizations, page) => organizations.page(page), Copies.organization)
  }
}

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
  return Methods.once("ApiKey", run, (apiKey) => Effect.sync(() => ({ ...Copies.apiKey(apiKey), key })))
}

export const makeApiKeys = (runtime: Runtime): Types.ApiKeys => {
  const keys = Methods.group(runtime, "apiKeys", ApiKeys.ApiKeys)
  const creating = Methods.writing(runtime, keys.method("create", Views.CreateApiKey), (request) =>
    making(ApiKeys.ApiKeys.use((keys) => keys.create(request)))
  )
  const rotating = Methods.writing(runtime, keys.method("rotate", Views.RotateApiKey), (request) =>
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
    create,
    rotate,
    list: keys.pages("list", Views.OfOrganization, (keys, of) => keys.page(of), Copies.apiKey),
    revoke: keys.write("revoke", Views.OfApiKey, "ApiKey", (keys, of) => keys.revoke(of), Copies.apiKey),
    authenticate: keys.read("authenticate", Views.Secret, (keys, { key }) => keys.authenticate(key), Copies.apiKey)
  }
}
