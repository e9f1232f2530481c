/**
 * A host's open transaction as `simplan.within` takes it, from the clients that hosts have. Only the shape of a client is
 * asked for, so that none of them is a dependency.
 */
import * as Arguments from "../Arguments.ts"
import type { ParameterValue, Transaction } from "../types/Within.ts"

/** Rows, as a client gives them. */
type Rows = ReadonlyArray<unknown>
/** A result, as a client gives it. */
type Result = { readonly rows: Rows }

// A transaction of a client is always the same object, so that calls inside of it take turns.
const known = new WeakMap<object, Transaction>()

const from = (client: object, query: Transaction["query"]): Transaction => {
  const made = known.get(client) ?? { query }
  known.set(client, made)
  return made
}

/** Of `pg` (node-postgres): the client on which the host has run `BEGIN`. */
export const fromPg = (client: {
  query(text: string, values: Array<ParameterValue>): PromiseLike<Result>
}): Transaction => from(client, (text, values) => client.query(text, [...values]))

/** Of postgres.js: the `sql` that the function of `sql.begin` gets. */
export const fromPostgresJs = (sql: {
  unsafe(text: string, values: Array<ParameterValue>): PromiseLike<Rows>
}): Transaction => from(sql, (text, values) => sql.unsafe(text, [...values]))

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
}): Transaction =>
  from(tx, async (text, values) => {
    const prepared = tx._.session.prepareQuery({ sql: text, params: [...values] }, undefined, undefined, false)
    const result = await prepared.execute()
    if (Array.isArray(result)) return result
    const rows = typeof result === "object" && result !== null && "rows" in result ? result.rows : []
    return Array.isArray(rows) ? rows : []
  })

const WITHOUT_ROWS = /^(?:savepoint|release|rollback|lock) /

/** Of Prisma: the `tx` that the function of an interactive `prisma.$transaction` gets. */
export const fromPrisma = (tx: {
  $queryRawUnsafe(text: string, ...values: Array<ParameterValue>): PromiseLike<unknown>
  $executeRawUnsafe(text: string, ...values: Array<ParameterValue>): PromiseLike<number>
}): Transaction =>
  from(tx, async (text, values) => {
    if (WITHOUT_ROWS.test(text)) {
      await tx.$executeRawUnsafe(text)
      return []
    }
    const rows = await tx.$queryRawUnsafe(text, ...values)
    return Array.isArray(rows) ? rows : []
  })

/** Of Knex: the `trx` that the function of `knex.transaction` gets. */
export const fromKnex = (trx: {
  raw(text: string, bindings: Array<ParameterValue>): PromiseLike<Result>
}): Transaction =>
  from(trx, (text, values) => {
    // Knex numbers the parameters itself, in the order of question marks.
    const bindings: Array<ParameterValue> = []
    const raw = text.replace(/\?|\$(\d+)/g, (found, place?: string) => {
      if (place === undefined) return `\\${found}`
      bindings.push(values[Number(place) - 1] ?? null)
      return "?"
    })
    return trx.raw(raw, bindings)
  })

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
export const fromKysely = (trx: KyselyTransaction): Transaction =>
  from(trx, (text, values) =>
    trx.withoutPlugins().executeQuery({
      sql: text,
      parameters: values,
      query: { kind: "RawNode", sqlFragments: [text], parameters: [] },
      queryId: { queryId: "simplan" }
    })
  )

const method = (of: unknown, name: string): ((...given: ReadonlyArray<unknown>) => unknown) | undefined => {
  const found: unknown = typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined
  return typeof found === "function" ? (...given) => Reflect.apply(found, of, given) : undefined
}

const rowsOf = (result: unknown): Rows => {
  const rows: unknown = typeof result === "object" && result !== null ? Reflect.get(result, "rows") : undefined
  return Array.isArray(rows) ? rows : []
}

const outside = (from: string, must: string) => Arguments.invalid(from, "transaction", `must be ${must}`)

/**
 * Of TypeORM: the `manager` that the function of `dataSource.transaction` gets. Throws an `InvalidFieldError` where it has no
 * connection of its own.
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
  return from(manager, async (text, values) => {
    const { records } = await queryRunner.query(text, [...values], true)
    return records ?? []
  })
}

/**
 * Of Sequelize 6: the `transaction` that the function of `sequelize.transaction` gets. Its statements go to the connection of
 * `pg` under it, because Sequelize writes texts with dollars anew. Throws an `InvalidFieldError` where it has no connection.
 */
export const fromSequelize = (transaction: {
  commit(): PromiseLike<unknown>
  rollback(): PromiseLike<unknown>
}): Transaction => {
  const connection: unknown = Reflect.get(transaction, "connection")
  const query = method(connection, "query")
  if (query === undefined) throw outside("fromSequelize", "the transaction inside of sequelize.transaction")
  return from(transaction, async (text, values) => rowsOf(await query(text, [...values])))
}

const isKysely = (context: unknown): context is KyselyTransaction => method(context, "withoutPlugins") !== undefined

/**
 * Of MikroORM 7: the `em` that the function of `em.transactional` gets. Throws an `InvalidFieldError` where it has no
 * transaction.
 */
export const fromMikroOrm = (em: { getTransactionContext(): unknown }): Transaction => {
  const context = em.getTransactionContext()
  if (!isKysely(context)) throw outside("fromMikroOrm", "the em inside of em.transactional")
  return fromKysely(context)
}
