/**
 * Reads the settings file of telcos. Each mistake is one sentence with the file, the line and the field. No sentence shows a
 * value, because it may be a secret that was written into the wrong place.
 */
import { Data, Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Messages } from "../../fields/index.ts"
import { JsonLines } from "../../json-lines/index.ts"
import * as Mistakes from "./Mistakes.ts"
import * as RouteList from "./RouteList.ts"
import * as Secrets from "./Secrets.ts"
import type * as Settings from "./Settings.ts"
import * as Shape from "./Shape.ts"
import * as TelcoList from "./TelcoList.ts"

/** What is wrong with a file; the message has one line for each mistake. */
export class BadTelcoFile extends Data.TaggedError("BadTelcoFile")<{
  /** File, line, field and sentence of each mistake; no values. */
  readonly message: string
}> {}

/** A text, and where it comes from. */
export interface Source extends Secrets.Places {
  /** JSON, as the file has it. */
  readonly text: string
  /** The file's name in messages. */
  readonly name: string
  /** Whether the clock is virtual: real telcos know the machine's time only. */
  readonly isVirtual?: boolean
}

const decodeFile = Mistakes.decoder(Shape.File)

const onlySimulators = (telcos: ReadonlyArray<Settings.Telco>): Mistakes.Found<ReadonlyArray<Settings.Telco>> =>
  Mistakes.all(
    telcos.map((telco) =>
      telco.kind === "simulator"
        ? Result.succeed(telco)
        : Mistakes.wrong(["telcos", telco.name, "kind"], "must be simulator, because the clock is virtual")
    )
  )

const settingsOf = (value: unknown, source: Source): Mistakes.Found<Settings.Settings> =>
  Result.flatMap(decodeFile(value, []), (file) => {
    const read = TelcoList.read(file.telcos, source)
    const telcos = source.isVirtual === true ? Result.flatMap(read, onlySimulators) : read
    return Result.map(Mistakes.both(telcos, RouteList.read(file)), ([telcos, routes]) => ({ telcos, routes }))
  })

/** Reads a text. */
export const parse = (source: Source): Result.Result<Settings.Settings, BadTelcoFile> => {
  const sentence = ({ line, sentence }: JsonLines.Mistake) => `${source.name}, line ${line}: ${sentence}.`
  const parsed = JsonLines.parse(source.text)
  if (Result.isFailure(parsed)) return Result.fail(new BadTelcoFile({ message: sentence(parsed.failure) }))
  const { lineOf, value } = parsed.success
  return Result.mapError(settingsOf(value, source), (mistakes) => {
    const lines = mistakes
      .map(({ message, path }) => ({
        line: lineOf(path),
        sentence: `${Messages.nameOf(path) || "the file"} ${message}`
      }))
      .sort((left, right) => left.line - right.line)
    return new BadTelcoFile({ message: lines.map(sentence).join("\n") })
  })
}

/** Reads a file, and the secrets that it names. */
export const read = (
  path: string,
  options: { readonly env?: Secrets.Places["env"]; readonly isVirtual?: boolean } = {}
): Effect.Effect<Settings.Settings, BadTelcoFile> =>
  Effect.suspend(() => {
    const { env = process.env, isVirtual = false } = options
    const text = Result.try({
      try: () => readFileSync(path, "utf8"),
      catch: (error) => new BadTelcoFile({ message: `${path} cannot be read (${Secrets.codeOf(error)}).` })
    })
    return Effect.fromResult(
      Result.flatMap(text, (text) => parse({ text, name: path, directory: dirname(resolve(path)), env, isVirtual }))
    )
  })
