/**
 * `simplan sims list`, `show ICCID`, `stock`, `update ICCID` or `update FILE`, and `import FILE` or
 * `import --from-ocs`.
 */
import { Iccid, Label, SimImport } from "simplan/ports"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { QrCode } from "../../fields/index.ts"
import * as Lists from "../client/Lists.ts"
import * as OcsImport from "../client/OcsImport.ts"
import * as SimsImport from "../client/SimsImport.ts"
import * as SimsUpdate from "../client/SimsUpdate.ts"
import * as Calls from "../client/Calls.ts"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as BulkCommands from "./BulkCommands.ts"
import * as Flags from "./Flags.ts"
import * as Operations from "./Operations.ts"

/** A SIM for people: its tags are one text. */
const inWords = <Sim extends { readonly tags: ReadonlyArray<string> }>(sim: Sim) => ({
  ...sim,
  tags: sim.tags.join(", ")
})

const list = Operations.list("list", "sims.list", ["iccid", "label", "is_esim", "used", "created_at"], {
  row: ({ lpa: _, ...sim }) => inWords(sim),
  examples: [
    { command: "simplan sims list --label Green --esim true --json" },
    { command: "simplan sims list --search 0017", description: "The SIMs whose ICCID begins or ends so" },
    { command: "simplan sims list --status free --label Green" }
  ]
})

const show = Operations.make(
  "show",
  "sims.get",
  { says: "Show a SIM and, if it is an eSIM, the states that the SM-DP+ reported; with --install also its QR code." },
  {},
  Effect.fnUntraced(function* ({ json, open }) {
    const { call, connection, params } = yield* open
    const { data: sim } = yield* Calls.call(connection, call)
    const { current_status, state_history } = sim.is_esim
      ? (yield* Calls.call(connection, (client) => Operations.send(client, "sims.smdpInfo", { params }))).data
      : { current_status: null, state_history: [] }
    if (json) return yield* Output.print(JSON.stringify({ ...sim, current_status, state_history }))
    const { install, reason, replaced_by, replaces, ...fields } = sim
    const moves = { replaces: replaces?.iccid ?? null, replaced_by: replaced_by?.iccid ?? null }
    yield* Output.record({ ...inWords(fields), ...moves, ...install, reason: reason.message, current_status }, false)
    if (install !== undefined && sim.lpa !== null) yield* Output.print(`\n${QrCode.text(sim.lpa)}`)
    yield* Lists.section("SM-DP+ states, oldest first:", state_history, ["modified_at", "state", "modification_result"])
  })
)

const NAMED_LEVEL = /^([A-Za-z]+)=(\d{1,9})$/

/** The level of a label as it is given on the command line, such as `Green=100`; 0 ends it. */
const levelOf = Effect.fnUntraced(function* (text: string) {
  const [, label = "", level] = NAMED_LEVEL.exec(text) ?? []
  if (!Label.isLabel(label)) {
    return yield* misused(
      `--level ${text}: give a label and a number, such as Green=100. Labels: ${Label.labels.join(", ")}.`
    )
  }
  return { label, level: Number(level) }
})

const stock = Operations.make(
  "stock",
  "sims.stock",
  {
    says: "Show how many SIMs of each label are free, in use and on their way back; set the levels of free eSIMs below which stock.low is sent.",
    examples: [
      { command: "simplan sims stock" },
      { command: "simplan sims stock --level Green=100", description: "Send stock.low once fewer than 100 are free" }
    ]
  },
  {
    level: Flag.String("level").pipe(
      Flag.withMetavar("<label>=<number>"),
      Flag.withDescription("Send stock.low once fewer eSIMs of the label are free; 0 ends that"),
      Flag.between(0, Label.labels.length)
    )
  },
  Effect.fnUntraced(function* ({ json, open }, given) {
    const { call, connection } = yield* open
    const named = new Map((yield* Effect.forEach(given.level, levelOf)).map(({ label, level }) => [label, level]))
    if (named.size > 0) {
      const others = (yield* Calls.call(connection, call)).data.flatMap(({ label, level }) =>
        level === null || named.has(label) ? [] : [{ label, level }]
      )
      const set = [...named].flatMap(([label, level]) => (level === 0 ? [] : [{ label, level }]))
      const payload = { levels: [...others, ...set] }
      yield* Calls.call(connection, (client) => client.sims.setStockLevels({ payload }))
    }
    yield* Lists.printWhole(
      connection,
      { all: true, limit: 0, json },
      call,
      ({ physical, ...of }) => ({
        ...of,
        physical_free: physical.free,
        physical_in_use: physical.in_use,
        physical_releasing: physical.releasing,
        physical_withdrawn: physical.withdrawn
      }),
      ["label", "free", "in_use", "releasing", "withdrawn", "downloaded", "lapsed", "level"]
    )
  })
).pipe(Command.withShortDescription("Show how many SIMs are free, and set levels"))

