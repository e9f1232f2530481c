/**
 * The file `.simplan/credentials.json` in the working directory: generated tokens, the API key of a demonstration, and
 * the server's address, so that commands find the server. Tokens from the environment are never written to it.
 *
 * Only the owner can read the file. Two processes that create it at the same time use the same tokens.
 */
import { randomBytes } from "node:crypto"
import { Effect, FileSystem, Option, type PlatformError, Schema } from "effect"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as OwnerFile from "./OwnerFile.ts"

const Demo = Schema.Struct({ organizationId: Schema.String, apiKey: Schema.String })

const Kept = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  /** The address of the listener for operators, if there is one. */
  adminUrl: Schema.optionalKey(Schema.String),
  adminToken: Schema.optionalKey(Schema.String),
  telcoToken: Schema.optionalKey(Schema.String),
  /** The token of the simulated telco of this directory. */
  telcoKey: Schema.optionalKey(Schema.String),
  /** Demonstrations, by the URL of the database. */
  demos: Schema.optionalKey(Schema.Record(Schema.String, Demo))
})

export type Kept = typeof Kept.Type
export type Demo = typeof Demo.Type

export const FILE = `${OwnerFile.DIRECTORY}/credentials.json`

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Kept))

type Files<A> = Effect.Effect<A, CommandFailed, FileSystem.FileSystem>

const failed =
  (verb: string) =>
  (error: PlatformError.PlatformError): CommandFailed => {
    const reason = error.reason._tag === "PermissionDenied" ? "permission denied" : error.reason._tag
    return impossible(`${FILE} cannot be ${verb} (${reason}).`)
  }

const hasReason =
  (tag: PlatformError.SystemErrorTag) =>
  (error: PlatformError.PlatformError): boolean =>
    error.reason._tag === tag

/** The file's content; null if there is no file. */
const stored: Files<Kept | null> = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(FILE).pipe(
    Effect.catchIf(hasReason("NotFound"), () => Effect.succeed(null)),
    Effect.mapError(failed("read"))
  )
  if (text === null) return null
  const kept = decode(text)
  if (Option.isNone(kept)) {
    return yield* impossible(`${FILE} is not what simplan wrote there; remove it, and the next start makes a new one.`)
  }
  return kept.value
})

/** The file's content; empty if there is no file. */
export const read: Files<Kept> = Effect.map(stored, (kept) => kept ?? {})

/** Changes the file and returns its new content. A change without effect writes nothing. */
export const change = (f: (kept: Kept) => Kept): Files<Kept> =>
  Effect.gen(function* () {
    const before = yield* stored
    const after = f(before ?? {})
    if (JSON.stringify(after) === JSON.stringify(before ?? {})) return after
    const lostRace = yield* OwnerFile.write(FILE, `${JSON.stringify(after, null, 2)}\n`, before === null).pipe(
      Effect.as(false),
      Effect.catchIf(hasReason("AlreadyExists"), () => Effect.succeed(true)),
      Effect.mapError(failed("written"))
    )
    return lostRace ? yield* change(f) : after
  })

/** A new token: 256 random bits in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url")
