/**
 * `simplan sims list`, `show ICCID` and `import FILE`.
 */
import { Label } from "simplan/ports"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as KeyConnection from "../client/KeyConnection.ts"
import * as Lists from "../client/Lists.ts"
import * as SimsImport from "../client/SimsImport.ts"
import * as Typed from "../client/Typed.ts"
import { impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"
import * as Organization from "./Organization.ts"

const list = Command.make(
  "list",
  {
    label: Flag.Literals("label", Label.labels).pipe(Flag.withDescription("Only SIMs of this label"), Flag.optional),
    esim: Flag.Literals("esim", ["true", "false"]).pipe(
      Flag.withDescription("true: only eSIMs, false: only physical SIMs"),
      Flag.optional
    ),
    ...Lists.flags,
    ...KeyConnection.flags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* KeyConnection.open(given)
    const filter = {
      ...(Option.isSome(given.label) && { label: given.label.value }),
      ...(Option.isSome(given.esim) && { is_esim: given.esim.value })
    }
    yield* Lists.print(
      connection,
      given,
      (client, page) => client.sims.list({ query: { ...page, ...filter } }),
      ({ created_at, iccid, is_esim, label, used }) => ({ iccid, label, is_esim, used, created_at })
    )
  })
).pipe(
  Command.withDescription("List an organization's SIMs by order of import."),
  Command.withExamples([{ command: "simplan sims list --label Green --esim true --json" }])
)

const show = Command.make(
  "show",
  { iccid: Flags.id("ICCID of the SIM", "ICCID"), ...KeyConnection.flags },
  Effect.fnUntraced(function* (given) {
    const params = { iccid: given.iccid }
    const connection = yield* KeyConnection.open(given)
    const { data: sim } = yield* Typed.call(connection, (client) => client.sims.get({ params }))
    const smdp = sim.is_esim
      ? (yield* Typed.call(connection, (client) => client.sims.smdpInfo({ params }))).data
      : { current_status: null, state_history: [] }
    const { current_status, state_history } = smdp
    if (given.json) return yield* Output.print(JSON.stringify({ ...sim, current_status, state_history }))
    yield* Output.record({ ...sim, current_status }, false)
    yield* Lists.section(
      "SM-DP+ states, oldest first:",
      state_history.map(({ modification_result, modified_at, state }) => ({ modified_at, state, modification_result }))
    )
  })
).pipe(Command.withDescription("Show a SIM and, if it is an eSIM, the states that the SM-DP+ reported."))

const importFile = Command.make(
  "import",
  { file: Flags.file("CSV with the columns iccid, label, is_esim and, for eSIMs, lpa"), ...Organization.flags },
  Effect.fnUntraced(function* (given) {
    const { connection, id } = yield* Organization.open(given)
    const report = yield* SimsImport.run(connection, id, given.file)
    yield* Output.print(given.json ? JSON.stringify(report) : SimsImport.show(report))
    const { error_count: errors } = report
    if (errors > 0) return yield* impossible(`${errors} of ${SimsImport.rowsIn(report)} rows were not imported.`)
  })
).pipe(
  Command.withDescription(
    "Import SIMs into an organization's inventory. A bad row stops no other; SIMs that are there already count as duplicates, so the same file may be sent again."
  ),
  Command.withShortDescription("Import SIMs from a CSV file"),
  Command.withExamples([
    { command: "simplan sims import sims.csv" },
    {
      command:
        "printf 'iccid,label,is_esim,lpa\\n8910300000000000017,Green,true,LPA:1$smdp.example.com$ABC\\n' > sims.csv",
      description: "A file of one eSIM"
    }
  ])
)

export const command = Command.make("sims").pipe(
  Command.withDescription("The SIM inventory of an organization."),
  Command.withSubcommands([list, show, importFile])
)
