/**
 * What the settings files of telcos (`SIMPLAN_TELCO_FILE`) have in common. `FileSettings` of each
 * adapter says what its kind of telco may have there, and decodes it to what the program uses:
 * spans in milliseconds, defaults filled in, secrets read.
 */
import { DateTime, Effect, Option, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { Fields, TimeSpan } from "../fields/index.ts"

/** What a telco can be asked for. The mobile plan goes where packages go. */
export type Capability = "packages" | "sms" | "profiles"

/** A span from `least` to `most`, in milliseconds. */
export const span = (least: string, most: string) => {
  const read = TimeSpan.between(least, most)
  const message = `must be a time from ${least} to ${most}, such as "10 seconds"`
  return Schema.String.annotate({ message })
    .check(Schema.makeFilter((text) => read(text) !== undefined, { message }))
    .pipe(
      Schema.decodeTo(Schema.Finite, {
        decode: SchemaGetter.transform((text: string) => read(text) ?? Number.NaN),
        encode: SchemaGetter.transform((millis: number) => `${millis}ms`)
      })
    )
}

/** A field that may be left out; then it has this value. */
export const orElse = <S extends Schema.Top>(schema: S, value: S["Type"]) =>
  Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(value))(schema)

/** Where a secret is: never the secret itself. */
const SecretPlace = Schema.Union([
  Schema.Struct({ file: Fields.NonEmpty }),
  Schema.Struct({ env: Fields.NonEmpty })
]).annotate({ message: 'must be {"file": "<path>"} or {"env": "<NAME>"}' })

/** Where a secret is: never the secret itself. */
export type SecretPlace = typeof SecretPlace.Type

/** Reads a secret; the failure ends a sentence that begins with the field. */
export type ReadSecret = (place: SecretPlace) => Result.Result<Redacted.Redacted, string>

/** How many characters a secret has at least that opens the API, as a token of the server has. */
export const LEAST_SECRET = 16

const TOO_SHORT = `names a secret of less than ${LEAST_SECRET} characters, which can be guessed`

/** A secret that is read when the settings are decoded; `problem` is what is wrong with it. */
const secretBy = (read: ReadSecret, problem: (secret: string) => string | undefined = () => undefined) =>
  SecretPlace.pipe(
    Schema.decodeTo(Schema.Redacted(Schema.String), {
      decode: SchemaGetter.transformEffect((place: SecretPlace) => {
        const found = read(place)
        const message = Result.isFailure(found) ? found.failure : problem(Redacted.value(found.success))
        return Result.isSuccess(found) && message === undefined
          ? Effect.succeed(found.success)
          : Effect.fail(new SchemaIssue.InvalidValue({ message }))
      }),
      encode: SchemaGetter.forbidden(() => "A secret is never written")
    })
  )

/** The schemas of secrets, by what they are for. */
const secretsBy = (read: ReadSecret) => ({
  /** One that is sent to the telco. */
  secret: secretBy(read),
  /**
   * One that opens the API to the telco's notifications. It is part of a path, so it has only
   * characters that a path keeps. It is the only thing that a sender has to know, so it is long.
   */
  notificationSecret: secretBy(read, (secret) => {
    if (!/^[^\s/?#%;\\]+$/.test(secret))
      return "names a secret with white space or one of / ? # % ; in it, which a path cannot have"
    return secret.length < LEAST_SECRET ? TOO_SHORT : undefined
  }),
  /** One that opens the API to the telco's reports, sent as `Authorization: Bearer`. */
  token: secretBy(read, (token) => {
    if (!/^[!-~]+$/.test(token)) return "names a token that is not made of visible ASCII characters without spaces"
    return token.length < LEAST_SECRET ? TOO_SHORT : undefined
  })
})

/** The schemas of secrets, by what they are for. */
export type Secrets = ReturnType<typeof secretsBy>

const isPlainUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ""
}

const WEB = "must be an address such as https://telco.example/api, without a password or a query"
/** Without a slash at its end. */
export const WebUrl = Schema.String.annotate({ message: WEB })
  .check(Schema.makeFilter(isPlainUrl, { message: WEB }))
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((url: string) => url.replace(/\/+$/, "")),
      encode: SchemaGetter.passthrough()
    })
  )

const ZONE = "must be the IANA name of a time zone, such as Europe/Paris or UTC"
/** The IANA name of a time zone. */
export const TimeZone = Schema.String.annotate({ message: ZONE }).check(
  Schema.makeFilter((name) => Option.isSome(DateTime.zoneMakeNamed(name)), { message: ZONE })
)

/** What every telco has, unless set. Spans are milliseconds. */
export const defaults = { timeout: 10_000, callsAtOnce: 16 }

/** What every telco has that is called over a network. */
export const common = (timeout = defaults.timeout) => ({
  /** How long one call may take. */
  timeout: orElse(span("100ms", "10m"), timeout),
  /**
   * How many calls are under way at once at most. No more than a part of what a process has under
   * way, so that one telco that hangs leaves room for the others.
   */
  calls_at_once: orElse(Fields.integer(1, 32), defaults.callsAtOnce)
})

/** The names that the program has for what every telco has in the file. */
export const NAMES = { calls_at_once: "callsAtOnce", timeout: "timeoutMillis" } as const

/**
 * What every supplier has that sells eSIMs. `callsPerSecond` is what its documents allow. An order
 * has its time, since one without an answer holds up those after it.
 */
export const supplier = (
  { notificationSecret: secret }: Pick<Secrets, "notificationSecret">,
  callsPerSecond: number
) => ({
  /** At most, over all that this process asks of it. */
  calls_per_second: orElse(Fields.integer(1, 10_000), callsPerSecond),
  /**
   * In whole units of the account's currency: the operator is told when the balance is below it.
   * Null: never.
   */
  balance_level: orElse(Schema.NullOr(Fields.integer(1, 1_000_000_000)), null),
  /** What opens the address that it is given for its callbacks. Null: none are taken. */
  callbacks: orElse(Schema.NullOr(Schema.Struct({ secret })), null),
  ...common(30_000)
})

/**
 * How long an order without an answer may still come, and be missing in lists: of suppliers whose
 * orders have no key. Meanwhile nothing alike is ordered.
 */
export const watch = orElse(span("5s", "1d"), 300_000)

/** The names that the program has for what every supplier has in the file. */
export const SUPPLIER_NAMES = {
  ...NAMES,
  balance_level: "balanceLevel",
  calls_per_second: "callsPerSecond"
} as const

/**
 * A kind of telcos: what it can do, and the settings of one. All mistakes are found at once, and
 * unknown fields are mistakes.
 */
export const kind = <A, B>(
  capabilities: ReadonlyArray<Capability>,
  schemaOf: (secrets: Secrets) => Schema.Decoder<A>,
  map: (decoded: A) => B
) => ({
  capabilities,
  decoder: (read: ReadSecret) => {
    const decode = Schema.decodeUnknownResult(schemaOf(secretsBy(read)), { errors: "all", onExcessProperty: "error" })
    return (value: unknown): Result.Result<B, Schema.SchemaError> => Result.map(decode(value), map)
  }
})
