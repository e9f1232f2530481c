/**
 * The columns of a list that its operator chooses. The choice stands in the URL, by the names that
 * the columns have in a file, and so does the file have the columns that are shown.
 */
import { Download, type FileColumn } from "./Download.tsx"
import { List } from "./List.tsx"
import * as Location from "./Location.ts"
import type * as View from "./View.tsx"

export interface Column<Item> extends View.Column<Item>, FileColumn<Item> {
  /** Whether it is shown only if it is chosen. */
  readonly isExtra?: true
}

/** The first column says what a row is of, so that it always stays. */
type Columns<Item> = readonly [Column<Item>, ...ReadonlyArray<Column<Item>>]

const named = (columns: ReadonlyArray<Column<never>>): string => columns.map(({ name }) => name).join()

const first = <Item,>(columns: Columns<Item>): ReadonlyArray<Column<Item>> =>
  columns.filter(({ isExtra }) => isExtra !== true)

/** Those that are shown: of the URL, or if it names none, those that are not extra. */
const shown = <Item,>(columns: Columns<Item>): ReadonlyArray<Column<Item>> => {
  const asked = Location.field("columns").split(",")
  const [key, ...others] = columns
  return asked.includes(key.name) ? [key, ...others.filter(({ name }) => asked.includes(name))] : first(columns)
}

/** A box for each of the columns, but the first. */
const Choice = <Item,>({ of }: { readonly of: Columns<Item> }) => {
  const chosen = shown(of)
  const choose = (columns: ReadonlyArray<Column<Item>>): void =>
    Location.change({ columns: named(columns) === named(first(of)) ? "" : named(columns) })
  return (
    <details class="columns">
      <summary>Columns</summary>
      <fieldset>
        <legend>Columns, of the file too</legend>
        {of.slice(1).map((column) => (
          <label key={column.name}>
            <input
              type="checkbox"
              checked={chosen.includes(column)}
              onChange={() => choose(of.filter((one) => chosen.includes(one) !== (one === column)))}
            />{" "}
            {column.title}
          </label>
        ))}
      </fieldset>
    </details>
  )
}

/** A list with these columns to choose from, which can be downloaded as it is shown. */
export const Listing = <Item,>({
  columns,
  empty,
  label,
  order,
  path
}: {
  readonly columns: Columns<Item>
  /** What to do if it has no rows. */
  readonly empty: string
  readonly label: string
  /** A sentence that says in which order its rows are. */
  readonly order: string
  /** The list, with its filters. */
  readonly path: string
}) => {
  const chosen = shown(columns)
  return (
    <>
      <div class="listing">
        <span class="note">{order}</span>
        <Choice of={columns} />
        <Download name={`${label.toLowerCase()}.csv`} path={path} columns={chosen} />
      </div>
      <List label={label} path={path} columns={() => chosen} empty={empty} />
    </>
  )
}
