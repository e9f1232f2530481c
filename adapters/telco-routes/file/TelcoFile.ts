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

/** Tells of mistakes by their lines. */
const telling =
  ({ name }: Source, { lineOf }: Pick<JsonLines.Lines, "lineOf">) =>
  (mistakes: ReadonlyArray<Mistakes.Mistake>): BadTelcoFile => {
    const lines = mistakes
      .map(({ message, path }) => ({
        line: lineOf(path),
        sentence: `${Messages.nameOf(path) || "the file"} ${message}`
      }))
      .sort((left, right) => left.line - right.line)
    return new BadTelcoFile({ message: lines.map(sentenceIn(name)).join("\n") })
  }

const sentenceIn =
  (name: string) =>
  ({ line, sentence }: JsonLines.Mistake): string =>
    `${name}, line ${line}: ${sentence}.`

/** The value of a text, read, with what tells of further mistakes in it. */
const parsed = <A>(source: Source, read: (value: unknown) => Mistakes.Found<A>) =>
  Result.gen(function* () {
    const document = yield* Result.mapError(
      JsonLines.parse(source.text),
      (mistake) => new BadTelcoFile({ message: sentenceIn(source.name)(mistake) })
    )
    const tell = telling(source, document)
    return { tell, value: yield* Result.mapError(read(document.value), tell) }
  })

/** Reads a text. */
export const parse = (source: Source): Result.Result<Settings.Settings, BadTelcoFile> =>
  Result.map(
    parsed(source, (value) => settingsOf(value, source)),
    ({ value }) => value
  )

interface Options {
  readonly env?: Secrets.Places["env"]
  readonly isVirtual?: boolean
}

/** The text of a file. */
const open = (path: string, { env = process.env, isVirtual = false }: Options) =>
  Result.map(
    Result.try({
      try: () => readFileSync(path, "utf8"),
      catch: (error) => new BadTelcoFile({ message: `${path} cannot be read (${Secrets.codeOf(error)}).` })
    }),
    (text): Source => ({ text, name: path, directory: dirname(resolve(path)), env, isVirtual })
  )

/** Reads a file, and the secrets that it names. */
export const read = (path: string, options: Options = {}): Effect.Effect<Settings.Settings, BadTelcoFile> =>
  Effect.suspend(() => Effect.fromResult(Result.flatMap(open(path, options), parse)))

/** A charging system of a file, for those who only call it. */
export interface System extends Pick<TelcoList.System, "name" | "zones"> {
  /** Its settings without notifications. Of all secrets of the file its token alone is read. */
  readonly settings: Effect.Effect<Settings.Ocs, BadTelcoFile>
}

/** Reads the charging systems of a file and its routes, and no secret. */
export const systems = (
  path: string,
  options: Pick<Options, "env"> = {}
): Effect.Effect<
  { readonly systems: ReadonlyArray<System>; readonly routes: ReadonlyArray<Settings.Route> },
  BadTelcoFile
> =>
  Effect.suspend(() =>
    Effect.fromResult(
      Result.gen(function* () {
        const source = yield* open(path, options)
        const { tell, value } = yield* parsed(source, (file) =>
          Result.flatMap(decodeFile(file, []), (of) =>
            Mistakes.both(TelcoList.systems(of.telcos, source), RouteList.read(of))
          )
        )
        const [systems, routes] = value
        const told = systems.map(({ name, settings, zones }) => ({
          name,
          zones,
          settings: Effect.suspend(() => Effect.fromResult(Result.mapError(settings(), tell)))
        }))
        return { systems: told, routes }
      })
    )
  )
