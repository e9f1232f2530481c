/**
 * `simplan plans list`.
 */
import { Label } from "simplan/ports"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"

/** The longest page of plans (rule P3). */
const PAGE = 25

const list = Command.make(
  "list",
  {
    archived: Flag.Literals("archived", ["true", "false"]).pipe(
      Flag.withDescription("true: only archived plans, false: only live ones"),
      Flag.optional
    ),
    label: Flag.Literals("label", Label.labels).pipe(Flag.withDescription("Only plans of this label"), Flag.optional),
    search: Flag.String("search").pipe(
      Flag.withMetavar("<text>"),
      Flag.withDescription("A part of the name, in any case"),
      Flag.optional
    ),
    country: Flag.String("country").pipe(
      Flag.withMetavar("<iso2>"),
      Flag.withDescription("Only plans that cover this country, such as DE, or all of several, such as DE,FR"),
      Flag.optional
    ),
    ...Lists.flags,
    ...Connection.keyFlags
  },
  Effect.fnUntraced(function* (given) {
    const { archived, country, label, search } = given
    const connection = yield* Connection.toCustomers(given)
    const filter = {
      ...(Option.isSome(archived) && { archived: archived.value }),
      ...(Option.isSome(label) && { label: label.value }),
      ...(Option.isSome(search) && { search_query: search.value }),
      ...(Option.isSome(country) && { country_iso_2: country.value })
    }
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.plans.list({ query: { ...page, ...filter } }),
      ({ archived_at, data_mega_bytes, label, period_days, plan_id, plan_name, recurring, region_code }) => ({
        plan_id,
        plan_name,
        label,
        MB: data_mega_bytes,
        days: period_days,
        recurring,
        region_code,
        archived_at
      }),
      PAGE
    )
  })
).pipe(
  Command.withDescription("List an organization's plans, oldest first."),
  Command.withExamples([{ command: "simplan plans list --archived false --country DE" }])
)

export const command = Command.make("plans").pipe(
  Command.withDescription("The plans that an organization sells."),
  Command.withSubcommands([list])
)
