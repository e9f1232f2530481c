/**
 * Where a server keeps its data: `pglite://<directory>`, `memory:` or `postgres://…`.
 */

export type DatabaseUrl =
  /** `directory` is as written: relative to the working directory, or absolute. */
  | { readonly _tag: "Pglite"; readonly directory: string; readonly url: string }
  | { readonly _tag: "Memory"; readonly url: string }
  | { readonly _tag: "Postgres"; readonly url: string }

export const allowed = "pglite://<directory>, memory: or postgres://<user>@<host>/<database>"

const parsePostgres = (text: string): DatabaseUrl | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.hostname === "" ? undefined : { _tag: "Postgres", url: text }
}

/** Reads a database URL; undefined for anything else. */
export const parse = (text: string): DatabaseUrl | undefined => {
  if (text === "memory:" || text === "memory://") return { _tag: "Memory", url: "memory:" }
  if (text.startsWith("pglite://")) {
    const directory = text.slice("pglite://".length)
    return directory.trim() === "" || directory.includes("\0") ? undefined : { _tag: "Pglite", directory, url: text }
  }
  return /^postgres(ql)?:\/\//.test(text) ? parsePostgres(text) : undefined
}

/** The text with what may be a password in it blotted out, for a message or a log. */
export const withoutPassword = (text: string): string =>
  text.replace(/^([^:]*:\/\/[^:/@]*):.*@/, "$1:***@").replace(/([?&]password=)[^&]*/gi, "$1***")

/** Whether the store is part of this process, so that no other process can be using it. */
export const isEmbedded = (database: DatabaseUrl): boolean => database._tag !== "Postgres"
