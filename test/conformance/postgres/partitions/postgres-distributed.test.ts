/**
 * What an engine that is PostgreSQL distributed by organization, such as Citus, refuses or does on
 * all servers: the statements as they are sent have none of it (see `adapters/cli/processes.md`).
 */
import { readdirSync, readFileSync } from "node:fs"
import { SqlError, UniqueViolation } from "effect/sql/SqlError"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Failure from "../../../../adapters/postgres/connection/Failure.ts"

const folder = new URL("../printed/", import.meta.url)

const printed = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }))

const having = (form: RegExp, of = printed): ReadonlyArray<string> =>
  of.filter(({ text }) => form.test(text)).map(({ name }) => name)

describe("What is sent to PostgreSQL", () => {
  it("names as a constant the organization of each table that a commit joins to its rows", () => {
    const found = printed
      .filter(({ name }) => name.startsWith("commit."))
      .flatMap(({ name, text }) =>
        Array.from(text.matchAll(/\bjoin simplan\.(\w+) on/g))
          .map(([, table = ""]) => table)
          .filter((table) => table !== "event_handler" && !text.includes(`${table}.organization_id = $`))
          .map((table) => `${name}: ${table}`)
      )
    expect(found).toEqual([])
  })

  it("has no CTE that ends in a lock", () => {
    expect(
      having(/\bfor (?:no key )?update(?: of \w+)?(?: skip locked)?\s+\)\s*,?\s*(?:\w+ as \(|select|update)/)
    ).toEqual([])
  })

  it("makes no JSON of rows that a write returns", () => {
    expect(having(/returning [^;)]*json_build_/)).toEqual([])
  })

  it("reads no rows in the condition under which an insertion replaces", () => {
    expect(having(/do update set(?:(?!\n\))[^;])*where exists/)).toEqual([])
  })
})

interface Names {
  readonly message: string
  readonly constraint?: string
}

describe("A unique key that is violated", () => {
  const violated = (names: Names) => Failure.commitError(Failure.ofPg({ severity: "ERROR", code: "23505", ...names }))
  const message = (name: string): string => `duplicate key value violates unique constraint "${name}"`

  it.each([
    ["by its name", { constraint: "region_name", message: message("region_name") }, "region name"],
    ["of a shard by the name in the message", { message: message("region_name_103352") }, "region name"],
    ["of a shard by its name", { constraint: "api_key_hash_7", message: message("api_key_hash_7") }, "api key"],
    ["of another table as a version", { message: message("sim_pkey_103352") }, "version"]
  ] as const)("is recognized %s", (_, names, on) => {
    expect(violated(names)).toEqual(new Storage.Conflict({ on }))
    // As the client that sends most statements says it.
    const { constraint = "unknown", message }: Names = names
    const reason = new UniqueViolation({
      cause: new Error(message),
      message: "Query failed",
      operation: "query",
      constraint
    })
    expect(Failure.commitError(new SqlError({ reason }))).toEqual(new Storage.Conflict({ on }))
  })
})
