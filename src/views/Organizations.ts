/**
 * Organizations and their API keys, as hosts and callers see them.
 */
import { LONGEST_OVERLAP_HOURS, scopes } from "../domain/ApiKey.ts"
import * as TextLimit from "../domain/TextLimit.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, limited, nullOr, optional } = View

const organizationId = field(View.id, "The organization's id", Samples.organizationId)
const name = field(limited(TextLimit.NAME), "The organization's name", "Acme")

/** Names an organization; on the wire a path does, or the API key. */
export const OfOrganization = View.request(
  "OfOrganization",
  "Every request about things of an organization has its id. One that does not exist is a `NotFoundError`",
  { organizationId: View.named({ on: null }, organizationId) }
)

export const Organization = View.answer(
  "Organization",
  "A tenant. It owns API keys, SIMs, plans, regions, subscriptions and webhook endpoints",
  { organizationId, name, createdAt: field(instant, "When it was made", Samples.bought) }
)

export const CreateOrganization = View.request("CreateOrganization", "What a new organization is to be", { name })

const key = {
  name: field(limited(TextLimit.NAME), "The key's name", "checkout"),
  scope: [View.oneOf(scopes, "ApiKeyScope"), "What the key may do: `full` everything, `read` only read", "full"],
  expiresAt: [nullOr(instant), "When the key ends; null if it does not", null]
} as const

export const OfApiKey = View.request(
  "OfApiKey",
  "Names an API key",
  { apiKeyId: field(View.id, "The key's id", Samples.keyId) },
  OfOrganization
)

export const ApiKey = View.answer(
  "ApiKey",
  "A key of the HTTP API, without its secret",
  {
    name: key.name,
    scope: field(...key.scope),
    hint: field(View.text, "The key's last characters", "x9Qf"),
    previousKeyUntil: View.named(
      { from: "previousUntil" },
      field(nullOr(instant), "Until when the secret before goes on; null if there is none", null)
    ),
    createdAt: field(instant, "When it was made", Samples.bought),
    expiresAt: field(...key.expiresAt),
    revokedAt: field(nullOr(instant), "When the key was revoked; null if it was not", null),
    lastUsedAt: field(
      nullOr(instant),
      "When a request last came with the key, at most some minutes behind; null if none ever has",
      Samples.start
    )
  },
  OfApiKey
)

export const NewApiKey = View.answer(
  "NewApiKey",
  "An API key with its secret",
  { key: field(View.text, "The key itself; it is shown this once", "simplan_EXAMPLE") },
  ApiKey
)

export const CreateApiKey = View.request(
  "CreateApiKey",
  "What a new API key is to be",
  {
    name: key.name,
    scope: View.preset("full", optional(...key.scope)),
    expiresAt: View.preset(null, optional(...key.expiresAt))
  },
  OfOrganization
)

export const RotateApiKey = View.request(
  "RotateApiKey",
  "Which API key gets another secret",
  {
    overlapHours: View.preset(
      0,
      optional(
        View.integer(0, LONGEST_OVERLAP_HOURS),
        `For how many hours the secret before goes on, 0 to ${LONGEST_OVERLAP_HOURS}; 0 by default`,
        24
      )
    )
  },
  OfApiKey
)

export const Secret = View.request("Secret", "The secret of an API key", {
  key: field(View.text, "The key itself", "simplan_EXAMPLE")
})
