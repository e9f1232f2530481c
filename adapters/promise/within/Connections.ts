/**
 * A host's open transaction as `simplan.within` takes it, from the clients that hosts have. Only
 * the shape of a client is asked for, so that none of them is a dependency.
 */
import * as Arguments from "../Arguments.ts"
import type { ParameterValue, Transaction } from "../types/Within.ts"

/** Rows, as a client gives them. */
type Rows = ReadonlyArray<unknown>
/** A result, as a client gives it. */
type Result = { readonly rows: Rows }
/** Runs a statement of simplan itself, whose values no parser of the host's may change. */
type Texts = NonNullable<Transaction["texts"]>
/** How statements of simplan itself run. */
type Own = Pick<Transaction, "prepared" | "texts">

// A transaction of a client is always the same object, so that calls inside of it take turns.
const known = new WeakMap<object, Transaction>()

const from = (client: object, query: Transaction["query"], own: Own = {}): Transaction => {
  const made = known.get(client) ?? { query, ...own }
  known.set(client, made)
  return made
}

const method = (of: unknown, name: string): ((...given: ReadonlyArray<unknown>) => unknown) | undefined => {
  const found: unknown = typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined
  return typeof found === "function" ? (...given) => Reflect.apply(found, of, given) : undefined
}

const rowsOf = (result: unknown): Rows => {
  if (Array.isArray(result)) return result
  const rows: unknown = typeof result === "object" && result !== null ? Reflect.get(result, "rows") : undefined
  return Array.isArray(rows) ? rows : []
}

/** The rows of a result, each an array of values or an object of them, as texts. */
const textsOf = (
  result: unknown,
  write: (value: unknown) => string = String
): ReadonlyArray<ReadonlyArray<string | null>> =>
  rowsOf(result).map((row) =>
    typeof row === "object" && row !== null
      ? Object.values(row).map((value) => (value === null || value === undefined ? null : write(value)))
      : []
  )

/**
 * What makes `pg` give rows as they came, in place of the parsers of its client and those of
 * `pg.types`.
 */
const AS_SENT = { rowMode: "array", types: { getTypeParser: () => String } }

// Why the database has ended connections, such as that their transaction was idle for too long.
const ends = new WeakMap<object, unknown>()

/** Keeps why a connection ended, which the first error says. */
const keepEnd = (client: object, error: unknown): void => {
  ends.set(client, ends.get(client) ?? error)
}

/**
 * A client of `pg` says it once. Between two statements it does so by an event that would end the
 * process if nobody listens.
 */
const observeEnd = (client: object): void => {
  if (ends.has(client)) return
  ends.set(client, undefined)
  method(client, "on")?.("error", (error: unknown) => keepEnd(client, error))
}

const isFatal = (error: unknown): boolean =>
  typeof error === "object" && error !== null && Reflect.get(error, "severity") === "FATAL"

/** Of a client of `pg` itself. Nothing but such a client has parsers of its own. */
const ofPg = (client: unknown): Required<Own> | undefined => {
  const query = method(client, "query")
  if (typeof client !== "object" || client === null || query === undefined) return undefined
  if (method(client, "getTypeParser") === undefined) return undefined
  observeEnd(client)
  const run = async (statement: object) => {
    try {
      return textsOf(await query({ ...AS_SENT, ...statement }))
    } catch (error) {
      if (isFatal(error)) keepEnd(client, error)
      throw ends.get(client) ?? error
    }
  }
  return {
    texts: (text, values) => run({ text, values: [...values] }),
    prepared: {
      texts: (name, text, values) => run({ name, text, values: [...values] }),
      backend: () => Reflect.get(client, "processID")
    }
  }
}

/** Of what has the method `unsafe` of postgres.js, whose rows are bytes after `raw`. */
const ofPostgresJs = (sql: unknown): Own | undefined => {
  // A `sql` is a function, which has its methods as an object has them.
  const unsafe: unknown = typeof sql === "function" ? Reflect.get(sql, "unsafe") : undefined
  if (typeof unsafe !== "function") return undefined
  const texts: Texts = async (text, values) => {
    const pending: unknown = Reflect.apply(unsafe, sql, [text, [...values]])
    return textsOf(await (method(pending, "raw")?.() ?? pending))
  }
  return { texts }
}

/** Of `pg` (node-postgres): the client on which the host has run `BEGIN`. */
export const fromPg = (client: {
  query(text: string, values: Array<ParameterValue>): PromiseLike<Result>
}): Transaction => from(client, (text, values) => client.query(text, [...values]), ofPg(client))

/** Of postgres.js: the `sql` that the function of `sql.begin` gets. */
export const fromPostgresJs = (sql: {
  unsafe(text: string, values: Array<ParameterValue>): PromiseLike<Rows>
}): Transaction => from(sql, (text, values) => sql.unsafe(text, [...values]), ofPostgresJs(sql))

/** Of Drizzle on `pg` or postgres.js: the `tx` that the function of `db.transaction` gets. */
export const fromDrizzle = (tx: {
  readonly _: {
    readonly session: {
      prepareQuery(
        query: { sql: string; params: Array<unknown> },
        fields: undefined,
        name: undefined,
        isResponseInArrayMode: boolean
      ): { execute(): PromiseLike<unknown> }
    }
  }
}): Transaction => {
  const { session } = tx._
  // The client under it, to which Drizzle hands each statement on.
  const client: unknown = Reflect.get(session, "client")
  const query: Transaction["query"] = async (text, values) =>
    rowsOf(await session.prepareQuery({ sql: text, params: [...values] }, undefined, undefined, false).execute())
  return from(tx, query, ofPg(client) ?? ofPostgresJs(client))
}

const JSON_TEXT = /::text\s+as value\b/

