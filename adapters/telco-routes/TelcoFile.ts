/**
 * Reads the settings file of telcos: its telcos by the schemas of `Settings`, and its routes. Each
 * mistake is one sentence with the file, the line and the field, and all that are found are
 * reported at once. No sentence shows a value, because it may be a secret that was written into the
 * wrong place.
 *
 * A secret is the content of a file, whose path is relative to the settings file, or a variable of
 * the environment.
 */
import { Data, Effect, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Amount } from "simplan/ports"
import { Fields, Messages } from "../fields/index.ts"
import * as JsonLines from "../json-lines/index.ts"
import { Answers, FileSettings } from "../telco-calls/index.ts"
import * as Routing from "./Routing.ts"
import * as Settings from "./Settings.ts"

/** What is wrong with a file; the message has one line for each mistake. */
export class BadTelcoFile extends Data.TaggedError("BadTelcoFile")<{
  /** File, line, field and sentence of each mistake; no values. */
  readonly message: string
}> {}

interface Mistake {
  readonly path: JsonLines.Path
  readonly message: string
}

/** A part of the file, or what is wrong with it. */
type Found<A> = Result.Result<A, ReadonlyArray<Mistake>>

const wrong = (path: JsonLines.Path, message: string): Result.Result<never, ReadonlyArray<Mistake>> =>
  Result.fail([{ path, message }])

/** All values, or the mistakes of all that have some. */
const all = <A>(found: ReadonlyArray<Found<A>>): Found<ReadonlyArray<A>> => {
  const mistakes = found.flatMap((one) => (Result.isFailure(one) ? one.failure : []))
  return mistakes.length > 0
    ? Result.fail(mistakes)
    : Result.succeed(found.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])))
}

/** What was decoded at a path, or the mistakes there. */
const at = <A>(path: JsonLines.Path, decoded: Result.Result<A, Schema.SchemaError>): Found<A> =>
  Result.mapError(decoded, ({ issue }) => Messages.problems(issue, path))

/** Both values, or the mistakes of both. */
const both = <A, B>(left: Found<A>, right: Found<B>): Found<readonly [A, B]> => {
  if (Result.isSuccess(left) && Result.isSuccess(right)) return Result.succeed([left.success, right.success])
  return Result.fail([
    ...(Result.isFailure(left) ? left.failure : []),
    ...(Result.isFailure(right) ? right.failure : [])
  ])
}

