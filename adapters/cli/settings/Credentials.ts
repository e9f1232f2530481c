/**
 * What a server made for itself, in `.simplan/` of the working directory. `credentials.json` has
 * generated tokens, the API keys of demonstrations, and the server's address, so that commands find
 * the server. Beside it each secret has a file of its own, so that a shell reads it with `cat` and
 * no log has to show it; those are the secrets of the process that started last in the directory.
 * Tokens from the environment are never written.
 *
 * Only the owner can read the files (mode 0600, directory 0700). A file is replaced as a whole, so
 * that a crash leaves the old file or the new one. Two processes that create it at the same time
 * use the same tokens.
 *
 * The tokens that the server accepts. Tokens from the environment are used as they are. If the
 * environment has neither, both are generated once and kept in `.simplan/`. If it has only one, the
 * API of the other is off.
 */
import { randomBytes } from "node:crypto"
import { Effect, FileSystem, Option, type PlatformError, Schema, Struct, Redacted } from "effect"
import { type CommandFailed, impossible } from "../output/CommandFailed.ts"
import * as Secrets from "./Secrets.ts"
import type { Settings } from "./Settings.ts"

/**
 * `Generated`: the value may be shown to the operator. `Set`: the operator set it, and it is never
 * shown.
 */
export type Token = { readonly _tag: "Generated" | "Set"; readonly value: Redacted.Redacted } | { readonly _tag: "Off" }

export interface Tokens {
  readonly admin: Token
  readonly telco: Token
}

const fromSetting = (value: Redacted.Redacted | null): Token =>
  value === null ? { _tag: "Off" } : { _tag: "Set", value }

const generated = (token: string | undefined): Token => {
  if (token === undefined) return { _tag: "Off" }
  Secrets.register(token)
  return { _tag: "Generated", value: Redacted.make(token) }
}

/** The tokens of a server with these settings. */
export const tokensOf = ({
  adminToken,
  telcoToken
}: Pick<Settings, "adminToken" | "telcoToken">): Effect.Effect<Tokens, CommandFailed, FileSystem.FileSystem> => {
  if (adminToken !== null || telcoToken !== null) {
    return Effect.succeed({ admin: fromSetting(adminToken), telco: fromSetting(telcoToken) })
  }
  const fresh = { adminToken: newToken(), telcoToken: newToken() }
  return Effect.map(
    change((kept) => ({ ...fresh, ...kept })),
    (kept) => ({ admin: generated(kept.adminToken), telco: generated(kept.telcoToken) })
  )
}

/** The token's value; undefined if the API is off. */
export const value = (token: Token): Redacted.Redacted | undefined => (token._tag === "Off" ? undefined : token.value)

/** The directory in the working directory. */
export const DIRECTORY = ".simplan"

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

export const FILE = `${DIRECTORY}/credentials.json`

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

/**
 * Writes a file of the directory. With `isNew` it fails with `AlreadyExists` if there is such a
 * file.
 */
const writeFile = (
  file: string,
  text: string,
  isNew = false
): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.makeDirectory(DIRECTORY, { recursive: true, mode: 0o700 })
    yield* files.chmod(DIRECTORY, 0o700)
    const fresh = `${file}.${randomBytes(6).toString("hex")}`
    // Unlike a rename, a link fails if another process has created the file meanwhile.
    const replace = isNew ? files.link(fresh, file) : files.rename(fresh, file)
    // Failure: a file of another name is left, which nobody but its owner may read, as the one that
    // it was for.
    yield* files
      .writeFileString(fresh, text, { mode: 0o600, flag: "wx" })
      .pipe(Effect.andThen(replace), Effect.ensuring(Effect.ignore(files.remove(fresh, { force: true }))))
  })

/** The content of `credentials.json`; null if there is no file. */
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

/** The content of `credentials.json`; empty if there is no file. */
export const read: Files<Kept> = Effect.map(stored, (kept) => kept ?? {})

/**
 * Changes `credentials.json` and returns its new content. A change without effect writes nothing.
 */
export const change = (f: (kept: Kept) => Kept): Files<Kept> =>
  Effect.gen(function* () {
    const before = yield* stored
    const after = f(before ?? {})
    if (JSON.stringify(after) === JSON.stringify(before ?? {})) return after
    const lostRace = yield* writeFile(FILE, `${JSON.stringify(after, null, 2)}\n`, before === null).pipe(
      Effect.as(false),
      Effect.catchIf(hasReason("AlreadyExists"), () => Effect.succeed(true)),
      Effect.mapError(failed("written"))
    )
    return lostRace ? yield* change(f) : after
  })

/** A new token: 256 random bits in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url")

const names = {
  /** The API key of the demonstration. */
  demoKey: "demo.key",
  adminToken: "admin.token",
  telcoToken: "telco.token",
  /** The token of the simulated telco. */
  telcoKey: "telco.key"
} as const

export type Secret = keyof typeof names

/** The file of a secret, in the working directory. */
export const fileOf = (secret: Secret): string => `${DIRECTORY}/${names[secret]}`

/** Writes the files of the secrets. */
export const writeFiles = (
  secrets: { readonly [Name in Secret]?: string | undefined }
): Effect.Effect<void, CommandFailed, FileSystem.FileSystem> =>
  Effect.forEach(
    Struct.keys(names).filter((secret) => secrets[secret] !== undefined),
    (secret) =>
      Effect.mapError(writeFile(fileOf(secret), `${secrets[secret]}\n`), ({ reason }) =>
        impossible(`${fileOf(secret)} cannot be written (${reason._tag}).`)
      ),
    { discard: true }
  )
