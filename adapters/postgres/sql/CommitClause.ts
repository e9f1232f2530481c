/**
 * The parts that a commit's statement is made of.
 *
 * A part is a list of CTEs and an expression over them. The commit is `with <all CTEs> select <all expressions>`: the
 * expressions are evaluated from left to right, so that every commit locks its tables in the same order, and one whose
 * guard fails raises, which undoes the whole statement. Rows are handed in by columns, one array each, with the
 * domain's names: the text of a statement depends on nothing but the parts it has, and stays prepared.
 */
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../database/Database.ts"

export interface CommitClause {
  readonly ctes: ReadonlyArray<Fragment>
  readonly outcome: Fragment
}

type Type = "text" | "bigint" | "integer" | "boolean" | "json" | "jsonb" | "text[]"

type Names<A> = ReadonlyArray<keyof A & string>

/** What rows of `A` have: their columns by type. */
export interface Columns<A> {
  readonly list: ReadonlyArray<readonly [name: keyof A & string, type: Type]>
  /** The order in which rows are handed in, and so inserted and locked; as given where it is empty. */
  readonly key: Names<A>
  /** Those in which rows mostly agree: a value that all of them have is handed in once. */
  readonly same: ReadonlyArray<readonly [name: keyof A & string, type: Type]>
  readonly selected: string
  readonly names: string
}

// Arrays of arrays would have to be all of one length.
const isNested = (type: Type): boolean => type === "text[]"

/** Columns by type, and the key that rows are sorted by: whoever locks several of them does it in one order. */
export const columns = <A>(
  types: { readonly [T in Type]?: Names<A> },
  key: Names<A> = [],
  same: Names<A> = []
): Columns<A> => {
  const list: Array<readonly [keyof A & string, Type]> = []
  for (const type of ["text", "bigint", "integer", "boolean", "json", "jsonb", "text[]"] as const) {
    for (const name of types[type] ?? []) list.push([name, type])
  }
  const isSame = ([name]: (typeof list)[number]): boolean => same.includes(name)
  return {
    list,
    key,
    same: list.filter(isSame),
    selected: list
      .filter((column) => !isSame(column))
      .map(([name, type]) => `columns."${name}"${isNested(type) ? `::${type}` : ""}`)
      .join(", "),
    names: list.map(([name]) => `"${name}"`).join(", ")
  }
}

const sorted = <A>(values: ReadonlyArray<A>, key: Names<A>): ReadonlyArray<A> =>
  values.length < 2 || key.length === 0
    ? values
    : values.toSorted((left, right) => {
        for (const name of key) {
          if (left[name] < right[name]) return -1
          if (left[name] > right[name]) return 1
        }
        return 0
      })

// An escape of JSON that means something else in an array's literal.
const FOREIGN_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\[^"\\]/

const quoted = (value: unknown): string =>
  value === null || value === undefined ? "null" : `"${String(value).replace(/["\\]/g, "\\$&")}"`

/** An array as PostgreSQL writes it; but for a few escapes that is JSON in braces. */
const literal = (values: ReadonlyArray<unknown>): string => {
  const json = JSON.stringify(values)
  return json.includes("\\") && FOREIGN_ESCAPE.test(json)
    ? `{${values.map(quoted).join(",")}}`
    : `{${json.slice(1, -1)}}`
}

/** What all rows have in a column of texts or numbers; null where they differ, or it is something else. */
const common = <A>(rows: ReadonlyArray<A>, name: keyof A & string): string | number | null => {
  const first: unknown = rows[0]?.[name]
  if (typeof first !== "string" && typeof first !== "number") return null
  return rows.every((row) => row[name] === first) ? first : null
}

const nested = (value: unknown, write: (value: unknown) => string): string | null =>
  value === null || value === undefined ? null : write(value)

const NOTHING = "{}"

/** The array of a column. Where no row has anything in it, that is none, unless the array has to be of the full length. */
const column = <A>(rows: ReadonlyArray<A>, name: keyof A & string, type: Type, isFull: boolean): string => {
  if (!isFull && rows.every((row) => row[name] === null)) return NOTHING
  switch (type) {
    case "json":
    case "jsonb":
      return literal(rows.map((row) => nested(row[name], JSON.stringify)))
    case "text[]":
      return literal(rows.map((row) => nested(row[name], (value) => literal(Array.isArray(value) ? value : []))))
    default:
      return literal(rows.map((row) => row[name]))
  }
}

/**
 * The values as rows of these columns, `r`, in the order of their key. The planner takes them for one, however many
 * they are: it supposes ten, and that a range of places which it knows nothing of leaves one in two hundred. So what is
 * joined to them is looked up by its key, and the plan is the same for any parameters, so that it is made once.
 */
export const rows = <A>(sql: Sql, values: ReadonlyArray<A>, of: Columns<A>): Fragment => {
  const ordered = sorted(values, of.key)
  const shared = new Map(of.same.map(([name]) => [name, common(ordered, name)]))
  const isShared = ([name]: (typeof of.list)[number]): boolean => (shared.get(name) ?? null) !== null
  // Where arrays differ in length, the shorter ones go on with nulls. One array has the full length.
  const full = of.list.find((one) => !isShared(one))
  const arrays = of.list.map((one) => {
    const [name, type] = one
    const array = isShared(one) ? NOTHING : column(ordered, name, type, one === full)
    return sql`(${array}::text)::${sql.literal(isNested(type) ? "text" : type)}[]`
  })
  const selected = of.same.map(([name, type]) => {
    const value = shared.get(name) ?? null
    return sql`coalesce(columns.${sql.literal(`"${name}"`)}, ${value}::${sql.literal(`${type}) as "${name}"`)}`
  })
  return sql`(
    select ${sql.csv([sql.literal(of.selected), ...selected])}
    from unnest(${sql.csv(arrays)}) with ordinality columns (${sql.literal(of.names)}, place)
    where columns.place between 1 and 2147483647
  ) r`
}

/**
 * The first rows of a query that has its order: so many, as planned for some more. PostgreSQL would make a plan each time
 * for a limit that it is given each time, and goes no further for the larger one.
 */
export const first = (sql: Sql, ordered: Fragment, limit: number, locking = ""): Fragment => {
  let planned = 100
  while (planned < limit) planned *= 10
  return sql`select * from (
    ${ordered} limit ${sql.literal(`${planned} ${locking}`)}
  ) first limit ${limit}::int`
}

/** The values likewise, but with a plan for as many as they are: for joining thousands of them with each other. */
export const manyRows = (sql: Sql, values: ReadonlyArray<unknown>, columns: string): Fragment =>
  sql`(
    select * from json_to_recordset((${JSON.stringify(values)}::text)::json) as r(${sql.literal(columns)})
    limit ${values.length}::int
  ) r`

/** The texts as rows of one column, `r.text`. */
export const texts = (sql: Sql, values: ReadonlyArray<string>): Fragment =>
  sql`(
    select * from json_array_elements_text((${JSON.stringify(values)}::text)::json) as r(text) limit ${values.length}::int
  ) r`