/** Where secrets are read from. */
export interface Places {
  /** The folder of the settings file. */
  readonly directory: string
  /** The variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Why a file cannot be read. */
const reasonOf = (error: unknown): string => Answers.codeOf(error) || "unreadable"

const content = (path: string): Result.Result<string, string> =>
  Result.try({ try: () => readFileSync(path, "utf8"), catch: reasonOf })

/** A secret without white space around it. */
const readingSecrets =
  ({ directory, env }: Places): FileSettings.ReadSecret =>
  (secret) => {
    if ("env" in secret) {
      const value = env[secret.env]?.trim() ?? ""
      return value === ""
        ? Result.fail(`names the environment variable ${secret.env}, which is not set or empty`)
        : Result.succeed(Redacted.make(value))
    }
    const path = resolve(directory, secret.file)
    const text = content(path)
    if (Result.isFailure(text)) return Result.fail(`names the file ${path}, which cannot be read (${text.failure})`)
    const value = text.success.trim()
    return value === "" ? Result.fail(`names the file ${path}, which is empty`) : Result.succeed(Redacted.make(value))
  }

/** A name is part of paths, metrics and the journal's entries. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/
const NAMES = "must be named by up to 63 small letters, digits, - and _"

/** Reads the settings of all telcos. */
const readTelcos = (
  telcos: Readonly<Record<string, unknown>>,
  places: Places
): Found<ReadonlyArray<Settings.Telco>> => {
  const read = readingSecrets(places)
  const telcoOf = (name: string, value: unknown): Found<Settings.Telco> => {
    const path: JsonLines.Path = ["telcos", name]
    if (!NAME.test(name)) return wrong(path, NAMES)
    if (typeof value !== "object" || value === null) return wrong(path, "must be an object with kind")
    const kind = kindOf(value)
    if (!Settings.isKind(kind))
      return wrong([...path, "kind"], `must be one of ${Object.keys(Settings.kinds).join(", ")}`)
    const decoded: Result.Result<Settings.Unnamed, Schema.SchemaError> = Settings.kinds[kind].decoder(read)(value)
    return Result.map(at(path, decoded), (of) => ({ name, ...of }))
  }
  return all(Object.entries(telcos).map(([name, telco]) => telcoOf(name, telco)))
}

/** A charging system of a file, for those who only call it. */
export interface System {
  /** The telco's name in the file. */
  readonly name: string
  /** Location zones by label and region code. */
  readonly zones: Settings.Of<"ocs">["zones"]
  /** Its settings without notifications. Of all secrets of the file its token alone is read. */
  readonly settings: Effect.Effect<Settings.Of<"ocs">, BadTelcoFile>
}

/** Stands for each secret that is not read. */
const unread: FileSettings.ReadSecret = () => Result.succeed(Redacted.make("-".repeat(FileSettings.LEAST_SECRET)))

/**
 * Reads the charging systems alone, and no secret but the token of one whose settings are asked
 * for.
 */
const readSystems = (telcos: Readonly<Record<string, unknown>>, places: Places) => {
  const { decoder } = Settings.kinds.ocs
  const check = decoder(unread)
  const read = decoder(readingSecrets(places))
  const systemOf = (name: string, value: object) => {
    const path: JsonLines.Path = ["telcos", name]
    return Result.map(at(path, check(value)), ({ zones }) => ({
      name,
      zones,
      settings: (): Found<Settings.Of<"ocs">> => {
        const called = { ...value }
        Reflect.deleteProperty(called, "notifications")
        return Result.map(at(path, read(called)), (of) => ({ name, ...of }))
      }
    }))
  }
  return all(
    Object.entries(telcos).flatMap(([name, telco]) =>
      typeof telco === "object" && telco !== null && kindOf(telco) === "ocs" ? [systemOf(name, telco)] : []
    )
  )
}

const loads = {
  message: 'must be an array of codes of bundles; one that ends in *, such as "esim_*", is what codes begin with'
}
/** Codes of bundles, and what codes begin with. */
const Loads = Schema.Array(Fields.NonEmpty)
  .annotate(loads)
  .check(Schema.makeFilter((codes) => codes.length > 0, loads))

const spending = {
  message: 'must be an amount above 0 with its currency, such as {"amount": "50.00", "currency": "USD"}'
}
/** An amount of money, exact. */
const Spending = Schema.Struct({ amount: Schema.String, currency: Schema.String })
  .annotate(spending)
  .pipe(
    Schema.decodeTo(
      Schema.declare((value): value is Amount.Amount => typeof value === "object"),
      {
        decode: SchemaGetter.transformEffect(
          ({ amount, currency }: { readonly amount: string; readonly currency: string }) => {
            const found = /^[A-Z]{3}$/.test(currency) ? Amount.parse(amount, currency) : undefined
            return found !== undefined && found.units > 0
              ? Effect.succeed(found)
              : Effect.fail(new SchemaIssue.InvalidValue(spending))
          }
        ),
        encode: SchemaGetter.forbidden(() => "Settings are never written")
      }
    )
  )

const limits = { message: "must be an object with unsold, with spending_per_day or with both" }
/** What purchases are held to, each organization by itself (rule I16). */
const Limits = Schema.Struct({
  /** How many eSIMs of a label and a load may be free or outstanding. */
  unsold: Schema.optionalKey(Fields.integer(1, 1_000_000)),
  /** What may be spent at the supplier in a UTC day. */
  spending_per_day: Schema.optionalKey(Spending)
})
  .annotate(limits)
  .check(Schema.makeFilter((of) => Object.keys(of).length > 0, limits))

/**
 * A rule of which SIMs go where: all of them, those of a label or of an organization, those that
 * are bought with certain loads, or what fits all of that.
 */
const RouteRule = Schema.Struct({
  label: Schema.optionalKey(Fields.Label),
  organization_id: Schema.optionalKey(Fields.NonEmpty),
  loads: Schema.optionalKey(Loads),
  limits: Schema.optionalKey(Limits),
  packages: Schema.String,
  sms: Schema.optionalKey(Schema.String),
  profiles: Schema.optionalKey(Schema.String)
}).annotate({
  message:
    "must be an object with packages, and with label, organization_id, loads, limits, sms and profiles where needed"
})

/** The file; the settings of its telcos are decoded by kind. */
const File = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  telcos: Schema.Record(Schema.String, Schema.Unknown).annotate({ message: "must be an object of telcos by name" }),
  routes: Schema.Array(RouteRule).annotate({ message: "must be an array of routes" })
}).annotate({ message: "must be an object with telcos and routes" })

