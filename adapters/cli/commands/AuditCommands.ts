/**
 * `simplan audit`.
 */
import { Effect, Option, Record } from "effect"
import { Command, Flag } from "effect/cli"
import { Api } from "simplan/http-api"
import { AuditEntry } from "simplan/ports"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import * as Calls from "../client/Calls.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Flags from "./Flags.ts"
import * as Operations from "./Operations.ts"

const { flags, read } = Flags.of(Api.groups.audit.endpoints.list)

export const command = Command.make(
  "audit",
  {
    flags,
    service: Flag.Boolean("service").pipe(
      Flag.withDescription("Changes that belong to no organization: the catalogue, the clock, zones of shared regions"),
      Flag.withDefault(false)
    ),
    ...Lists.flags,
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const { org, service } = given
    const sent = yield* read(Record.getSomes(given.flags))
    if (service && Option.isSome(org)) return yield* misused("Give --org or --service, not both.")
    const { connection, id } = service
      ? { connection: yield* Connection.openAdmin(given), id: null }
      : yield* Calls.openOrganization(given)
    yield* Lists.print(
      connection,
      given,
      (client, page) => {
        const query = { ...sent.query, ...page }
        return id === null
          ? Operations.send(client, "audit.listService", { query })
          : Operations.send(client, "audit.list", { params: { id }, query })
      },
      (entry) => ({ ...entry, changed: AuditEntry.allInWords(entry.changed) }),
      ["created_at", "actor", "action", "resource_id", "iccid", "changed", "reason", "address", "request_id"]
    )
  })
).pipe(
  Command.withDescription("List who changed what in an organization, or in the service itself, newest first."),
  Command.withExamples([
    { command: "simplan audit --actor admin --from 2026-01-31T00:00:00Z" },
    { command: "simplan audit --resource 8910300000000000017", description: "What happened to a SIM" },
    { command: "simplan audit --all --json > audit.jsonl", description: "The whole log, a line for each entry" }
  ])
)
