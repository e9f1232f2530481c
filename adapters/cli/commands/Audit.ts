/**
 * `simplan audit`.
 */
import { AuditEntry } from "simplan/ports"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import { misused } from "../output/CommandFailed.ts"
import * as Flags from "./Flags.ts"

export const command = Command.make(
  "audit",
  {
    from: Flags.instant("from", "Only entries from this instant on"),
    to: Flags.instant("to", "Only entries before this instant"),
    actor: Flags.optionalId("actor", "Only changes by this API key, or by admin, telco or host"),
    action: Flag.Literals("action", AuditEntry.actions).pipe(
      Flag.withMetavar("<action>"),
      Flag.withDescription("Only changes of this kind"),
      Flag.optional
    ),
    resource: Flags.optionalId("resource", "Only changes of the resource with this id, or of the SIM with this ICCID"),
    service: Flag.Boolean("service").pipe(
      Flag.withDescription("Changes that belong to no organization: the catalogue, the clock, zones of shared regions"),
      Flag.withDefault(false)
    ),
    ...Lists.flags,
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const { action, actor, from, org, resource, service, to } = given
    if (service && Option.isSome(org)) return yield* misused("Give --org or --service, not both.")
    const { connection, id } = service
      ? { connection: yield* Connection.toAdmin(given), id: null }
      : yield* Flags.openOrganization(given)
    const filter = {
      ...(Option.isSome(from) && { from: from.value }),
      ...(Option.isSome(to) && { to: to.value }),
      ...(Option.isSome(actor) && { actor: actor.value }),
      ...(Option.isSome(action) && { action: action.value }),
      ...(Option.isSome(resource) && { resource_id: resource.value })
    }
    yield* Lists.print(
      connection,
      given,
      (client, page) =>
        Effect.flatMap(
          id === null
            ? client.audit.listService({ query: { ...page, ...filter } })
            : client.audit.list({ params: { id }, query: { ...page, ...filter } }),
          (answer) => (typeof answer === "string" ? Effect.fail("a text instead of a page") : Effect.succeed(answer))
        ),
      ({ action, actor, address, created_at, iccid, request_id, resource_id }) => ({
        created_at,
        actor,
        action,
        resource_id,
        iccid,
        address,
        request_id
      })
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