const WITHOUT_ROWS = /^(?:savepoint|release|rollback|lock) /

/** Of Prisma: the `tx` that the function of an interactive `prisma.$transaction` gets. */
export const fromPrisma = (tx: {
  $queryRawUnsafe(text: string, ...values: Array<ParameterValue>): PromiseLike<unknown>
  $executeRawUnsafe(text: string, ...values: Array<ParameterValue>): PromiseLike<number>
}): Transaction => {
  const query: Transaction["query"] = async (text, values) => {
    if (WITHOUT_ROWS.test(text)) {
      await tx.$executeRawUnsafe(text)
      return []
    }
    return rowsOf(await tx.$queryRawUnsafe(text, ...values))
  }
  const texts: Texts = async (text, values) => {
    // Prisma reads `json` by itself, and other types by the parsers of `pg.types`. Rows that are
    // read have texts of JSON.
    if (JSON_TEXT.test(text)) {
      return textsOf(await tx.$queryRawUnsafe(text.replace(JSON_TEXT, "::json as value"), ...values), JSON.stringify)
    }
    await tx.$executeRawUnsafe(text, ...values)
    return []
  }
  return from(tx, query, { texts })
}

/** Of Knex: the `trx` that the function of `knex.transaction` gets. */
export const fromKnex = (trx: {
  raw(text: string, bindings: Array<ParameterValue>): PromiseLike<Result>
}): Transaction => {
  const query = (text: string, values: ReadonlyArray<ParameterValue>): PromiseLike<Result> => {
    // Knex numbers the parameters itself, in the order of question marks.
    const bindings: Array<ParameterValue> = []
    const raw = text.replace(/\?|\$(\d+)/g, (found, place?: string) => {
      if (place === undefined) return `\\${found}`
      bindings.push(values[Number(place) - 1] ?? null)
      return "?"
    })
    return trx.raw(raw, bindings)
  }
  const texts: Texts = async (text, values) => {
    const raw = query(text, values)
    return textsOf(await (method(raw, "options")?.(AS_SENT) ?? raw))
  }
  return from(trx, query, { texts })
}

/**
 * The text, which is a configuration of `pg` too: Kysely hands what it is given on to its client,
 * as the only word for it. A client that is another one, and a log, read the text.
 */
const configured = (text: string): string => Object.assign(Object(text), AS_SENT, { text })

/** What of a transaction of Kysely is used. */
interface KyselyTransaction {
  withoutPlugins(): {
    executeQuery(query: {
      sql: string
      parameters: ReadonlyArray<ParameterValue>
      query: { kind: "RawNode"; sqlFragments: ReadonlyArray<string>; parameters: ReadonlyArray<never> }
      queryId: { queryId: string }
    }): PromiseLike<Result>
  }
}

/** Of Kysely: the `trx` that the function of `db.transaction().execute` gets. */
export const fromKysely = (trx: KyselyTransaction): Transaction => {
  const query = (text: string, values: ReadonlyArray<ParameterValue>, sql = text): PromiseLike<Result> =>
    trx.withoutPlugins().executeQuery({
      sql,
      parameters: values,
      query: { kind: "RawNode", sqlFragments: [text], parameters: [] },
      queryId: { queryId: "simplan" }
    })
  const texts: Texts = async (text, values) => textsOf(await query(text, values, configured(text)))
  return from(trx, (text, values) => query(text, values), { texts })
}

const outside = (from: string, must: string) => Arguments.invalid(from, "transaction", `must be ${must}`)

/**
 * Of TypeORM: the `manager` that the function of `dataSource.transaction` gets. Throws an
 * `InvalidFieldError` if it has no connection of its own.
 */
export const fromTypeOrm = (manager: {
  readonly queryRunner?:
    | {
        query(
          text: string,
          values: Array<ParameterValue>,
          useStructuredResult: true
        ): PromiseLike<{ readonly records: Rows }>
      }
    | undefined
}): Transaction => {
  const { queryRunner } = manager
  if (queryRunner === undefined) throw outside("fromTypeOrm", "the manager inside of dataSource.transaction")
  const query: Transaction["query"] = async (text, values) => {
    const { records } = await queryRunner.query(text, [...values], true)
    return records ?? []
  }
  const connected = method(queryRunner, "connect")
  if (connected === undefined) return from(manager, query)
  // The client of `pg` under it.
  const texts: Texts = async (text, values) => {
    const own = ofPg(await connected())
    return own === undefined ? textsOf(await query(text, values)) : own.texts(text, values)
  }
  return from(manager, query, { texts })
}

/**
 * Of Sequelize 6: the `transaction` that the function of `sequelize.transaction` gets. Its
 * statements go to the connection of `pg` under it, because Sequelize writes texts with dollars
 * anew. Throws an `InvalidFieldError` if it has no connection.
 */
export const fromSequelize = (transaction: {
  commit(): PromiseLike<unknown>
  rollback(): PromiseLike<unknown>
}): Transaction => {
  const connection: unknown = Reflect.get(transaction, "connection")
  const query = method(connection, "query")
  if (query === undefined) throw outside("fromSequelize", "the transaction inside of sequelize.transaction")
  return from(transaction, async (text, values) => rowsOf(await query(text, [...values])), ofPg(connection))
}

const isKysely = (context: unknown): context is KyselyTransaction => method(context, "withoutPlugins") !== undefined

/**
 * Of MikroORM 7: the `em` that the function of `em.transactional` gets. Throws an
 * `InvalidFieldError` if it has no transaction.
 */
export const fromMikroOrm = (em: { getTransactionContext(): unknown }): Transaction => {
  const context = em.getTransactionContext()
  if (!isKysely(context)) throw outside("fromMikroOrm", "the em inside of em.transactional")
  return fromKysely(context)
}
