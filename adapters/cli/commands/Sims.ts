/**
 * `simplan sims import FILE`.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../client/Connection.ts"
import { impossible } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as SimsImport from "../client/SimsImport.ts"
import * as Organization from "./Organization.ts"

const importFile = Command.make(
  "import",
  {
    file: Argument.String("FILE").pipe(
      Argument.withDescription("CSV with the columns iccid, label, is_esim and, for eSIMs, lpa")
    ),
    org: Organization.flag,
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.toAdmin(given)
    const organization = yield* Organization.path(connection, given.org)
    const report = yield* SimsImport.run(connection, organization, given.file)
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
  Command.withSubcommands([importFile])
)
