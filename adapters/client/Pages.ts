/**
 * The items of a list that comes in pages: as a Stream of Effect, or as an async iterable. The next page is asked for
 * when the items of the one before were taken.
 */
import { Effect, Option, Stream } from "effect"

/** A page, as every list in pages is answered. */
export interface Page<Item> {
  /** The items of this page, in the order of the list. */
  readonly data: ReadonlyArray<Item>
  /** What to send as `page` for the next one; null: this is the last. */
  readonly next_page: string | null
}

/** A request for a page. */
export interface PageRequest {
  readonly query: { readonly page?: string }
}

/**
 * All items, as a Stream. `list` is called with the query parameter of each page:
 * `stream((page) => client.sims.list({ query: { ...page, label: "Green" } }))`.
 */
export const stream = <Item, E, R>(
  list: (page: PageRequest["query"]) => Effect.Effect<Page<Item>, E, R>
): Stream.Stream<Item, E, R> =>
  Stream.paginate<PageRequest["query"], Item, E, R>({}, (asked) =>
    Effect.map(list(asked), ({ data, next_page }) => [
      data,
      Option.map(Option.fromNullishOr(next_page), (page) => ({ page }))
    ])
  )

/**
 * All items from the requested page on, as an async iterable. A list that comes whole, which JavaScript can pass, is one
 * page.
 */
export async function* items<Request extends PageRequest, Item>(
  list: (request: Request) => Promise<Page<Item>>,
  request: Request
): AsyncGenerator<Item, void> {
  let asked = request
  for (;;) {
    const { data, next_page } = await list(asked)
    yield* data
    if (typeof next_page !== "string") return
    asked = { ...asked, query: { ...asked.query, page: next_page } }
  }
}