const decodeFile = Schema.decodeUnknownResult(File, { errors: "all", onExcessProperty: "error" })

const kindOf = (telco: unknown): unknown =>
  typeof telco === "object" && telco !== null && "kind" in telco ? telco.kind : undefined

/** A text, and where it comes from. */
export interface Source extends Places {
  /** JSON, as the file has it. */
  readonly text: string
  /** The file's name in messages. */
  readonly name: string
  /** Whether the clock is virtual: real telcos know the machine's time only. */
  readonly isVirtual?: boolean
}

const onlySimulators = (telcos: ReadonlyArray<Settings.Telco>): Found<ReadonlyArray<Settings.Telco>> =>
  all(
    telcos.map((telco) =>
      telco.kind === "simulator"
        ? Result.succeed(telco)
        : wrong(["telcos", telco.name, "kind"], "must be simulator, because the clock is virtual")
    )
  )

/**
 * The mistake of each telco whose token of reports is another one's too, so that nobody could say
 * which of them reports.
 */
const ambiguous = (telcos: ReadonlyArray<Settings.Telco>): ReadonlyArray<Mistake> => {
  const known = new Map<string, string>()
  return telcos.flatMap((telco) => {
    if (telco.kind !== "http" || telco.reportsToken === null) return []
    const token = Redacted.value(telco.reportsToken)
    const other = known.get(token)
    known.set(token, telco.name)
    const message = `names the token of the telco ${other}: each telco has one of its own`
    return other === undefined ? [] : [{ path: ["telcos", telco.name, "reports", "token"], message }]
  })
}

/** Why a telco cannot be taken for a capability; undefined if it can. */
const unable = (telcos: Readonly<Record<string, unknown>>, name: string, capability: Routing.Capability | "sales") => {
  if (!Object.hasOwn(telcos, name)) return "names a telco that is not among telcos"
  const kind = kindOf(telcos[name])
  // A kind that is wrong is a mistake of its own.
  if (!Settings.isKind(kind)) return undefined
  const able = Settings.kinds[kind].capabilities
  if (capability === "sales") {
    return Settings.sellers.includes(kind) ? undefined : `names a telco of the kind ${kind}, which sells no eSIMs`
  }
  return able.includes(capability)
    ? undefined
    : `names a telco of the kind ${kind}, which only takes ${able.join(", ")}`
}

const ONLY_SOLD = "cannot stand beside loads: all of a SIM goes to the telco that has sold it"

const ONLY_BOUGHT = "can be of a telco that sells eSIMs only"

const routeOf = (
  telcos: Readonly<Record<string, unknown>>,
  { label, limits, loads, organization_id, packages, profiles, sms }: typeof RouteRule.Type,
  index: number
): Found<Routing.Route> => {
  const at: JsonLines.Path = ["routes", index]
  const named: ReadonlyArray<readonly [Routing.Capability, string | undefined]> = [
    ["packages", packages],
    ["sms", sms],
    ["profiles", profiles]
  ]
  const mistakes = named.flatMap(([capability, name]): ReadonlyArray<Mistake> => {
    if (name === undefined) return []
    const isOther = loads !== undefined && capability !== "packages"
    const message = isOther ? ONLY_SOLD : unable(telcos, name, loads === undefined ? capability : "sales")
    return message === undefined ? [] : [{ path: [...at, capability], message }]
  })
  if (mistakes.length > 0) return Result.fail(mistakes)
  const salesless = limits === undefined ? undefined : unable(telcos, packages, "sales")
  if (salesless !== undefined) return wrong([...at, "limits"], ONLY_BOUGHT)
  return Result.succeed({
    ...(limits !== undefined && {
      limits: { unsold: limits.unsold ?? null, spendingPerDay: limits.spending_per_day ?? null }
    }),
    label: label ?? null,
    organizationId: organization_id ?? null,
    loads: loads ?? null,
    telcos: { packages, sms: sms ?? packages, profiles: profiles ?? packages }
  })
}

