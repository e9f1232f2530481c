/**
 * The URL of a PostgreSQL database: what may be handed in as one, and what messages may show of it.
 */
import { Predicate, Redacted, Result } from "effect"
import * as Arguments from "./Arguments.ts"

/** What a host hands in as the URL of its database. */
export type DatabaseUrl = string | URL | Redacted.Redacted

const ALLOWED = "a URL such as postgres://user:password@host:5432/database"

const refused = (is: string): Arguments.Checked<never> => Result.fail(`url ${is}, but must be ${ALLOWED}`)

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

// Some test runners have a class of their own.
const isUrl = (value: unknown): value is URL =>
  Predicate.hasProperty(value, "href") && Predicate.hasProperty(value, "searchParams")

const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The URL of each host, in the order given. */
export const urlsOf = (url: Redacted.Redacted): ReadonlyArray<Redacted.Redacted> => {
  const [, before, hosts, after] = SEVERAL.exec(Redacted.value(url)) ?? []
  return hosts === undefined ? [url] : hosts.split(",").map((host) => Redacted.make(`${before}${host}${after}`))
}

/** Reads the URL of a database, of one host or of several. */
export const parse = (given: unknown): Arguments.Checked<Redacted.Redacted> => {
  if (given === "") return refused("is empty")
  const text = Arguments.secret("url", isUrl(given) ? given.href : given, ALLOWED)
  if (Result.isFailure(text)) return Result.fail(text.failure)
  const url = Redacted.make(text.success)
  for (const one of urlsOf(url)) {
    const problem = problemOf(Redacted.value(one))
    if (problem !== undefined) return refused(problem)
  }
  return Result.succeed(url)
}

/** The database's name in the URL. The client reads it there too, and yet names its spans by this option alone. */
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
