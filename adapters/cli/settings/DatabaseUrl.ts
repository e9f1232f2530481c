/**
 * Where a server stores its data: `pglite://<directory>`, `memory:` or `postgres://…`.
 */

export type DatabaseUrl =
  /** `directory` is absolute or relative to the working directory, as in the setting. */
  | { readonly _tag: "Pglite"; readonly directory: string; readonly url: string }
  | { readonly _tag: "Memory"; readonly url: string }
  | { readonly _tag: "Postgres"; readonly url: string }

export const allowed = "pglite://<directory>, memory: or postgres://<user>@<host>/<database>"

const POSTGRES = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * What the session of a host may be, as libpq names it: this service writes, so a standby alone
 * will not do.
 */
const SESSIONS = [null, "any", "read-write", "primary"]

/** Whether it names one host, or several with commas in between. */
const isPostgres = (url: string): boolean => {
  const [, before, hosts, after] = POSTGRES.exec(url) ?? []
  const isHost = (host: string): boolean => {
    const joined = `${before}${host}${after}`
    if (!URL.canParse(joined) || new URL(joined).hostname === "") return false
    return SESSIONS.includes(new URL(joined).searchParams.get("target_session_attrs"))
  }
  return hosts?.split(",").every(isHost) === true
}

/** Reads a database URL; undefined for any other text. */
export const parse = (url: string): DatabaseUrl | undefined => {
  if (url === "memory:" || url === "memory://") return { _tag: "Memory", url: "memory:" }
  if (url.startsWith("pglite://")) {
    const directory = url.slice("pglite://".length)
    return directory.trim() === "" || directory.includes("\0") ? undefined : { _tag: "Pglite", directory, url }
  }
  return isPostgres(url) ? { _tag: "Postgres", url } : undefined
}

export const allowedDirect = "postgres://<user>@<host>/<database>"

/** Reads the database's direct address, beside a pooler's; null if there is none. */
export const parseDirect = (url: string): string | null | undefined =>
  url === "" ? null : isPostgres(url) ? url : undefined

/** The text without passwords, for a message or a log. */
export const withoutPassword = (text: string): string =>
  text.replace(/^([^:]*:\/\/[^:/@]*):.*@/, "$1:***@").replace(/([?&]password=)[^&]*/gi, "$1***")

/** Whether the store is part of this process, so that no other process can use it. */
export const isEmbedded = (database: DatabaseUrl): boolean => database._tag !== "Postgres"