/** The mistake of each route that is never taken. */
const unreachable = (routes: ReadonlyArray<Routing.Route>): ReadonlyArray<Mistake> =>
  routes.flatMap((route, index) => {
    const earlier = routes.slice(0, index).findIndex((one) => Routing.covers(one, route))
    return earlier < 0
      ? []
      : [{ path: ["routes", index], message: `is never taken, because routes[${earlier}] takes all of its SIMs` }]
  })

/**
 * Reads the routes: each names telcos of the file that can do what it sends them, and is taken by
 * some SIM.
 */
const readRoutes = ({ routes, telcos }: typeof File.Type): Found<ReadonlyArray<Routing.Route>> => {
  if (routes.length === 0) return wrong(["routes"], "must have a route")
  const found = all(routes.map((route, index) => routeOf(telcos, route, index)))
  return Result.flatMap(found, (list) => {
    const mistakes = unreachable(list)
    return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(list)
  })
}

const settingsOf = (value: unknown, source: Source): Found<Settings.Settings> =>
  Result.flatMap(at([], decodeFile(value)), (file) => {
    const read = Result.flatMap(readTelcos(file.telcos, source), (telcos) => {
      const mistakes = ambiguous(telcos)
      return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(telcos)
    })
    const telcos = source.isVirtual === true ? Result.flatMap(read, onlySimulators) : read
    return Result.map(both(telcos, readRoutes(file)), ([telcos, routes]) => ({ telcos, routes }))
  })

/** The error of mistakes, in the order of their lines. */
const errorIn =
  ({ name }: Source, { lineOf }: Pick<JsonLines.Lines, "lineOf">) =>
  (mistakes: ReadonlyArray<Mistake>): BadTelcoFile => {
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
const parsed = <A>(source: Source, read: (value: unknown) => Found<A>) =>
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
  readonly env?: Places["env"]
  readonly isVirtual?: boolean
}

/** The text of a file. */
const open = (path: string, { env = process.env, isVirtual = false }: Options) =>
  Result.map(
    Result.try({
      try: () => readFileSync(path, "utf8"),
      catch: (error) => new BadTelcoFile({ message: `${path} cannot be read (${reasonOf(error)}).` })
    }),
    (text): Source => ({ text, name: path, directory: dirname(resolve(path)), env, isVirtual })
  )

/** Reads a file, and the secrets that it names. */
export const read = (path: string, options: Options = {}): Effect.Effect<Settings.Settings, BadTelcoFile> =>
  Effect.suspend(() => Effect.fromResult(Result.flatMap(open(path, options), parse)))

/** Reads the charging systems of a file and its routes, and no secret. */
export const systems = (
  path: string,
  options: Pick<Options, "env"> = {}
): Effect.Effect<
  { readonly systems: ReadonlyArray<System>; readonly routes: ReadonlyArray<Routing.Route> },
  BadTelcoFile
> =>
  Effect.suspend(() =>
    Effect.fromResult(
      Result.gen(function* () {
        const source = yield* open(path, options)
        const { errorOf, value } = yield* parsed(source, (file) =>
          Result.flatMap(at([], decodeFile(file)), (of) => both(readSystems(of.telcos, source), readRoutes(of)))
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

/**
 * The telcos that share the token of the service's settings for their reports, so that each of them
 * may speak for all of them.
 */
export const sharing = ({ telcos }: Settings.Settings): ReadonlyArray<string> => {
  const names = telcos.flatMap((of) => (of.kind === "http" && of.reportsToken === null ? [of.name] : []))
  return names.length > 1 ? names : []
}
