/**
 * The command `simplan`: parses the arguments, runs the command, and returns the exit code.
 *
 * An error is one sentence on stderr. The help is printed only on request, or for a group of
 * commands without a command, so that it does not hide an error.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Layer } from "effect"
import { CliConfig, type CliError, Command, GlobalFlag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { type CommandFailed, misuse } from "./output/CommandFailed.ts"
import * as AuditCommands from "./commands/AuditCommands.ts"
import * as CatalogueCommands from "./commands/CatalogueCommands.ts"
import * as ClockCommands from "./commands/ClockCommands.ts"
import * as DatabaseCommands from "./commands/DatabaseCommands.ts"
import * as EventsCommands from "./commands/EventsCommands.ts"
import * as JobsCommands from "./commands/JobsCommands.ts"
import * as OperatorsCommands from "./commands/OperatorsCommands.ts"
import * as OrganizationsCommands from "./commands/OrganizationsCommands.ts"
import * as Search from "./commands/Search.ts"
import * as Serve from "./commands/Serve.ts"
import * as SimsCommands from "./commands/SimsCommands.ts"
import * as Simulate from "./commands/Simulate.ts"
import * as SubscriptionsCommands from "./commands/SubscriptionsCommands.ts"
import * as TelcoCommands from "./commands/TelcoCommands.ts"
import * as CostsCommands from "./commands/CostsCommands.ts"
import * as UsageCommands from "./commands/UsageCommands.ts"
import * as WebhooksCommands from "./commands/WebhooksCommands.ts"
import { Output, safe } from "./output/Output.ts"
import * as Secrets from "./settings/Secrets.ts"
import * as Start from "./Start.ts"
import * as Version from "./Version.ts"

const simplan = Command.make("simplan").pipe(
  Command.withDescription(
    [
      "Subscription and plan management for eSIMs and physical SIM cards.",
      "",
      "  `simplan serve` starts a server. The other commands talk to a running one: beside a server that was",
      "  started in this directory they need no flags, for any other name its address and token, or the API key of",
      "  an organization for its SIMs, plans and subscriptions."
    ].join("\n")
  ),
  Command.withSubcommands([
    Serve.command,
    DatabaseCommands.migrate,
    DatabaseCommands.secrets,
    OperatorsCommands.command,
    OrganizationsCommands.org,
    OrganizationsCommands.key,
    Search.command,
    SimsCommands.command,
    SubscriptionsCommands.plans,
    SubscriptionsCommands.subscriptions,
    UsageCommands.command,
    CostsCommands.command,
    WebhooksCommands.webhook,
    WebhooksCommands.deliveries,
    JobsCommands.jobs,
    JobsCommands.problems,
    AuditCommands.command,
    EventsCommands.command,
    CatalogueCommands.command,
    ClockCommands.command,
    Simulate.command,
    TelcoCommands.command
  ]),
  Command.withExamples([
    { command: "simplan serve", description: "In one terminal" },
    { command: 'simplan org create "Acme Mobile"', description: "In another, in the same directory" },
    { command: "simplan key create --org <id>" },
    { command: "simplan sims import sims.csv --org <id>" },
    { command: "simplan sims import --help", description: "What a command takes" },
    { command: "simplan --completions bash >> ~/.bashrc", description: "Complete commands and flags; or zsh, fish" }
  ])
)

const exitCode = (error: CliError.CliError | CommandFailed, output: Output, help: string): number => {
  if (error._tag === "CommandFailed") {
    output.err(`${safe(Secrets.redact(error.message))}\n`)
    return error.exitCode
  }
  if (error._tag === "ShowHelp" && error.errors.length === 0) {
    output.out(help)
    return 0
  }
  output.err(`${safe(error._tag === "ShowHelp" ? misuse(error) : error.message)}\n`)
  return 2
}

const platform = Layer.mergeAll(
  NodeServices.layer,
  FetchHttpClient.layer,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
)

/** Runs the command that the arguments name. */
export const run = (args: ReadonlyArray<string>): Effect.Effect<number> =>
  Effect.gen(function* () {
    const output = yield* Effect.service(Output)
    // The parser prints the help before it reports whether it was requested.
    let help = ""
    const log = (...parts: ReadonlyArray<unknown>): void => {
      help += `${parts.join(" ")}\n`
    }
    const console: Console.Console = { ...globalThis.console, log }
    return yield* Command.runWith(simplan, { version: Version.version, renderErrors: false })(args).pipe(
      Effect.map(() => {
        output.out(help)
        return 0
      }),
      Effect.catch((error) => Effect.sync(() => exitCode(error, output, help))),
      Effect.catchCause((cause) =>
        Effect.suspend(() => {
          // The entry says what to install.
          const defect = Cause.squash(cause)
          if (Start.missingPackage(defect) !== undefined) return Effect.die(defect)
          output.err(`simplan failed, which is a defect in it: ${safe(Secrets.redact(Cause.pretty(cause)))}\n`)
          return Effect.succeed(70)
        })
      ),
      Effect.provideService(Console.Console, console)
    )
  }).pipe(Effect.provide(platform))
