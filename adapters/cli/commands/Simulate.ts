/**
 * `simplan simulate SCENARIO.json`: plays a scenario of a plan in memory, without a server.
 *
 * The module `timeline` is loaded when the command runs, so that no other command, `serve` above
 * all, loads the simulation and the drawing.
 */
import { Effect, FileSystem, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Scenario } from "../../timeline/index.ts"
import * as Files from "../client/Files.ts"
import { impossible, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"

const picture = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("<file>"), Flag.withDescription(description), Flag.optional)

const write = Effect.fnUntraced(function* (path: string, content: string) {
  const files = yield* FileSystem.FileSystem
  yield* files
    .writeFileString(path, content)
    .pipe(Effect.mapError((error) => impossible(`${path} cannot be written (${error.reason._tag}).`)))
  yield* Output.note(`wrote ${path}`)
})

const mistakes = (path: string, all: ReadonlyArray<Scenario.Mistake>) =>
  misused(all.map(({ line, sentence }) => `${path}, line ${line}: ${sentence}.`).join("\n"))

const timeline = Effect.promise(() => import("../../timeline/index.ts"))

/**
 * The history of the scenario in a file. Fails with a sentence for each mistake in the file, with
 * its line.
 */
const play = Effect.fnUntraced(function* (path: string) {
  const { Play, Scenario } = yield* timeline
  const text = yield* Files.read(path)
  const scenario = Scenario.read(text)
  if (Result.isFailure(scenario)) return yield* mistakes(path, scenario.failure)
  return yield* Effect.mapError(Play.history(scenario.success), ({ path: field, sentence }) =>
    mistakes(path, [{ line: Scenario.lineIn(text, field), sentence }])
  )
})

export const command = Command.make(
  "simulate",
  {
    file: Argument.String("SCENARIO.json").pipe(
      Argument.withDescription("Plan terms, a subscription request and steps in time (see examples/simulate)")
    ),
    svg: picture("svg", "Draw the timeline into this file"),
    html: picture("html", "Write a page with the timeline, its details and the table into this file"),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON instead of a table"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ file, html, json, svg }) {
    const { Drawing, Page, Text } = yield* timeline
    const history = yield* play(file)
    yield* Output.print(json ? JSON.stringify(Text.json(history), null, 2) : Text.table(history))
    if (Option.isSome(svg)) yield* write(svg.value, `${Drawing.svg(history)}\n`)
    if (Option.isSome(html)) yield* write(html.value, Page.html(history))
  })
).pipe(
  Command.withDescription(
    "Play a scenario under a virtual clock, on the real services in memory, and print what happens when, by which rule. Needs no server."
  ),
  Command.withShortDescription("Play a scenario of a plan under a virtual clock"),
  Command.withExamples([
    { command: "simplan simulate scenario.json" },
    { command: "simplan simulate scenario.json --html timeline.html", description: "As a picture with details" }
  ])
)
