/**
 * The schema with every table partitioned by hash of the organization that can be: made from the
 * catalogue of a database that has had the migrations and has no rows yet.
 *
 * A table can be where each row has an organization, the key has its column, and nothing else is
 * unique: another constraint is known by its name, which partitions have not. One that is
 * partitioned already, by months, has its partitions partitioned again.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import pg from "pg"

interface Whole {
  readonly name: string
  /** What its partitions are stored with. */
  readonly options: string | null
  /** Of a partition: its table, and which rows it has. */
  readonly parent: string | null
  readonly bound: string | null
  /** The statements that make its triggers. */
  readonly triggers: ReadonlyArray<string>
}

const wholes = (sql: SqlClient.SqlClient) =>
  sql<Whole>`
    select t.relname as name, array_to_string(t.reloptions, ', ') as options, parent.relname as parent,
      pg_get_expr(t.relpartbound, t.oid) as bound,
      array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = t.oid and not tgisinternal) as triggers
    from pg_class t
    join pg_attribute owner on owner.attrelid = t.oid and owner.attname = 'organization_id' and owner.attnotnull
    left join pg_inherits on pg_inherits.inhrelid = t.oid
    left join pg_class parent on parent.oid = pg_inherits.inhparent
    where t.relnamespace = 'simplan'::regnamespace and t.relkind = 'r'
      and not exists (
        select from pg_index
        where indrelid = t.oid and indisunique and not (indisprimary and owner.attnum = any(indkey))
      )
    order by t.relname`

const statementsOf = ({ bound, name, options, parent, triggers }: Whole, count: number): ReadonlyArray<string> => {
  const stored = options === null ? "" : ` with (${options})`
  const including = `including defaults including identity${parent === null ? " including indexes" : ""}`
  return [
    ...(parent === null ? [] : [`alter table simplan.${parent} detach partition simplan.${name}`]),
    `alter table simplan.${name} rename to whole`,
    `create table simplan.${name} (like simplan.whole ${including}) partition by hash (organization_id)`,
    "drop table simplan.whole",
    `do $$ begin
      for part in 0..${count - 1} loop
        execute format(
          'create table simplan.%I partition of simplan.${name} for values with (modulus ${count}, remainder %s)${stored}',
          '${name}_' || part, part
        );
      end loop;
    end $$`,
    ...triggers,
    ...(parent === null ? [] : [`alter table simplan.${parent} attach partition simplan.${name} ${bound}`])
  ]
}

/**
 * Partitions the tables; gives the names of those that are. Those that are partitioned by time are
 * left as they are, or have their partitions partitioned: then `keep_partitions` keeps them no
 * more.
 */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, count: number, belowTime: boolean) {
  const found = (yield* wholes(sql)).filter(({ parent }) => belowTime || parent === null)
  for (const whole of found) {
    for (const statement of statementsOf(whole, count)) yield* sql.unsafe(statement).unprepared
  }
  return [...new Set(found.map(({ name, parent }) => parent ?? name))].sort()
})

/** The tables that are whole. */
export const unpartitioned = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly name: string }>`
      select relname as name from pg_class
      where relnamespace = 'simplan'::regnamespace and relkind = 'r' and not relispartition order by 1`,
    (rows) => rows.map(({ name }) => name)
  )

/** A statement that was sent, with its parameters. */
export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** A class of clients of `pg` that write down which statements they send. */
export const recording = (sent: Array<Sent>): typeof pg.Client =>
  class extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of `pg`
    override query(...given: any): any {
      const [query] = given
      if (typeof query?.text === "string") sent.push({ text: query.text, values: query.values ?? [] })
      return Reflect.apply(super.query, this, given)
    }
  }

interface Node {
  readonly "Relation Name"?: string
  readonly Plans?: ReadonlyArray<Node>
  readonly "Target Tables"?: ReadonlyArray<Node>
}

/** The tables of the nodes of a plan. */
const tablesOf = (node: Node): ReadonlyArray<string> => {
  const below = [...(node.Plans ?? []), ...(node["Target Tables"] ?? [])].flatMap(tablesOf)
  return node["Relation Name"] === undefined ? below : [node["Relation Name"], ...below]
}

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  // A JSON string is an element of an array in PostgreSQL's syntax, too.
  const text = Array.isArray(value) ? `{${value.map((element) => JSON.stringify(element)).join(", ")}}` : String(value)
  return pg.escapeLiteral(text)
}

/** Which plan of a statement: the one for these parameters, or the one for any. */
export type Mode = "custom" | "generic"

/** The number of a partition, which ends its name. */
const PART = /^(.+)_(\d+)$/

const partitionsOf = (node: Node): ReadonlyMap<string, ReadonlySet<number>> => {
  const found = new Map<string, Set<number>>()
  for (const name of tablesOf(node)) {
    const [, table, part] = PART.exec(name) ?? []
    if (table === undefined) continue
    found.set(table, (found.get(table) ?? new Set()).add(Number(part)))
  }
  return found
}

/**
 * The partitions of each table that the plan of a statement has: those that are left before it
 * begins.
 */
export const plan = async (
  client: pg.Client,
  { text, values }: Sent,
  mode: Mode
): Promise<ReadonlyMap<string, ReadonlySet<number>>> => {
  await client.query(`set plan_cache_mode = force_${mode}_plan`)
  await client.query(`prepare explained as ${text}`)
  try {
    const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`
    const { rows } = await client.query(`explain (format json) execute explained${given}`)
    return partitionsOf(rows[0]["QUERY PLAN"][0].Plan)
  } finally {
    await client.query("deallocate explained")
  }
}

/** The milliseconds that a prepared statement takes, shortest first. What it changes is undone. */
export const times = async (
  client: pg.Client,
  { text, values }: Sent,
  count: number
): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  const name = createHash("sha256").update(text).digest("hex").slice(0, 32)
  // Some of them are planned for their parameters, before there is a plan for all.
  for (let time = -6; time < count; time++) {
    await client.query("begin")
    const began = performance.now()
    await client.query({ name, text, values: [...values] })
    if (time >= 0) found.push(performance.now() - began)
    await client.query("rollback")
  }
  return found.sort((left, right) => left - right)
}
