/**
 * Lists of the server on the terminal: as a table, or each item as a line of JSON. No more is read
 * than is printed: of a list in pages no further page is asked for, and the answer with a whole
 * list (rule W4) is cut after as many items.
 */
import { Effect, Stream } from "effect"
import { Flag } from "effect/cli"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Client } from "../../client/index.ts"
import { JsonElements } from "../../fields/index.ts"
import type { CommandFailed } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import type { Connection } from "./Connection.ts"
import * as Calls from "./Calls.ts"

/** The flags that say how many items are listed. */
export const flagsOf = (most: string, all: string, limit: number) => ({
  limit: Flag.Int("limit").pipe(
    Flag.withMetavar("<number>"),
    Flag.withDescription(most),
    Flag.filter(
      (limit) => limit >= 1,
      () => "a number of at least 1"
    ),
    Flag.withDefault(limit)
  ),
  all: Flag.Boolean("all").pipe(Flag.withDescription(all), Flag.withDefault(false))
})

/** The flags of every list. */
export const flags = flagsOf("How many are listed at most", "List all of them", 100)

/** How many items are listed. */
export interface Bounds {
  readonly limit: number
  readonly all: boolean
}

export interface Given extends Bounds {
  readonly json: boolean
}

/** One more than is printed shows whether there are more. */
const mostOf = ({ all, limit }: Bounds): number => (all ? Number.POSITIVE_INFINITY : limit + 1)

const withinBounds = <Item>(found: ReadonlyArray<Item>, { all, limit }: Bounds) => {
  const isCut = !all && found.length > limit
  return { isCut, items: isCut ? found.slice(0, limit) : found }
}

/** Says how more is listed. */
export const hint = ({ limit }: Bounds, of = ""): Effect.Effect<void> =>
  Output.note(`These are the first ${limit}${of}: --limit <number> or --all lists more.`)

/** The query parameters of a page. */
export interface PageRequest {
  readonly page_size: string
  readonly page?: string
}

const MOST = 100

/**
 * Reads items, at most as many as it is asked for, and prints them. The columns of the table are
 * the fields of `row`: those of `first`, by their importance, then all others. JSON is printed
 * while it is read; a table needs all rows for its widths.
 */
const printItems = <Item, Row extends Output.Row, R>(
  given: Given,
  read: <A>(
    most: number,
    use: (items: Stream.Stream<Item, unknown>) => Effect.Effect<A, unknown>
  ) => Effect.Effect<A, CommandFailed, R>,
  row: (item: Item) => Row,
  first: ReadonlyArray<keyof Row & string>
) =>
  Effect.gen(function* () {
    if (given.json) {
      const line = (item: Item) => Output.print(JSON.stringify(item))
      const most = given.all ? Number.POSITIVE_INFINITY : given.limit
      return yield* read(most, (items) => Stream.runForEach(items, line))
    }
    const { isCut, items } = withinBounds(yield* read(mostOf(given), Stream.runCollect), given)
    if (items.length === 0) return yield* Output.note("There are none.")
    const { width } = yield* Effect.service(Output.Output)
    yield* Output.print(Output.table(items.map(row), width, first))
    if (isCut) yield* hint(given)
  })

const paged = <Item, E>(
  pages: (page: PageRequest) => Effect.Effect<Client.Page<Item>, E>,
  most: number,
  longestPage: number
) => {
  const page_size = String(Math.min(longestPage, most))
  return Stream.take(
    Client.stream((page) => pages({ page_size, ...page })),
    most
  )
}

/** The first items of a list that comes in pages, and whether there are more. */
export const first = <Item, E>(bounds: Bounds, pages: (page: PageRequest) => Effect.Effect<Client.Page<Item>, E>) =>
  Effect.map(Stream.runCollect(paged(pages, mostOf(bounds), MOST)), (found) => withinBounds(found, bounds))

/** Prints a list that comes in pages. It reads what it prints, and for a table one item more. */
export const print = <Item, Row extends Output.Row>(
  connection: Connection,
  given: Given,
  pages: (client: Client.Client, page: PageRequest) => Effect.Effect<Client.Page<Item>, unknown>,
  row: (item: Item) => Row,
  first: ReadonlyArray<keyof Row & string>,
  longestPage = MOST
) =>
  printItems(
    given,
    (most, use) => Calls.call(connection, (client) => use(paged((page) => pages(client, page), most, longestPage))),
    row,
    first
  )

/** How deep the items are in `{"error":false,"data":[…]}`. */
const DEPTH = 2

/**
 * Takes the text of the answer piece by piece. `take` gives what of the piece belongs to the cut
 * answer, which is whole once `isCut` says so.
 */
const scanner = (limit: number) => {
  const walk = JsonElements.walker()
  let items = 0
  let isCut = false

  const take = (piece: string): string => {
    let taken = piece
    walk(piece, (code, at, depth) => {
      isCut = code === JsonElements.COMMA && depth === DEPTH && ++items === limit
      if (isCut) taken = `${piece.slice(0, at)}]}`
      return isCut
    })
    return taken
  }

  return { take, isCut: () => isCut }
}

const cut = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.suspend(() => {
    if (response.status !== 200) return Effect.succeed(response)
    const { isCut, take } = scanner(limit)
    const pieces = response.stream.pipe(Stream.decodeText, Stream.map(take), Stream.takeUntil(isCut), Stream.mkString)
    return Effect.map(pieces, (text) => {
      const { headers, status } = response
      return HttpClientResponse.fromWeb(response.request, new Response(text, { status, headers }))
    })
  })

/**
 * The client with answers that are lists (`{"error":false,"data":[…]}`) cut after `limit` items, at
 * least 1. The connection of an answer that was cut is closed.
 */
const cutAfter = (client: HttpClient.HttpClient, limit: number): HttpClient.HttpClient =>
  HttpClient.transformResponse(client, (answer) => Effect.flatMap(answer, (response) => cut(response, limit)))

/** Prints a list that comes as a whole. What is not printed is not read. */
export const printWhole = <Item, Row extends Output.Row>(
  connection: Connection,
  given: Given,
  items: (client: Client.Client) => Effect.Effect<{ readonly data: ReadonlyArray<Item> }, unknown>,
  row: (item: Item) => Row,
  first: ReadonlyArray<keyof Row & string>
) =>
  printItems(
    given,
    (most, use) =>
      Calls.call(
        connection,
        (client) => use(Stream.fromIterableEffect(Effect.map(items(client), ({ data }) => data))),
        (http) => (most === Number.POSITIVE_INFINITY ? http : cutAfter(http, most))
      ),
    row,
    first
  )

/** Prints the list that belongs to a record, below it. */
export const section = <Row extends Output.Row>(
  title: string,
  rows: ReadonlyArray<Row>,
  first: ReadonlyArray<keyof Row & string> = []
): Effect.Effect<void> =>
  rows.length === 0
    ? Effect.void
    : Effect.flatMap(Output.Output, ({ width }) => Output.print(`\n${title}\n${Output.table(rows, width, first)}`))
