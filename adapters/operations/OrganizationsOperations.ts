/**
 * Organizations, and their API keys (rule W3).
 */
import { Effect } from "effect"
import type { ApiKeys } from "simplan"
import { Organizations as Views, View } from "simplan/views"
import * as Operation from "./Operation.ts"

export const organizations = {
  create: Operation.item({
    route: "POST /organizations",
    request: Views.CreateOrganization,
    answer: Views.Organization,
    makes: true,
    role: "admin",
    isOfService: true,
    title: "Create an organization",
    text: "Makes a tenant: it owns keys, SIMs, plans, regions, subscriptions and webhook endpoints.",
    call: ({ organizations }, request) => organizations.create(request)
  }),
  list: Operation.page({
    route: "GET /organizations",
    request: View.nothing,
    answer: Views.Organization,
    role: "read",
    title: "List organizations, oldest first",
    text: "A page of all organizations.",
    call: ({ organizations }, page, within) => organizations.page({ ...page, only: within.organizationId })
  }),
  get: Operation.item({
    route: "GET /organizations/:id",
    request: Views.OfOrganization,
    answer: Views.Organization,
    role: "read",
    title: "Read an organization",
    text: "The organization, by its id.",
    call: ({ organizations }, of) => organizations.get(of)
  })
}

const withKey = ({ apiKey, key }: ApiKeys.NewKey) => ({ ...apiKey, key })

export const apiKeys = {
  create: Operation.item({
    route: "POST /organizations/:id/api-keys",
    request: Views.CreateApiKey,
    answer: Views.NewApiKey,
    makes: true,
    role: "admin",
    errors: ["quota_exceeded"],
    title: "Create an API key",
    text: "Makes a key for `/v3`. The key is shown this once; only its hash is stored.",
    call: ({ apiKeys }, request) => Effect.map(apiKeys.create(request), withKey)
  }),
  list: Operation.page({
    route: "GET /organizations/:id/api-keys",
    request: Views.OfOrganization,
    answer: Views.ApiKey,
    role: "read",
    title: "List API keys, oldest first, revoked ones included",
    text: "A page of the organization's keys, without their secrets.",
    call: ({ apiKeys }, page) => apiKeys.page(page)
  }),
  revoke: Operation.item({
    route: "DELETE /organizations/:id/api-keys/:api_key_id",
    request: Views.OfApiKey,
    answer: Views.ApiKey,
    role: "admin",
    errors: ["api_key_not_found"],
    title: "Revoke an API key",
    text: "Ends the key: at once in the process that is asked, within 5 s in all.",
    call: ({ apiKeys }, of) => apiKeys.revoke(of)
  }),
  rotate: Operation.item({
    route: "POST /organizations/:id/api-keys/:api_key_id/rotate?",
    request: Views.RotateApiKey,
    answer: Views.NewApiKey,
    role: "admin",
    errors: ["api_key_not_found"],
    title: "Give an API key another secret",
    text:
      "Gives the key another secret, shown this once. The one before goes on for `overlap_hours`, for 0 it ends as a revoked one " +
      "does. The one before that ends in any case.",
    call: ({ apiKeys }, of) => Effect.map(apiKeys.rotate(of), withKey)
  })
}

/** All of them, by the names of their endpoints. */
export const rows = {
  ...organizations,
  createKey: apiKeys.create,
  keys: apiKeys.list,
  revokeKey: apiKeys.revoke,
  rotateKey: apiKeys.rotate
}
