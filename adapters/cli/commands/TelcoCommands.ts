/**
 * `simplan telco`: runs the simulated telco as a process of its own. `simplan telco check`: tries
 * the telcos of a settings file.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { resolve } from "node:path"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as DatabaseUrl from "../settings/DatabaseUrl.ts"
import * as Process from "../server/Process.ts"
import * as Output from "../output/Output.ts"
import * as Credentials from "../settings/Credentials.ts"
import * as Definitions from "../settings/Definitions.ts"
import * as Settings from "../settings/Settings.ts"
import * as Operations from "./Operations.ts"
import type * as TelcoProcess from "../telco/TelcoProcess.ts"

const DEFAULT_BOOKS = "pglite://./.simplan/telco"

const booksUrl = Effect.gen(function* () {
  const given = yield* Settings.text(Settings.TELCO_BOOKS)
  const books = DatabaseUrl.parse(given ?? DEFAULT_BOOKS)
  if (books !== undefined) return books
  const shown = JSON.stringify(DatabaseUrl.withoutPassword(given ?? ""))
  return yield* impossible(`${Settings.TELCO_BOOKS} is ${shown}, but must be ${DatabaseUrl.allowed}.`)
})

/** Where the books are, and the direct address beside a pooler's. */
const booksUrls = Effect.gen(function* () {
  const books = yield* booksUrl
  const given = yield* Settings.text(Settings.TELCO_BOOKS_DIRECT)
  const direct = DatabaseUrl.parseDirect(given ?? "")
  if (direct === undefined) {
    const shown = JSON.stringify(DatabaseUrl.withoutPassword(given ?? ""))
    return yield* impossible(`${Settings.TELCO_BOOKS_DIRECT} is ${shown}, but must be ${DatabaseUrl.allowedDirect}.`)
  }
  if (direct !== null && books._tag !== "Postgres") {
    return yield* impossible(
      `${Settings.TELCO_BOOKS_DIRECT} is set and ${Settings.TELCO_BOOKS} names no PostgreSQL: the one is the direct address beside the other's pooler.`
    )
  }
  return { books, direct }
})

const telcoProcess = Effect.promise(() => import("../telco/TelcoProcess.ts"))

const keyFile = Credentials.fileOf("telcoKey")

// A generated key is shown to a terminal only, and read from its file by the commands.
const text = ({ books, generatedKey, url }: TelcoProcess.Telco, isTerminal: boolean): string => {
  const key =
    generatedKey === null ? `$${Definitions.TELCO_KEY}` : `$(cat '${resolve(keyFile).replaceAll("'", "'\\''")}')`
  const bearer = `-H "authorization: Bearer ${key}"`
  const shown = generatedKey === null ? `as set in ${Definitions.TELCO_KEY}` : `in ${resolve(keyFile)}`
  return [
    "The simulated telco is listening.",
    "",
    `  address  ${url}`,
    `  document ${url}/openapi.json`,
    `  books    ${books}`,
    `  key      ${(isTerminal ? generatedKey : null) ?? shown}`,
    "",
    "Start a server that uses it, look into its books, or make it fail:",
    "",
    `SIMPLAN_TELCO_URL=${url} ${Definitions.TELCO_KEY}="${key}" simplan serve`,
    `curl -sS ${url}/simulator/books ${bearer}`,
    `curl -sS -X PUT ${url}/simulator/faults ${bearer} -H 'content-type: application/json' -d '{"faults":[{"fault":"refuse","on":"createPackage","times":1}]}'`
  ].join("\n")
}

/** Whether the person at the terminal says yes. */
const agreed = (sentence: string) =>
  Effect.gen(function* () {
    if (process.stdin.isTTY !== true) {
      return yield* impossible(`${sentence} Nobody can be asked here: add --yes if that is wanted.`)
    }
    const { createInterface } = yield* Effect.promise(() => import("node:readline/promises"))
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    const answer = yield* Effect.promise(() => lines.question(`${sentence} Go on? (yes or no) `))
    lines.close()
    return answer.trim().toLowerCase() === "yes"
  })

const check = Command.make(
  "check",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("Only the telco of this name in the file"),
      Argument.optional
    ),
    spend: Flag.Boolean("spend").pipe(
      Flag.withDescription("Buy an eSIM of the telco that is named, and return it, after asking"),
      Flag.withDefault(false)
    ),
    bundle: Flag.String("bundle").pipe(
      Flag.withMetavar("<code>"),
      Flag.withDescription("The bundle that the eSIM comes with; by default the cheapest"),
      Flag.optional
    ),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Spend without asking, for scripts"), Flag.withDefault(false)),
    file: Flag.String("file").pipe(
      Flag.withMetavar("<file>"),
      Flag.withDescription("The settings file; by default that of SIMPLAN_TELCO_FILE"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON instead of a table"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ bundle, file, json, name, spend, yes }) {
    const named = Option.getOrNull(name)
    if (spend && named === null) return yield* misused("Name the telco whose money --spend may spend.")
    if (!spend && Option.isSome(bundle)) return yield* misused("--bundle says what --spend buys: add --spend.")
    const set = yield* Settings.telcoFile
    const path = Option.getOrNull(file) ?? set
    if (path === null) return yield* misused("Name the settings file of telcos by --file or SIMPLAN_TELCO_FILE.")
    const TelcoCheck = yield* Effect.promise(() => import("../telco/TelcoCheck.ts"))
    const agree = yes ? () => Effect.succeed(true) : agreed
    const of = spend && named !== null ? { telco: named, bundle: Option.getOrNull(bundle), agree } : null
    const findings = yield* Effect.provide(TelcoCheck.run(path, { named, spend: of }), Process.logs)
    const { width } = yield* Output.Output
    const rows = findings.map(({ works, ...finding }) => ({ ...finding, works: works ? "yes" : "no" }))
    const shown = rows.map(({ kind, message, telco, what, works }) => ({ telco, what, works, message, kind }))
    yield* Output.print(json ? JSON.stringify(findings, null, 2) : Output.table(shown, width))
    const failed = findings.filter(({ works }) => !works).length
    if (failed > 0) return yield* impossible(`${failed} of ${findings.length} things do not work.`)
  })
).pipe(
  Command.withDescription(
    "Call each telco of the settings file in ways that change nothing, and print what works. Needs no server. With --spend it buys an eSIM of one telco and returns it, and says what it cost and what came back."
  ),
  Command.withShortDescription("Try the telcos of a settings file"),
  Command.withExamples([
    { command: "simplan telco check --file telcos.json" },
    { command: "simplan telco check go --spend", description: "Buys an eSIM of the telco go, and returns it" }
  ])
)

