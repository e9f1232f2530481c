/**
 * `simplan org create NAME` and `org list`; `simplan key create`, `list`, `revoke ID` and
 * `rotate ID`.
 */
import { Command } from "effect/cli"
import * as Operations from "./Operations.ts"

export const org = Command.make("org").pipe(
  Command.withDescription("Organizations: the tenants of the service."),
  Command.withSubcommands([
    Operations.record("create", "organizations.create", {
      named: { name: "NAME" },
      examples: [{ command: 'simplan org create "Acme Mobile"' }]
    }),
    Operations.list("list", "organizations.list", ["organization_id", "name", "created_at"])
  ])
)

export const key = Command.make("key").pipe(
  Command.withDescription("API keys: what an organization calls /v3 with."),
  Command.withSubcommands([
    Operations.record("create", "organizations.createKey", {
      says: "Create an API key for an organization and print it, this once.",
      presets: { name: "cli" },
      examples: [
        { command: "simplan key create", description: "For the only organization" },
        { command: "simplan key create --org 0197… --name dashboard --scope read --expires-at 2027-01-01T00:00:00Z" }
      ]
    }),
    Operations.list("list", "organizations.keys", [
      "api_key_id",
      "name",
      "scope",
      "hint",
      "last_used_at",
      "revoked_at",
      "expires_at"
    ]),
    Operations.record("revoke", "organizations.revokeKey"),
    Operations.record("rotate", "organizations.rotateKey", {
      says: "Give an API key another secret and print it, this once; the one before ends, or goes on for a while.",
      examples: [
        { command: "simplan key rotate 0197… --overlap-hours 24", description: "The secret before goes on for a day" }
      ]
    })
  ])
)
