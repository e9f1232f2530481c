/**
 * Columns: each is named once, with its type, and what reads and writes rows of them is made of
 * that.
 *
 * A column has the domain's name in snake case. Rows are handed in by columns, one array each, with
 * the domain's names: the text of a statement depends on nothing but the parts it has, and stays
 * prepared.
 *
 * A commit is made of clauses. A clause is a list of CTEs and an expression over them. The commit
 * is `with <all CTEs> select <all expressions>`: the expressions are evaluated from left to right,
 * so that every commit locks its tables in the same order, and one whose guard fails raises, which
 * undoes the whole statement.
 */
import type { Storage } from "simplan/ports"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../database/Database.ts"

const order = ["text", "bigint", "integer", "boolean", "json", "jsonb", "text[]"] as const

type Type = (typeof order)[number]

/** Columns by their names, in the order of their table. */
export type Types<A> = { readonly [Name in keyof A & string]: Type }

type Names<A> = ReadonlyArray<keyof A & string>

type Typed<Name extends string> = ReadonlyArray<readonly [name: Name, type: Type]>

/** Columns as they are handed in. */
interface Handed<Name extends string> {
  /** By type. */
  readonly list: Typed<Name>
  /** Those in which rows mostly agree: a value that all of them have is handed in once. */
  readonly same: Typed<Name>
  readonly selected: string
  readonly names: string
}

/** What rows of `A` have. */
export interface Columns<A> {
  readonly types: Types<A>
  /** In the order of their table. */
  readonly all: Names<A>
  /**
   * The order in which rows are handed in, and so inserted and locked; as given if it is empty.
   */
  readonly key: Names<A>
  readonly handed: Handed<keyof A & string>
  /**
   * The column of the organization, and the others; null if there is none of the one or of the
   * others.
   */
  readonly owned: { readonly by: keyof A & string; readonly others: Handed<keyof A & string> } | null
}

/** The name of the column that tables are partitioned by if an operator has partitions. */
const OWNER = "organizationId"

// Arrays of arrays would have to be all of one length.
const isNested = (type: Type): boolean => type === "text[]"

const namesOf = <A>(types: Types<A>): Names<A> => {
  const names: Array<keyof A & string> = []
  let name: keyof A & string
  for (name in types) names.push(name)
  return names
}

const handedAs = <Name extends string>(list: Typed<Name>, same: ReadonlyArray<Name>): Handed<Name> => {
  const isSame = ([name]: Typed<Name>[number]): boolean => same.includes(name)
  return {
    list,
    same: list.filter(isSame),
    selected: list
      .filter((column) => !isSame(column))
      .map(([name, type]) => `columns."${name}"${isNested(type) ? `::${type}` : ""}`)
      .join(", "),
    names: list.map(([name]) => `"${name}"`).join(", ")
  }
}

/**
 * Columns with their types, and the key that rows are sorted by: whoever locks several of them does
 * it in one order.
 */
export const of = <A>(types: Types<A>, key: Names<A> = [], same: Names<A> = []): Columns<A> => {
  const all = namesOf<A>(types)
  const list = order.flatMap((type) =>
    all.filter((name) => types[name] === type).map((name): Typed<typeof name>[number] => [name, type])
  )
  const by = all.find((name) => name === OWNER)
  const others = list.filter(([name]) => name !== by)
  const owned = by === undefined || others.length === 0 ? null : { by, others: handedAs(others, same) }
  return { types, all, key, handed: handedAs(list, same), owned }
}

/** Some of the columns. Their key is what they have of it. */
export const pick = <A, const Name extends keyof A & string>(
  { key, types }: Columns<A>,
  picked: ReadonlyArray<Name>,
  same: ReadonlyArray<NoInfer<Name>> = []
): Columns<Pick<A, Name>> => {
  const some: Types<Pick<A, Name>> = Object.fromEntries(
    picked.map((name): ReadonlyArray<unknown> => [name, types[name]])
  )
  return of<Pick<A, Name>>(
    some,
    picked.filter((name) => key.includes(name)),
    same
  )
}

