/**
 * Lists of the server on the terminal: as a table, or each item as a line of JSON.
 */
import { Effect, Stream } from "effect"
import { Flag } from "effect/cli"
import { Client } from "../../client/index.ts"
import * as Output from "../output/Output.ts"
import * as Table from "../output/Table.ts"
import type { Connection } from "./Connection.ts"
import * as Typed from "./Typed.ts"

/** The flags of every list. */
export const flags = {
  limit: Flag.Int("limit").pipe(
    Flag.withMetavar("<number>"),
    Flag.withDescription("How many are listed at most"),
    Flag.filter(
      (limit) => limit >= 1,
      () => "a number of at least 1"
    ),
    Flag.withDefault(100)
  ),
  all: Flag.Boolean("all").pipe(Flag.withDescription("List all of them"), Flag.withDefault(false))
}

export interface Given {
  readonly json: boolean
  readonly limit: number
  readonly all: boolean
}

/** The query parameters of a page. */
export interface PageRequest {
  readonly page_size: string
  readonly page?: string
}

const MOST = 100

/**
 * Prints a list that comes in pages. `row` says which columns the table has. JSON is printed while it is read; a table
 * needs all rows for its widths.
 */
export const print = <Item>(
  connection: Connection,
  { all, json, limit }: Given,
  pages: (client: Client.Client, page: PageRequest) => Effect.Effect<Client.Page<Item>, unknown>,
  row: (item: Item) => Output.Row,
  longestPage = MOST
) =>
  Effect.gen(function* () {
    const page_size = String(all ? longestPage : Math.min(longestPage, limit + 1))
    const read = <A>(use: (items: Stream.Stream<Item, unknown>) => Effect.Effect<A, unknown>) =>
      Typed.call(connection, (client) => use(Client.stream((page) => pages(client, { page_size, ...page }))))

    if (json) {
      const line = (item: Item) => Output.print(JSON.stringify(item))
      return yield* read((items) => Stream.runForEach(all ? items : Stream.take(items, limit), line))
    }
    const found = yield* read((items) => Stream.runCollect(all ? items : Stream.take(items, limit + 1)))
    if (found.length === 0) return yield* Output.note("There are none.")
    const isCut = !all && found.length > limit
    const { width } = yield* Effect.service(Output.Output)
    yield* Output.print(Table.of((isCut ? found.slice(0, limit) : found).map(row), width))
    if (isCut) yield* Output.note(`These are the first ${limit}: --limit <number> or --all lists more.`)
  })

/** Prints a list that comes as a whole. */
export const printWhole = <Item>(
  connection: Connection,
  given: Given,
  items: (client: Client.Client) => Effect.Effect<{ readonly data: ReadonlyArray<Item> }, unknown>,
  row: (item: Item) => Output.Row
) => print(connection, given, (client) => Effect.map(items(client), ({ data }) => ({ data, next_page: null })), row)

/** Prints the list that belongs to a record, below it. */
export const section = (title: string, rows: ReadonlyArray<Output.Row>): Effect.Effect<void> =>
  rows.length === 0
    ? Effect.void
    : Effect.flatMap(Output.Output, ({ width }) => Output.print(`\n${title}\n${Table.of(rows, width)}`))