type Compared = {
  readonly telco: string
  readonly requested_at: string | null
  readonly compared: number
  readonly unanswered: number
  readonly done_at: string | null
}

const isUnderWay = ({ done_at, requested_at }: Compared): boolean => requested_at !== null && done_at === null

/** How soon the server is asked again how far it is. */
const AGAIN = "1 second"

const compare = Command.make(
  "compare",
  {
    now: Flag.Boolean("now").pipe(
      Flag.withDescription(
        "Compare all SIMs from now on, and wait for the end; without it, say how far the last one is"
      ),
      Flag.withDefault(false)
    ),
    ...Connection.flags
  },
  Effect.fnUntraced(function* (given) {
    const connection = yield* Connection.openAdmin(given)
    const { width } = yield* Output.Output
    const progress = Effect.map(
      Calls.call(connection, (client) => client.telcos.comparisons({})),
      ({ data }) => data
    )
    let all: ReadonlyArray<Compared> = given.now
      ? (yield* Calls.call(connection, (client) => client.telcos.compare({}))).data
      : yield* progress
    while (given.now && all.some(isUnderWay)) {
      yield* Effect.sleep(AGAIN)
      all = yield* progress
      const compared = all.reduce((sum, one) => sum + one.compared, 0)
      if (process.stderr.isTTY) process.stderr.write(`\r${compared} SIMs compared`)
    }
    if (given.now && process.stderr.isTTY) process.stderr.write("\n")
    yield* Output.print(
      given.json
        ? JSON.stringify(all, null, 2)
        : Output.table(
            all.map((one) => ({ ...one })),
            width
          )
    )
    const unanswered = all.reduce((sum, one) => sum + one.unanswered, 0)
    if (given.now && unanswered > 0) {
      return yield* impossible(`The telco has not answered of ${unanswered} SIMs: compare again once it does.`)
    }
  })
).pipe(
  Command.withDescription(
    "Compare all SIMs of a running server with its charging systems, those in stock too. What differs is among the problems. After a restore, do this before the service sells again."
  ),
  Command.withShortDescription("Compare all SIMs with what the telcos have"),
  Command.withExamples([{ command: "simplan telco compare --now" }])
)

const bundles = Operations.list(
  "bundles",
  "telcos.bundles",
  ["code", "name", "price", "currency", "days", "data_bytes", "countries", "kind"],
  {
    named: { name: "NAME" },
    says: "List what a telco sells: a plan may be one of its bundles.",
    examples: [{ command: "simplan telco bundles simulator --country FR" }]
  }
)

export const command = Command.make(
  "telco",
  {
    host: Flag.String("host").pipe(
      Flag.withMetavar("<host>"),
      Flag.withDescription("Where it listens"),
      Flag.withDefault("127.0.0.1")
    ),
    port: Flag.Int("port").pipe(
      Flag.withMetavar("<port>"),
      Flag.withDescription("Where it listens (0 takes any that is free)"),
      Flag.withDefault(3100)
    )
  },
  (at) =>
    booksUrls.pipe(
      Effect.flatMap((urls) => Effect.flatMap(telcoProcess, (TelcoProcess) => TelcoProcess.start({ ...at, ...urls }))),
      Effect.flatMap((telco) => Output.print(text(telco, process.stdout.isTTY === true))),
      Process.serve,
      Effect.provide(Process.logs)
    )
).pipe(
  Command.withDescription(
    [
      "Start the simulated telco as a process of its own and serve until it is told to stop. It answers what a bridge",
      "  to a real telco has to answer; `simplan serve` uses it by SIMPLAN_TELCO_URL and SIMPLAN_TELCO_KEY.",
      "",
      `    ${Settings.TELCO_BOOKS}             pglite://<directory>, memory: or postgres://… (${DEFAULT_BOOKS})`,
      `    ${Settings.TELCO_BOOKS_DIRECT}      the database's own address, where that is a pooler's`,
      `    ${Definitions.TELCO_KEY}               the bearer token that it asks for (made and kept where it is not set)`
    ].join("\n")
  ),
  Command.withShortDescription(
    "Start the simulated telco by itself; check: try real ones; compare: compare their books; bundles: what one sells"
  ),
  Command.withSubcommands([check, compare, bundles]),
  Command.withExamples([
    { command: "simplan telco", description: "Its books in .simplan/telco" },
    { command: "SIMPLAN_TELCO_BOOKS=memory: simplan telco --port 0", description: "One that forgets, for a test" }
  ])
)
