/**
 * Checks of what a host hands in, the URL of its database among it. Each refusal is one sentence
 * with the argument's name, what is wrong with it and what is allowed. It never shows a secret.
 */
import { Duration, Option, Predicate, Redacted, Result } from "effect"

/** The value, or the sentence of its refusal. */
export type Checked<A> = Result.Result<A, string>

/** What may hold a password, in a URL or in a list such as `host=… password=…`. */
const MAY_BE_SECRET = /[@=]|:\/\//

/** A value as a message shows it. */
const shown = (value: unknown): string => {
  if (typeof value === "string" && MAY_BE_SECRET.test(value)) return "a text"
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return JSON.stringify(value)
  if (Array.isArray(value)) return "an array"
  return value === null ? "null" : typeof value === "object" ? "an object" : `a value of type ${typeof value}`
}

const refused = (name: string, is: string, allowed: string): Checked<never> =>
  Result.fail(`${name} is ${is}, but must be ${allowed}`)

/** The refusal of a value that may be shown. */
export const notAllowed = (name: string, value: unknown, allowed: string): Checked<never> =>
  refused(name, value === undefined ? "missing" : shown(value), allowed)

// Effect 4 and Effect 3 mark their values so. A copy keeps the texts of its own values in a place
// of its own.
const isAnyRedacted = (value: unknown): boolean =>
  Redacted.isRedacted(value) || Predicate.hasProperty(value, Symbol.for("effect/Redacted"))

/** A secret text, as a string or as a `Redacted` of this copy of Effect. */
export const secret = (name: string, value: unknown, allowed: string): Checked<string> => {
  if (typeof value === "string") return Result.succeed(value)
  if (!isAnyRedacted(value)) {
    const is = value === undefined ? "missing" : typeof value === "object" ? shown(value) : `a ${typeof value}`
    return refused(name, is, allowed)
  }
  const text = Result.try(() => (Redacted.isRedacted(value) ? Redacted.value(value) : undefined))
  if (Result.isSuccess(text) && typeof text.success === "string") return Result.succeed(text.success)
  return refused(name, "a Redacted that this copy of Effect cannot read", `${allowed}, or a plain string`)
}

export const wholeNumber = (name: string, value: unknown, from: number, to: number): Checked<number> =>
  typeof value === "number" && Number.isInteger(value) && value >= from && value <= to
    ? Result.succeed(value)
    : notAllowed(name, value, `a whole number from ${from} to ${to}`)

export const trueOrFalse = (name: string, value: unknown): Checked<boolean> =>
  typeof value === "boolean" ? Result.succeed(value) : notAllowed(name, value, "true or false")

/** A time between two others; the limits are shown as they are written. */
export const duration = (
  name: string,
  value: Duration.Input,
  from: Duration.Input,
  to: Duration.Input
): Checked<Duration.Duration> => {
  const found = Duration.fromInput(value)
  const limits = { minimum: Duration.fromInputUnsafe(from), maximum: Duration.fromInputUnsafe(to) }
  return Option.isSome(found) && Duration.between(found.value, limits)
    ? Result.succeed(found.value)
    : notAllowed(name, value, `a time from ${from} to ${to}`)
}

/** An object; one that has no other keys than these, if they are given. */
export const object = (name: string, value: unknown, keys?: ReadonlyArray<string>): Checked<object> => {
  if (typeof value !== "object" || value === null) return notAllowed(name, value, "an object")
  const unknown = Object.keys(value).find((key) => keys?.includes(key) === false)
  return unknown === undefined || keys === undefined
    ? Result.succeed(value)
    : Result.fail(`${name} have an option ${JSON.stringify(unknown)}, but may only have ${keys.join(", ")}`)
}

/** What a host hands in as the URL of its database. */
export type DatabaseUrl = string | URL | Redacted.Redacted

const ALLOWED = "a URL such as postgres://user:password@host:5432/database"

const refusedUrl = (name: string, is: string): Checked<never> => Result.fail(`${name} ${is}, but must be ${ALLOWED}`)

const isDecodable = (url: URL): boolean =>
  Result.isSuccess(
    Result.try(() => [url.username, url.password, url.hostname, url.pathname].map((part) => decodeURIComponent(part)))
  )

/** Reads the URL of one host. */
const problemOf = (text: string): string | undefined => {
  if (!URL.canParse(text))
    return "cannot be read as a URL (the signs :/?#[]@% in a password are written as %3A and so on)"
  const url = new URL(text)
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") {
    return `begins with ${JSON.stringify(url.protocol)}`
  }
  if (url.port === "0") return "has the port 0"
  return isDecodable(url) ? undefined : "has a % that is not written as %25"
}

const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The URL of each host, in the order given. */
export const urlsOf = (url: Redacted.Redacted): ReadonlyArray<Redacted.Redacted> => {
  const [, before, hosts, after] = SEVERAL.exec(Redacted.value(url)) ?? []
  return hosts === undefined ? [url] : hosts.split(",").map((host) => Redacted.make(`${before}${host}${after}`))
}

/**
 * Reads the URL of a database, of one host or of several, which a host hands in under this name.
 */
export const databaseUrl = (name: string, given: unknown): Checked<Redacted.Redacted> => {
  if (given === "") return refusedUrl(name, "is empty")
  // Some test runners have a class of URLs of their own.
  const text = secret(name, Predicate.hasProperty(given, "href") ? given.href : given, ALLOWED)
  if (Result.isFailure(text)) return Result.fail(text.failure)
  const url = Redacted.make(text.success)
  for (const one of urlsOf(url)) {
    const problem = problemOf(Redacted.value(one))
    if (problem !== undefined) return refusedUrl(name, problem)
  }
  return Result.succeed(url)
}

/**
 * The database's name in the URL. The client reads it there too, and yet names its spans by this
 * option alone.
 */
export const databaseOf = (url: Redacted.Redacted): string | undefined =>
  decodeURIComponent(new URL(Redacted.value(url)).pathname.slice(1)) || undefined

/** The host and port of a URL, for a message. */
export const addressOf = (url: Redacted.Redacted): string => {
  const { host, searchParams } = new URL(Redacted.value(url))
  const named = searchParams.get("host")
  const port = searchParams.get("port")
  const address = named === null ? host || "localhost" : named
  return port === null ? address : `${address}:${port}`
}
