/**
 * What a server made for itself and keeps in the working directory, in `.simplan/credentials.json`: its tokens, the
 * key of a demonstration, and where it listens, so that the commands find it. Tokens that were set are never kept.
 *
 * Only the owner can read the file (mode 0600, its directory 0700), and it is replaced as a whole: a crash leaves the
 * old one or the new one. Two processes that make the first one at once end up with the same tokens.
 */
import { randomBytes } from "node:crypto"
import { Effect, FileSystem, Option, type PlatformError, Schema } from "effect"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"

const Demo = Schema.Struct({ organizationId: Schema.String, apiKey: Schema.String })

const Kept = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  adminToken: Schema.optionalKey(Schema.String),
  telcoToken: Schema.optionalKey(Schema.String),
  /** What the simulated telco of this directory is called with. */
  telcoKey: Schema.optionalKey(Schema.String),
  /** By the URL of the database. */
  demos: Schema.optionalKey(Schema.Record(Schema.String, Demo))
})

export type Kept = typeof Kept.Type
export type Demo = typeof Demo.Type

export const DIRECTORY = ".simplan"
export const FILE = `${DIRECTORY}/credentials.json`

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))

type Files<A> = Effect.Effect<A, CommandFailed, FileSystem.FileSystem>

const reasonOf = (error: PlatformError.PlatformError): string =>
  error.reason._tag === "PermissionDenied" ? "permission denied" : error.reason._tag

const isA =
  (tag: PlatformError.SystemErrorTag) =>
  (error: PlatformError.PlatformError): boolean =>
    error.reason._tag === tag

/** What is kept; null where nothing is. */
const stored: Files<Kept | null> = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(FILE).pipe(
    Effect.catchIf(isA("NotFound"), () => Effect.succeed(null)),
    Effect.mapError((error) => impossible(`${FILE} cannot be read (${reasonOf(error)}).`))
  )
  if (text === null) return null
  const kept = decode(text)
  if (Option.isNone(kept)) {
    return yield* impossible(`${FILE} is not what simplan wrote there; remove it, and the next start makes a new one.`)
  }
  return kept.value
})

/** What is kept. */
export const read: Files<Kept> = Effect.map(stored, (kept) => kept ?? {})

const write = (kept: Kept, isNew: boolean) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(DIRECTORY, { recursive: true, mode: 0o700 })
    yield* files.chmod(DIRECTORY, 0o700)
    const fresh = `${FILE}.${randomBytes(6).toString("hex")}`
    // A link fails where another process was first, a rename would not.
    const replace = isNew ? files.link(fresh, FILE) : files.rename(fresh, FILE)
    yield* files
      .writeFileString(fresh, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: "wx" })
      .pipe(Effect.andThen(replace), Effect.ensuring(Effect.ignore(files.remove(fresh, { force: true }))))
  })

/** Changes what is kept; gives it as it is then. A change that changes nothing writes nothing. */
export const change = (f: (kept: Kept) => Kept): Files<Kept> =>
  Effect.gen(function* () {
    const before = yield* stored
    const after = f(before ?? {})
    if (JSON.stringify(after) === JSON.stringify(before ?? {})) return after
    const lostRace = yield* write(after, before === null).pipe(
      Effect.as(false),
      Effect.catchIf(isA("AlreadyExists"), () => Effect.succeed(true)),
      Effect.mapError((error) => impossible(`${FILE} cannot be written (${reasonOf(error)}).`))
    )
    return lostRace ? yield* change(f) : after
  })

/** A new token: 256 random bits, `[A-Za-z0-9_-]` only. */
export const newToken = (): string => randomBytes(32).toString("base64url")
