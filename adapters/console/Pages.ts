/** Lists that are read whole: page by page, as there may be more than a page has. */

interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_page: string | null
}

/** All items. `read` gets the query of a page. */
export const all = async <Item>(read: (query: string) => Promise<Page<Item>>): Promise<ReadonlyArray<Item>> => {
  const found: Array<Item> = []
  let query: string | null = "page_size=100"
  while (query !== null) {
    const { data, next_page }: Page<Item> = await read(query)
    found.push(...data)
    query = next_page === null ? null : `page_size=100&page=${encodeURIComponent(next_page)}`
  }
  return found
}
