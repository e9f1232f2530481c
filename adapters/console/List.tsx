/**
 * A list of the API. Its first rows are read again by themselves. More are read when its end comes
 * into sight, or by a button; how many there are then is the field `rows` of the URL, so that back
 * leads to as many.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Location from "./Location.ts"
import * as View from "./View.tsx"

/** How many rows are read at once, after the first ones. */
const STEP = 100

type Pages<Item> = ReadonlyArray<Api.Page<Item>>

const countOf = (pages: Pages<unknown>): number => pages.reduce((sum, { data }) => sum + data.length, 0)

/** The address of a page. A list whose pages have a size of their own says so itself. */
const pageOf = (path: string, after: string | null, isFirst: boolean): string => {
  const asked = [
    ...(isFirst || path.includes("page_size=") ? [] : [`page_size=${STEP}`]),
    ...(after === null ? [] : [`page=${encodeURIComponent(after)}`])
  ].join("&")
  return asked === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${asked}`
}

/** Reads pages until they have so many rows. */
const readAll = async <Item,>(path: string, rows: number): Promise<Pages<Item>> => {
  const pages: Array<Api.Page<Item>> = [await Api.page<Item>(pageOf(path, null, true))]
  // A page may be empty while another one follows.
  let next = pages[0]?.next_page ?? null
  while (next !== null && countOf(pages) < Math.max(1, rows)) {
    const page: Api.Page<Item> = await Api.page<Item>(pageOf(path, next, false))
    pages.push(page)
    next = page.next_page
  }
  return pages
}

interface Properties<Item, Row> {
  readonly label: string
  readonly path: string
  readonly columns: (again: () => void) => ReadonlyArray<View.Column<Row>>
  /** The rows of the items of a page. */
  readonly together: (items: ReadonlyArray<Item>) => ReadonlyArray<Row>
  readonly empty: string
}

/** A list whose rows are its items. */
export const List = <Item,>(properties: Omit<Properties<Item, Item>, "together">) => (
  <Grouped<Item, Item> {...properties} together={asTheyAre} />
)

const asTheyAre = <Item,>(items: ReadonlyArray<Item>): ReadonlyArray<Item> => items

/** A list some of whose items are one row together. */
export const Grouped = <Item, Row>({ columns, empty, label, path, together }: Properties<Item, Row>) => {
  const wanted = useRef({ path: "", rows: 0 })
  if (wanted.current.path !== path) wanted.current = { path, rows: Number(Location.field("rows")) }
  const [later, setLater] = useState<Pages<Item>>([])
  const [failed, fail] = useState<string | null>(null)
  const isReading = useRef(false)
  const end = useRef<HTMLParagraphElement>(null)
  const isLong = wanted.current.rows > 0
  const { again, data, failure } = View.useReading(
    path,
    () => readAll<Item>(path, wanted.current.rows),
    isLong ? null : undefined
  )
  const pages = data === undefined ? [] : [...data, ...later]
  const next = pages.at(-1)?.next_page ?? null

  // What was read again has the rows that were read later.
  useEffect(() => setLater([]), [data])

  const more = async (): Promise<void> => {
    if (next === null || isReading.current) return
    isReading.current = true
    try {
      const page = await Api.page<Item>(pageOf(path, next, false))
      wanted.current = { path, rows: countOf(pages) + page.data.length }
      Location.replace({ rows: String(wanted.current.rows) })
      setLater((before) => [...before, page])
      fail(null)
    } catch (error) {
      fail(Api.sentenceOf(error))
    }
    isReading.current = false
  }

  useEffect(() => {
    if (end.current === null || next === null) return undefined
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true && window.scrollY > 0) void more()
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [next])

  // A filter that was just typed changes the list when another thing is clicked: what is clicked
  // stays where it is until then.
  const held = useRef<Pages<Item>>([])
  if (!View.pressed.value) held.current = pages
  const [first, ...others] = View.pressed.value && held.current.length > 0 ? held.current : pages
  return (
    <>
      <View.Failure>{failure ?? failed}</View.Failure>
      {first === undefined ? (
        failure === null && <p class="empty">Reading …</p>
      ) : (
        <View.Table
          label={label}
          columns={columns(again)}
          items={together(first.data)}
          more={others.map((page) => together(page.data))}
          empty={empty}
        />
      )}
      <p class="pages" ref={end}>
        {next !== null && (
          <button type="button" onClick={() => void more()}>
            Show more
          </button>
        )}
      </p>
    </>
  )
}
