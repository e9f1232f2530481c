/**
 * The schema that a service's tables are in. Services in different schemas of one database share
 * nothing: neither rows nor locks nor notifications.
 *
 * All statements are written for the schema `simplan`. If another one is chosen, its name is put
 * into their texts here, below the statements: values are parameters, so the texts have `simplan.`
 * as the name of the schema alone.
 */
import { createHash } from "node:crypto"
import { Result } from "effect"
import type { SqlClient } from "effect/sql"
import * as Arguments from "../connection/Arguments.ts"

type Sql = SqlClient.SqlClient

/** The schema if none is chosen. */
export const DEFAULT = "simplan"

/** What `parse` takes, as the end of the sentence "… must be". */
export const allowed =
  "a name of 1 to 63 lower-case letters, digits and underscores, which begins with no digit and not with pg_"

const NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/

const TOKEN = /\bsimplan\./g

/** A schema that the tables of a service are in, and the names that follow from it. */
export interface DatabaseSchema {
  /** As it was chosen; `simplan` by default. */
  readonly name: string
  /** The name as SQL has it. */
  readonly quoted: string
  /** The channel that processes of this service notify each other on. */
  readonly channel: string
  /** The number of the advisory lock on the migrations. */
  readonly migrationLock: bigint
  /** The number of the advisory lock of the process that builds an index. */
  readonly indexLock: bigint
  /** The number of the advisory lock on the service. */
  readonly serviceLock: bigint
  /** The text of a statement, for this schema. */
  readonly text: (statement: string) => string
  /** The client for statements of this schema. Its transactions are those of the client given. */
  readonly client: (sql: Sql) => Sql
}

/** Reads the name of a schema. */
export const parse = (name: unknown): Arguments.Checked<string> =>
  typeof name === "string" && NAME.test(name) ? Result.succeed(name) : Arguments.notAllowed("schema", name, allowed)

// Numbers of our own among the database's advisory locks: "simplan" in ASCII, and the next two.
const simplan: DatabaseSchema = {
  name: DEFAULT,
  quoted: DEFAULT,
  channel: DEFAULT,
  migrationLock: 0x73_69_6d_70_6c_61_6en,
  serviceLock: 0x73_69_6d_70_6c_61_6fn,
  indexLock: 0x73_69_6d_70_6c_61_70n,
  text: (statement) => statement,
  client: (sql) => sql
}

const isTemplate = (value: unknown): value is TemplateStringsArray => Array.isArray(value) && "raw" in value

const clientOf = (text: DatabaseSchema["text"]): DatabaseSchema["client"] => {
  // The same template is the same object each time.
  const templates = new WeakMap<object, TemplateStringsArray>()
  const templateOf = (strings: TemplateStringsArray): TemplateStringsArray => {
    const known = templates.get(strings)
    if (known !== undefined) return known
    const made = Object.assign(strings.map(text), { raw: strings.raw.map(text) })
    templates.set(strings, made)
    return made
  }
  return (sql) => {
    const own: Pick<Sql, "literal" | "unsafe"> = {
      literal: (statement) => sql.literal(text(statement)),
      unsafe: (statement, parameters) => sql.unsafe(text(statement), parameters)
    }
    return new Proxy(sql, {
      apply: (client, _, [first, ...values]: ReadonlyArray<unknown>): unknown =>
        Reflect.apply(client, undefined, [isTemplate(first) ? templateOf(first) : first, ...values]),
      get: (client, property): unknown => Reflect.get(property in own ? own : client, property)
    })
  }
}

/** The schema of this name, which is one that `parse` takes. */
export const make = (name: string): DatabaseSchema => {
  if (name === DEFAULT) return simplan
  const digest = createHash("sha256").update(`simplan schema ${name}`).digest()
  const quoted = `"${name}"`
  const text = (statement: string): string => statement.replace(TOKEN, `${quoted}.`)
  return {
    name,
    quoted,
    channel: `simplan_${digest.toString("hex", 0, 16)}`,
    migrationLock: digest.readBigInt64BE(16),
    serviceLock: digest.readBigInt64BE(24),
    indexLock: digest.readBigInt64BE(8),
    text,
    client: clientOf(text)
  }
}
