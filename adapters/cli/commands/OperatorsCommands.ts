/**
 * `simplan operator create NAME`, `list`, `rotate ID`, `set-role ID` and `delete ID`.
 */
import { Command } from "effect/cli"
import * as Operations from "./Operations.ts"

export const command = Command.make("operator").pipe(
  Command.withDescription("Operators: who may use the management API, and for what."),
  Command.withSubcommands([
    Operations.record("create", "serviceOperators.create", {
      says: "Create an operator and print its token, this once.",
      named: { name: "NAME" },
      examples: [
        { command: "simplan operator create Ada --role support" },
        { command: 'simplan operator create "Acme desk" --role read --org 0197… --expires-at 2027-01-01T00:00:00Z' }
      ]
    }),
    Operations.list("list", "serviceOperators.list", [
      "operator_id",
      "name",
      "role",
      "organization_id",
      "hint",
      "expires_at",
      "deleted_at"
    ]),
    Operations.record("rotate", "serviceOperators.rotate", {
      says: "Give an operator another token and print it, this once; the one before goes on for 24 h."
    }),
    Operations.record("set-role", "serviceOperators.setRole", {
      says: "Change what an operator may do; its token goes on.",
      examples: [{ command: "simplan operator set-role 0197… --role admin" }]
    }),
    Operations.record("delete", "serviceOperators.remove", { says: "Delete an operator: its tokens end." })
  ])
)
