/**
 * Reads the settings file of telcos: its telcos by `TelcoList`, and its routes. Each mistake is one sentence with the file, the
 * line and the field. No sentence shows a value, because it may be a secret that was written into the wrong place.
 */
import { Data, Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Messages } from "../../fields/index.ts"
import { JsonLines } from "../../json-lines/index.ts"
import * as Routing from "../Routing.ts"
import * as Mistakes from "./Mistakes.ts"
import type * as Settings from "./Settings.ts"
import * as Shape from "./Shape.ts"
import * as TelcoList from "./TelcoList.ts"

/** What is wrong with a file; the message has one line for each mistake. */
export class BadTelcoFile extends Data.TaggedError("BadTelcoFile")<{
  /** File, line, field and sentence of each mistake; no values. */
  readonly message: string
}> {}

/** A text, and where it comes from. */
export interface Source extends TelcoList.Places {
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

/** Why a telco cannot be taken for a capability; undefined if it can. */
const unable = (telcos: Readonly<Record<string, unknown>>, name: string, capability: Shape.Capability) => {
  if (!Object.hasOwn(telcos, name)) return "names a telco that is not among telcos"
  const telco = telcos[name]
  const kind: unknown = typeof telco === "object" && telco !== null && "kind" in telco ? telco.kind : undefined
  // A kind that is wrong is a mistake of its own.
  if (!Shape.isKind(kind)) return undefined
  const able: ReadonlyArray<Shape.Capability> = Shape.kinds[kind]
  return able.includes(capability)
    ? undefined
    : `names a telco of the kind ${kind}, which only takes ${able.join(", ")}`
}

const routeOf = (
  telcos: Readonly<Record<string, unknown>>,
  { label, organization_id, packages, profiles, sms }: Shape.Route,
  index: number
): Mistakes.Found<Settings.Route> => {
  const at: JsonLines.Path = ["routes", index]
  const named: ReadonlyArray<readonly [Shape.Capability, string | undefined]> = [
    ["packages", packages],
    ["sms", sms],
    ["profiles", profiles]
  ]
  const mistakes = named.flatMap(([capability, name]): ReadonlyArray<Mistakes.Mistake> => {
    const message = name === undefined ? undefined : unable(telcos, name, capability)
    return message === undefined ? [] : [{ path: [...at, capability], message }]
  })
  if (mistakes.length > 0) return Result.fail(mistakes)
  return Result.succeed({
    label: label ?? null,
    organizationId: organization_id ?? null,
    telcos: { packages, sms: sms ?? packages, profiles: profiles ?? packages }
  })
}

/** The mistake of each route that is never taken. */
const unreachable = (routes: ReadonlyArray<Settings.Route>): ReadonlyArray<Mistakes.Mistake> =>
  routes.flatMap((route, index) => {
    const earlier = routes.slice(0, index).findIndex((one) => Routing.covers(one, route))
    return earlier < 0
      ? []
      : [{ path: ["routes", index], message: `is never taken, because routes[${earlier}] takes all of its SIMs` }]
  })

/** Reads the routes: each names telcos of the file that can do what it sends them, and is taken by some SIM. */
const readRoutes = ({ routes, telcos }: typeof Shape.File.Type): Mistakes.Found<ReadonlyArray<Settings.Route>> => {
  if (routes.length === 0) return Mistakes.wrong(["routes"], "must have a route")
  const found = Mistakes.all(routes.map((route, index) => routeOf(telcos, route, index)))
  return Result.flatMap(found, (list) => {
    const mistakes = unreachable(list)
    return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(list)
  })
}

const settingsOf = (value: unknown, source: Source): Mistakes.Found<Settings.Settings> =>
  Result.flatMap(decodeFile(value, []), (file) => {
    const read = TelcoList.read(file.telcos, source)
    const telcos = source.isVirtual === true ? Result.flatMap(read, onlySimulators) : read
    return Result.map(Mistakes.both(telcos, readRoutes(file)), ([telcos, routes]) => ({ telcos, routes }))
  })

/** The error of mistakes, in the order of their lines. */
const errorIn =
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

/** The value of a text, read, and the error of further mistakes in that text. */
const parsed = <A>(source: Source, read: (value: unknown) => Mistakes.Found<A>) =>
  Result.gen(function* () {
    const document = yield* Result.mapError(
      JsonLines.parse(source.text),
      (mistake) => new BadTelcoFile({ message: sentenceIn(source.name)(mistake) })
    )
    const errorOf = errorIn(source, document)
    return { errorOf, value: yield* Result.mapError(read(document.value), errorOf) }
  })

/** Reads a text. */
export const parse = (source: Source): Result.Result<Settings.Settings, BadTelcoFile> =>
  Result.map(
    parsed(source, (value) => settingsOf(value, source)),
    ({ value }) => value
  )

interface Options {
  readonly env?: TelcoList.Places["env"]
  readonly isVirtual?: boolean
}

/** The text of a file. */
const open = (path: string, { env = process.env, isVirtual = false }: Options) =>
  Result.map(
    Result.try({
      try: () => readFileSync(path, "utf8"),
      catch: (error) => new BadTelcoFile({ message: `${path} cannot be read (${TelcoList.codeOf(error)}).` })
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
        const { errorOf, value } = yield* parsed(source, (file) =>
          Result.flatMap(decodeFile(file, []), (of) =>
            Mistakes.both(TelcoList.systems(of.telcos, source), readRoutes(of))
          )
        )
        const [systems, routes] = value
        return {
          systems: systems.map(({ name, settings, zones }) => ({
            name,
            zones,
            settings: Effect.suspend(() => Effect.fromResult(Result.mapError(settings(), errorOf)))
          })),
          routes
        }
      })
    )
  )