/** All of the columns but some. */
export const omit = <A, const Name extends keyof A & string>(
  { all, types }: Columns<A>,
  omitted: ReadonlyArray<Name>
): Columns<Omit<A, Name>> => {
  const isLeft = (name: string): boolean => !omitted.some((one) => one === name)
  const some: Types<Omit<A, Name>> = Object.fromEntries(
    all.filter(isLeft).map((name): ReadonlyArray<unknown> => [name, types[name]])
  )
  return of<Omit<A, Name>>(some)
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

const element = (value: unknown): string =>
  value === null || value === undefined ? "null" : `"${String(value).replace(/["\\]/g, "\\$&")}"`

/** An array as PostgreSQL writes it; but for a few escapes that is JSON in braces. */
const literal = (values: ReadonlyArray<unknown>): string => {
  const json = JSON.stringify(values)
  return json.includes("\\") && FOREIGN_ESCAPE.test(json)
    ? `{${values.map(element).join(",")}}`
    : `{${json.slice(1, -1)}}`
}

/**
 * What all rows have in a column of texts or numbers; null if they differ, or it is something
 * else.
 */
const common = <A>(rows: ReadonlyArray<A>, name: keyof A & string): string | number | null => {
  const first: unknown = rows[0]?.[name]
  if (typeof first !== "string" && typeof first !== "number") return null
  return rows.every((row) => row[name] === first) ? first : null
}

const nested = (value: unknown, write: (value: unknown) => string): string | null =>
  value === null || value === undefined ? null : write(value)

const NOTHING = "{}"

/**
 * The array of a column. If no row has anything in it, that is none, unless the array has to be
 * of the full length.
 */
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
 * The values as rows of these columns, `r`, in the order of their key. The planner takes them for
 * one, however many they are: it supposes ten, and that a range of places which it knows nothing of
 * leaves one in two hundred. So what is joined to them is looked up by its key, and the plan is the
 * same for any parameters, so that it is made once.
 *
 * The organization that all of them have is a parameter of its own. What is joined by it is then of
 * one partition before the statement begins, if tables are partitioned by organization.
 */
export const rows = <A>(sql: Sql, values: ReadonlyArray<A>, of: Columns<A>): Fragment => {
  const ordered = sorted(values, of.key)
  const owner = of.owned === null ? null : common(ordered, of.owned.by)
  const { list, names, same, selected } = of.owned === null || owner === null ? of.handed : of.owned.others
  const shared = new Map(same.map(([name]) => [name, common(ordered, name)]))
  const isShared = ([name]: (typeof list)[number]): boolean => (shared.get(name) ?? null) !== null
  // If arrays differ in length, the shorter ones go on with nulls. One array has the full
  // length.
  const full = list.find((one) => !isShared(one))
  const arrays = list.map((one) => {
    const [name, type] = one
    const array = isShared(one) ? NOTHING : column(ordered, name, type, one === full)
    return sql`(${array}::text)::${sql.literal(isNested(type) ? "text" : type)}[]`
  })
  const once = same.map(([name, type]) => {
    const value = shared.get(name) ?? null
    return sql`coalesce(columns.${sql.literal(`"${name}"`)}, ${value}::${sql.literal(`${type}) as "${name}"`)}`
  })
  const owners = owner === null ? [] : [sql`${owner}::text as ${sql.literal(`"${OWNER}"`)}`]
  return sql`(
    select ${sql.csv([sql.literal(selected), ...once, ...owners])}
    from unnest(${sql.csv(arrays)}) with ordinality columns (${sql.literal(names)}, place)
    where columns.place between 1 and 2147483647
  ) r`
}

/**
 * That the rows of a table are of the organization that all of the values have; nothing if they
 * have several. For what is joined to values by way of a CTE, which the planner does not see
 * through.
 */