/** Files have other names. */
const isIccid = (text: string): boolean => Iccid.parse(text) !== undefined || /^\d+$/.test(text)

const update = Operations.make(
  "update",
  "sims.update",
  {
    says: "Correct a SIM, or all that a CSV file names; a refused row stops no other, and the same file again changes nothing more. While a subscription holds it, it keeps its label and cannot be withdrawn. A withdrawn SIM is chosen for nothing, and a creation that names it is refused.",
    fixed: { iccid: undefined },
    examples: [
      { command: "simplan sims update 8910300000000000017 --label Blue" },
      {
        command: "simplan sims update 8910300000000000017 --status withdrawn --reason broken",
        description: "A SIM that no customer is to get"
      },
      { command: "simplan sims update 8910300000000000017 --tag airport --tag VIP" },
      {
        command:
          "printf 'iccid,label\\n8910300000000000017,Blue\\n' > labels.csv && simplan sims update labels.csv --dry-run",
        description: "What a file would change"
      }
    ]
  },
  {
    target: Argument.String("ICCID or FILE").pipe(
      Argument.withDescription(
        "ICCID of the SIM; or a CSV file with the column iccid and some of label, lpa_string, status, reason and tags, which ; separates: what a row leaves empty stays, and - as lpa_string or tags removes them"
      )
    )
  },
  Effect.fnUntraced(function* ({ json, open, sent }, { target }) {
    const isFile = Object.keys(sent.payload ?? {}).length === 0
    if (isFile && isIccid(target)) return yield* misused("Give --label, --lpa, --status or --tag with an ICCID.")
    if (!isFile && !isIccid(target)) return yield* misused("A FILE says what to change: give no other flags with it.")
    const { connection } = yield* open
    if (!isFile) {
      const called = { ...sent, params: { iccid: Iccid.canonical(target) } }
      const { data, preview } = yield* Calls.call(connection, (client) =>
        Operations.send(client, "sims.update", called)
      )
      if (json) return yield* Output.record({ ...data, ...preview }, true)
      const changed = preview === undefined ? {} : { changed: preview.changed.join(", ") || "nothing" }
      return yield* Output.record({ ...inWords(data), ...changed }, false)
    }
    const report = yield* SimsUpdate.run(connection, target, { dryRun: sent.query["dry_run"] === "true", json })
    if (!json) yield* Output.print(SimsUpdate.show(report))
    if (report.refused > 0) return yield* impossible(`${report.refused} rows were refused.`)
  })
).pipe(
  Command.withShortDescription(
    "Correct the label, activation code or tags of SIMs, withdraw them, or make them available again"
  )
)

const returned = Operations.record("return", "boughtSims.giveBack", {
  examples: [{ command: "simplan sims return 8910300000000000017", description: "Whether money comes back" }]
}).pipe(Command.withShortDescription("Return an eSIM that was bought and not sold to its supplier"))

/** What is to be imported: a file, or the SIMs of an account of an online charging system. */
const sourceOf = Effect.fnUntraced(function* (given: {
  readonly file: Option.Option<string>
  readonly fromOcs: boolean
  readonly account: Option.Option<number>
  readonly label: Option.Option<Label.Label>
  readonly telco: Option.Option<string>
}) {
  const [account, label] = [Option.getOrUndefined(given.account), Option.getOrUndefined(given.label)]
  if (given.fromOcs) {
    if (Option.isSome(given.file)) return yield* misused("Give FILE or --from-ocs, and not both.")
    if (account === undefined) return yield* misused("--from-ocs needs --account, the id of an account of the system.")
    return { account, label, telco: Option.getOrUndefined(given.telco) }
  }
  const alone = [account, label, Option.getOrUndefined(given.telco)].some((one) => one !== undefined)
  if (alone) return yield* misused("--account, --label and --telco go with --from-ocs only.")
  if (Option.isNone(given.file)) return yield* misused("Give FILE, or --from-ocs with --account.")
  return given.file.value
})

