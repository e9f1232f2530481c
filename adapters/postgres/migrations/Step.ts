/**
 * The steps that migrations are made of, as data: what each creates, and on which table. Its SQL
 * follows from that, for the schema `simplan`, and so do what it blocks, how it is run, and what
 * the schema has after it.
 *
 * The version before goes on working while and after a step of a later version is done, so that one
 * cannot be written which demands something: a column that it adds may be null or has a default,
 * and a function is replaced. What drops something comes one version after the last that uses it.
 */
import { Data } from "effect"

/** What others cannot do with a table until the migration is over. */
export type Blocks = "nothing" | "writes" | "reads and writes"

/** What a step's time depends on. */
export type Work = "none" | "index" | "online index" | "folded index" | "scan" | "copy"

/** What a step does to the tables that there are. */
export interface Impact {
  /** Such as `creates the index sim_paused`. */
  readonly does: string
  /** The table that it locks, and those that it reads beside it. */
  readonly tables: ReadonlyArray<string>
  /** What others cannot do with the first of them. */
  readonly blocks: Blocks
  /** What of them it goes over. */
  readonly work: Work
}

/** SQL by the name of what it defines. */
type Definitions = Readonly<Record<string, string>>

type Steps = {
  /** A table with its indexes and partitions. */
  readonly Table: {
    readonly name: string
    /** Type and constraints of each column, in their order. */
    readonly columns: Definitions
    /** The columns of a primary key of several. */
    readonly key?: string
    readonly constraints?: Definitions
    /** Such as `range (day)`. */
    readonly partitionBy?: string
    /** The rows that each partition has. */
    readonly partitions?: Definitions
    /** How full pages are filled, in percent, so that rows that change have room beside them. */
    readonly fillfactor?: number
    /** Columns and condition of each index. */
    readonly indexes?: Definitions
    readonly uniqueIndexes?: Definitions
  }
  /** Columns of a table of before. One without a default may be null. */
  readonly Columns: {
    readonly table: string
    readonly columns: Readonly<Record<string, { readonly type: string; readonly default?: string }>>
  }
  /** An index on a table of before. */
  readonly Index: {
    readonly name: string
    readonly table: string
    /** Columns and condition. */
    readonly definition: string
    readonly isUnique?: boolean
    /** Whether it calls `simplan.folded`, which takes three times as long. */
    readonly folds?: boolean
  }
  /** A function, in the place of one of before that takes the same. */
  readonly Function: { readonly name: string; readonly definition: string }
  readonly Trigger: {
    readonly name: string
    readonly table: string
    /** Such as `after insert`. */
    readonly when: string
    readonly definition: string
  }
  /** The end of a column, an index, a function or a table, which is its own `table`. */
  readonly Drop: {
    readonly what: "column" | "index" | "function" | "table"
    readonly name: string
    readonly table: string
  }
  /** Any other statement. It says itself what it does. */
  readonly Statement: Impact & { readonly text: string }
}

export type Step = Data.TaggedEnum<Steps>
export const Step = Data.taggedEnum<Step>()

export type Index = Data.TaggedEnum.Value<Step, "Index">

/** Any step but an index on a table of before. */
export type Change = Exclude<Step, Index>

const listed = (definitions: Definitions | undefined, line: (name: string, text: string) => string) =>
  Object.entries(definitions ?? {}).map(([name, text]) => line(name, text))

const indexOn = (table: string, isUnique: boolean) => (name: string, definition: string) =>
  `create ${isUnique ? "unique " : ""}index ${name} on simplan.${table} ${definition}`

const tableOf = (table: Steps["Table"]): ReadonlyArray<string> => {
  const { columns, constraints, fillfactor, indexes, key, name, partitionBy, partitions, uniqueIndexes } = table
  const lines = [
    ...listed(columns, (column, text) => `${column} ${text}`),
    ...(key === undefined ? [] : [`primary key ${key}`]),
    ...listed(constraints, (constraint, text) => `constraint ${constraint} ${text}`)
  ]
  const stored = [
    ...(partitionBy === undefined ? [] : [` partition by ${partitionBy}`]),
    ...(fillfactor === undefined ? [] : [` with (fillfactor = ${fillfactor})`])
  ]
  return [
    `create table simplan.${name} (\n    ${lines.join(",\n    ")}\n  )${stored.join("")}`,
    ...listed(partitions, (part, rows) => `create table simplan.${part} partition of simplan.${name} ${rows}`),
    ...listed(indexes, indexOn(name, false)),
    ...listed(uniqueIndexes, indexOn(name, true))
  ]
}