export const ofOwner = (
  sql: Sql,
  table: string,
  values: ReadonlyArray<{ readonly organizationId: string }>
): Fragment => {
  const owner = common(values, OWNER)
  return owner === null ? sql.literal("") : sql`and ${sql.literal(table)}.organization_id = ${owner}`
}

/**
 * The first rows of a query that has its order: so many, as planned for some more. PostgreSQL would
 * make a plan each time for a limit that it is given each time, and goes no further for the larger
 * one.
 */
export const first = (sql: Sql, ordered: Fragment, limit: number, locking = ""): Fragment => {
  let planned = 100
  while (planned < limit) planned *= 10
  return sql`select * from (
    ${ordered} limit ${sql.literal(`${planned} ${locking}`)}
  ) first limit ${limit}::int`
}

/**
 * The values likewise, but with a plan for as many as they are: for joining thousands of them with
 * each other.
 */
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

/** The column of a name. */
export const columnOf = (name: string): string => name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`)

/** The domain's name, as SQL has it. */
export const quoted = (name: string): string => (/[A-Z]/.test(name) ? `"${name}"` : name)

/** A value of a row that is handed in. */
const handed = (name: string): string => `r.${quoted(name)}`

/** Columns of a table, by its name. */
export const selected = (table: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${table}.${columnOf(name)}`)

/** The fields of a row of a table by the domain's names, for `json_build_object`. */
export const fields = <A>(table: string, { all }: Columns<A>): string =>
  all.map((name) => `'${name}', ${table}.${columnOf(name)}`).join(", ")

/** A row of a table as a JSON object with the domain's names. */
export const json = <A>(table: string, columns: Columns<A>): string => `json_build_object(${fields(table, columns)})`

/** A row of these columns. */
export type RowOf<Of> = Of extends Columns<infer A> ? A : never

/**
 * A row as an array without names: JSON of it is parsed in 0.4 to 0.7 of the time that an object
 * takes. A value is found by its place (see `places`), which the compiler takes for the name of its
 * column.
 */
export type Packed<A> = { readonly [Name in keyof A & string]: A[Name] }

/** Rows column by column. */
export type ByColumn<Row extends ReadonlyArray<unknown>> = { readonly [Name in keyof Row]: ReadonlyArray<Row[Name]> }

/** What a row of these columns is packed as. */
export type PackedOf<Of> = Of extends Columns<infer A> ? Packed<A> : never

/** A row of a table as an array without names. */
export const packed = <A>(table: string, { all }: Columns<A>): string =>
  `json_build_array(${selected(table, all).join(", ")})`

/** A row that has all of the names and nothing but nulls. */
export const empty = <A>({ all }: Columns<A>): A =>
  Object.fromEntries(all.map((name): ReadonlyArray<unknown> => [name, null]))

/**
 * Where the columns stand in a packed row. A reader is an object literal of `packed[at.name]`, and
 * does not compile if it has too few of them: to fill an object by names in a loop takes four
 * times as long or more.
 */
export const places = <A>({ all }: Columns<A>): { readonly [Name in keyof A & string]: Name } =>
  Object.fromEntries(all.map((name, at): ReadonlyArray<unknown> => [name, at]))

/** A part of a commit. */
export interface Clause {
  readonly ctes: ReadonlyArray<Fragment>
  readonly outcome: Fragment
}

/** Clauses of the rows of each organization, with the endings of their names. */
export const ofEach = <A>(
  rows: ReadonlyArray<A>,
  ownerOf: (row: A) => string,
  clauseOf: (own: ReadonlyArray<A>, ending: string) => Clause
): ReadonlyArray<Clause> =>
  [...new Set(rows.map(ownerOf))].map((owner, at) =>
    clauseOf(
      rows.filter((row) => ownerOf(row) === owner),
      at === 0 ? "" : `_${at + 1}`
    )
  )

/** What a clause makes of rows. The ending is of its name, if a commit has several of it. */
export type Write<A> = (sql: Sql, rows: ReadonlyArray<A>, _?: unknown, ending?: string) => Clause

/** What a commit conflicts on if not each row was written. */
type Guard = Storage.Conflict["on"]