const importSims = Command.make(
  "import",
  {
    file: Argument.optional(
      Flags.file(`CSV with the columns iccid, label, is_esim and perhaps ${SimImport.columnNames}`)
    ),
    fromOcs: Flag.Boolean("from-ocs").pipe(
      Flag.withDescription("Import from an online charging system of SIMPLAN_TELCO_FILE instead of a file"),
      Flag.withDefault(false)
    ),
    account: Flag.Int("account").pipe(
      Flag.withMetavar("<id>"),
      Flag.withDescription("With --from-ocs: the account whose SIMs are imported"),
      Flag.optional
    ),
    label: Flag.Literals("label", Label.labels).pipe(
      Flag.withDescription("With --from-ocs: the label that the SIMs get, if the file has several for the system"),
      Flag.optional
    ),
    telco: Flags.optionalId("telco", "With --from-ocs: the name of the system, if the file has several"),
    rejected: Flag.Path("rejected").pipe(
      Flag.withMetavar("<file>"),
      Flag.withDescription("With FILE: write the rows that are rejected to this file, to be corrected and imported"),
      Flag.map(Flags.fromHere),
      Flag.optional
    ),
    dryRun: Flags.dryRun("With FILE: say what would come of its rows, and change nothing"),
    ...Flags.organization
  },
  Effect.fnUntraced(function* (given) {
    const source = yield* sourceOf(given)
    if (typeof source !== "string") {
      if (given.dryRun) return yield* misused("--dry-run is for a FILE.")
      if (Option.isSome(given.rejected)) return yield* misused("--rejected is for a FILE.")
    }
    const { connection, id } = yield* Calls.openOrganization(given)
    const { missing, report } =
      typeof source === "string"
        ? { report: yield* SimsImport.run(connection, id, { ...given, path: source }), missing: null }
        : yield* OcsImport.run(connection, id, source)
    yield* Output.print(given.json ? JSON.stringify(report) : SimsImport.show(report, given.dryRun))
    const { error_count: errors } = report
    const failed =
      errors > 0
        ? [`${errors} of ${SimsImport.rowsIn(report)} rows ${given.dryRun ? "would not be" : "were not"} imported.`]
        : []
    const differing = SimsImport.differingIn(report)
    const kept =
      differing === 0
        ? []
        : [
            `${differing} rows differ from SIMs that are there already, which stay as they are: see each difference above.`
          ]
    const cut = missing === null ? [] : [`${missing}. Do the import again, or import the rest from a file.`]
    const problems = [...failed, ...kept, ...cut]
    if (problems.length > 0) return yield* impossible(problems.join("\n"))
  })
).pipe(
  Command.withDescription(
    "Import SIMs into an organization's inventory. A bad row stops no other; SIMs that are there already get the imsi, msisdn and subscriber_id of their rows, and the lpa if they are eSIMs without one; they are duplicates otherwise, so the same import may be done again. A row with another label, kind or activation code than its SIM has is shown with both, and ends the command with code 1."
  ),
  Command.withShortDescription("Import SIMs from a CSV file, or from an online charging system"),
  Command.withExamples([
    { command: "simplan sims import sims.csv" },
    {
      command:
        "printf 'iccid,label,is_esim,lpa\\n8910300000000000017,Green,true,LPA:1$smdp.example.com$ABC\\n' > sims.csv",
      description: "A file of one eSIM"
    },
    {
      command: "SIMPLAN_TELCO_FILE=telcos.json simplan sims import --from-ocs --account 37 --label Green",
      description: "The SIMs of account 37"
    }
  ])
)

export const command = Command.make("sims").pipe(
  Command.withDescription("The SIM inventory of an organization."),
  Command.withSubcommands([list, show, stock, update, returned, importSims, BulkCommands.sims])
)