/**
 * The statement that makes an index while others read and write its table, outside of any
 * transaction.
 */
export const concurrently = ({ definition, isUnique, name, table }: Index): string =>
  indexOn(table, isUnique === true)(`concurrently ${name}`, definition)

/** The statements of a step, in their order. */
export const statements: (step: Step) => ReadonlyArray<string> = Step.$match({
  Table: tableOf,
  Columns: ({ columns, table }) => {
    const added = Object.entries(columns).map(
      ([name, { default: value, type }]) =>
        `add column ${name} ${type}${value === undefined ? "" : ` not null default ${value}`}`
    )
    return [`alter table simplan.${table} ${added.join(", ")}`]
  },
  Index: ({ definition, isUnique, name, table }) => [indexOn(table, isUnique === true)(name, definition)],
  Function: ({ definition, name }) => [`create or replace function simplan.${name}${definition}`],
  Trigger: ({ definition, name, table, when }) => [`create trigger ${name} ${when} on simplan.${table} ${definition}`],
  Drop: ({ name, table, what }) => [
    what === "column" ? `alter table simplan.${table} drop column ${name}` : `drop ${what} simplan.${name}`
  ],
  Statement: ({ text }) => [text]
})

/** What a step does to the tables that there are, and how long that takes. */
export const impact: (step: Step) => Impact = Step.$match({
  Table: ({ name }): Impact => ({ does: `creates the table ${name}`, tables: [], blocks: "nothing", work: "none" }),
  Columns: ({ columns, table }): Impact => ({
    does: `adds ${Object.keys(columns).join(", ")}`,
    tables: [table],
    blocks: "reads and writes",
    work: "none"
  }),
  Index: ({ folds, name, table }): Impact => ({
    does: `creates the index ${name}`,
    tables: [table],
    blocks: "writes",
    work: folds === true ? "folded index" : "index"
  }),
  Function: ({ name }): Impact => ({
    does: `makes the function ${name}`,
    tables: [],
    blocks: "nothing",
    work: "none"
  }),
  Trigger: ({ name, table }): Impact => ({
    does: `creates the trigger ${name}`,
    tables: [table],
    blocks: "writes",
    work: "none"
  }),
  Drop: ({ name, table, what }): Impact => ({
    does: `drops the ${what} ${name}`,
    tables: what === "function" ? [] : [table],
    blocks: what === "function" ? "nothing" : "reads and writes",
    work: "none"
  }),
  Statement: ({ blocks, does, tables, work }): Impact => ({ does, tables, blocks, work })
})

/**
 * What a step creates: tables, partitions and indexes by their names, functions with brackets,
 * columns with their table before them.
 */
export const created: (step: Step) => ReadonlyArray<string> = Step.$match({
  Table: ({ columns, indexes, name, partitions, uniqueIndexes }) => [
    name,
    ...Object.keys({ ...partitions, ...indexes, ...uniqueIndexes }),
    ...Object.keys(columns).map((column) => `${name}.${column}`)
  ],
  Columns: ({ columns, table }) => Object.keys(columns).map((column) => `${table}.${column}`),
  Index: ({ name }) => [name],
  Function: ({ name }) => [`${name}()`],
  Trigger: () => [],
  Drop: () => [],
  Statement: () => []
})

const isDroppedBy = (step: Step, name: string): boolean => {
  if (step._tag !== "Drop") return false
  switch (step.what) {
    case "column":
      return name === `${step.table}.${step.name}`
    case "function":
      return name === `${step.name}()`
    case "index":
      return name === step.name
    case "table":
      return name.startsWith(`${step.name}.`)
  }
}

/**
 * What a schema has after these steps, as `created` has it; of a table that was dropped also its
 * indexes and partitions.
 */
export const contents = (steps: ReadonlyArray<Step>): ReadonlyArray<string> =>
  steps.reduce<ReadonlyArray<string>>(
    (found, step) => [...found.filter((name) => !isDroppedBy(step, name)), ...created(step)],
    []
  )

/** Whether it is the name of a column or a function, which statements fail without. */
export const isDemanded = (name: string): boolean => /[.)]/.test(name)