/** Where the rows stand in a text. */
const ROWS = "$rows"

/**
 * A clause of one CTE, which has the name. The text is given where the rows come from, as `r`, and
 * has that once. With a guard each row has to be found.
 */
export const clause = <A>(
  name: string,
  columns: Columns<A>,
  text: (rows: string) => string,
  guard?: Guard
): Write<A> => {
  const [before = "", after = "", ...more] = text(ROWS).split(ROWS)
  if (more.length > 0) throw new Error(`${name} uses its rows more than once`)
  return (sql, values, _, ending = "") => {
    const count = sql.literal(`(select count(*) from ${name}${ending})`)
    return {
      ctes: [
        sql`${sql.literal(`${name}${ending} as (\n${before}`)}${rows(sql, values, columns)}${sql.literal(`${after}\n)`)}`
      ],
      outcome:
        guard === undefined
          ? sql`${count}`
          : sql`simplan.ensure(${count} = ${values.length}::int, ${sql.literal(`'${guard}'`)})`
    }
  }
}

/**
 * The text that inserts all columns, up to where the rows are from; `values` says what those have
 * which no row has as it is.
 */
export const insertion = <A>(
  table: string,
  { all }: Columns<A>,
  values: { readonly [Name in keyof A & string]?: string } = {}
): string =>
  `insert into simplan.${table} (
  ${all.map(columnOf).join(", ")}
)
select ${all.map((name) => values[name] ?? handed(name)).join(", ")}`

/** Inserts rows into a table. `conflict` says what becomes of one that is there. */
export const insert = <A>(name: string, table: string, columns: Columns<A>, conflict = "", guard?: Guard): Write<A> =>
  clause(name, columns, (rows) => `${insertion(table, columns)}\nfrom ${rows}\n${conflict}\nreturning 1`, guard)

/** Sets a column to what is handed in. */
export const assignment = (name: string): string => `${columnOf(name)} = ${handed(name)}`

/** What replaces a row of the key by the one that is inserted. */
export const replacing = <A>({ all, key }: Columns<A>): string => {
  const replaced = all.filter((name) => !key.includes(name)).map(columnOf)
  return `on conflict (${key.map(columnOf).join(", ")}) do update set
  ${replaced.map((column) => `${column} = excluded.${column}`).join(", ")}`
}

/** The row of a table that has the key. */
const isOf = (table: string, key: ReadonlyArray<string>): string =>
  key.map((name) => `${table}.${columnOf(name)} = ${handed(name)}`).join(" and ")

/**
 * Inserts or replaces rows, each guarded by its version: the one that was loaded, and 0 for a new
 * one.
 */
export const putVersions = <A extends { readonly version: number }>(
  name: string,
  table: string,
  columns: Columns<A>
): Write<A> =>
  clause(
    name,
    columns,
    (rows) => `${insertion(`${table} as stored`, columns, { version: "r.version + 1" })}
from ${rows}
where r.version = 0 or exists (
  select from simplan.${table} known
  where ${isOf("known", columns.key)}
)
${replacing(columns)}
where stored.version = excluded.version - 1
returning 1`,
    "version"
  )

/** Writes the columns beside the key. `where` says more of which rows. */
export const update = <A>(name: string, table: string, columns: Columns<A>, where = "", guard?: Guard): Write<A> =>
  clause(
    name,
    columns,
    (rows) => `update simplan.${table} set ${columns.all
      .filter((one) => !columns.key.includes(one))
      .map(assignment)
      .join(", ")}
from ${rows}
where ${isOf(table, columns.key)} ${where}
returning 1`,
    guard
  )

/** Removes the rows of the key. `where` says more of which. */
export const remove = <A>(name: string, table: string, columns: Columns<A>, where = "", guard?: Guard): Write<A> =>
  clause(
    name,
    columns,
    (rows) => `delete from simplan.${table} using ${rows}
where ${isOf(table, columns.key)} ${where}
returning 1`,
    guard
  )
