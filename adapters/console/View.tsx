/**
 * What the pages have in common: links, times, tables, buttons, and what is read again by itself.
 *
 * It is polled. An event stream would hold a connection for each open page, pass through fewer
 * proxies, and save nothing: what is shown is measured on demand, and not by event.
 */
import { signal } from "@preact/signals"
import { Component, type ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Location from "./Location.ts"

/** How often what a page shows is read again, in milliseconds. */
const EVERY = 5_000

/** How often what costs the database more is read again: the first page, which stays open. */
export const SELDOM = 15_000

export const Link = ({
  children,
  current,
  to
}: {
  readonly to: Readonly<Record<string, string>>
  readonly current?: boolean
  readonly children: ComponentChildren
}) => (
  <a
    href={Location.href(to)}
    aria-current={current === true ? "page" : undefined}
    onClick={(event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      Location.go(to)
    }}
  >
    {children}
  </a>
)

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000]
] as const

/** A text of the browser's language and direction inside one of ours. */
const isolated = (text: string): string => `\u2068${text}\u2069`

/** A time in UTC, with the local one below it in tables, and with the time since then. */
export const Time = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <span>–</span>
  const date = new Date(at)
  const local = date.toLocaleString()
  const since = date.getTime() - Api.now()
  const [unit, millis] = UNITS.find(([, length]) => Math.abs(since) >= length) ?? ["second", 1_000]
  const ago = new Intl.RelativeTimeFormat("en").format(Math.trunc(since / millis), unit)
  return (
    <>
      <time dateTime={at} title={`${isolated(local)} local, ${ago}`}>
        {at.slice(0, 19).replace("T", " ")}
      </time>
      {date.getTimezoneOffset() !== 0 && (
        <span class="local">
          <bdi>{local}</bdi> local
        </span>
      )}
    </>
  )
}

/** A text of somebody, which may be of any direction and length. */
export const Text = ({ children }: { readonly children: string | null }) => <bdi>{children ?? "–"}</bdi>

/** A number of things, such as "1 job" or "2 jobs". */
export const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** A count that goes up to a bound. */
export const upTo = (most: number, count: number): string => (count >= most ? `${most}+` : `${count}`)

/** Whether a pointer is down, until what it clicks has been clicked. */
export const pressed = signal(false)

const release = (): void => {
  setTimeout(() => {
    pressed.value = false
  })
}

document.addEventListener(
  "pointerdown",
  () => {
    pressed.value = true
  },
  true
)
for (const name of ["pointerup", "pointercancel", "dragend"]) document.addEventListener(name, release, true)
window.addEventListener("blur", release)

const refreshes = signal(0)

/** Has all that pages show read again, now. */
export const refresh = (): void => {
  refreshes.value += 1
}

/** What was read last, and why the last read failed. */
export interface Reading<Data> {
  readonly data: Data | undefined
  readonly failure: string | null
  readonly again: () => void
}

/**
 * Reads at once, and again by itself, unless it is large (`every` is null) or the page is hidden,
 * behind another one or on a locked phone. What was read stays while the next read is under way.
 */
export const useReading = <Data,>(
  key: string,
  read: () => Promise<Data>,
  every: number | null = EVERY
): Reading<Data> => {
  const [state, set] = useState<{ readonly key: string; readonly data?: Data; readonly failure: string | null }>({
    key,
    failure: null
  })
  const latest = useRef({ read, every })
  latest.current = { read, every }
  const [turn, next] = useState(0)
  const asked = refreshes.value
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const step = async (): Promise<void> => {
      try {
        const data = await latest.current.read()
        if (!isOver) set({ key, data, failure: null })
      } catch (error) {
        const failure = Api.sentenceOf(error)
        if (!isOver) set((before) => ({ ...(before.key === key ? before : { key }), failure }))
      }
      if (!isOver) timer = setTimeout(again, latest.current.every ?? EVERY)
    }
    const again = (): void => {
      if (latest.current.every === null) return
      if (document.hidden) document.addEventListener("visibilitychange", again, { once: true })
      else void step()
    }
    void step()
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", again)
    }
  }, [key, turn, asked])
  const data = state.key === key ? state.data : undefined
  useEffect(() => {
    if (data !== undefined) Location.restore()
  }, [data === undefined])
  return {
    data,
    failure: state.key === key ? state.failure : null,
    again: () => next((before) => before + 1)
  }
}

export interface Column<Item> {
  readonly title: string
  readonly of: (item: Item) => ComponentChildren
}

interface RowsProperties<Item> {
  readonly columns: ReadonlyArray<Column<Item>>
  readonly items: ReadonlyArray<Item>
}

const titlesOf = (columns: ReadonlyArray<Column<never>>): string => columns.map(({ title }) => title).join()

/**
 * Rows that are drawn again when they are others, or their columns are: a list may have thousands.
 */
class Rows<Item> extends Component<RowsProperties<Item> & { readonly isKept: boolean }> {
  override shouldComponentUpdate({
    columns,
    isKept,
    items
  }: RowsProperties<Item> & { readonly isKept: boolean }): boolean {
    return !isKept || items !== this.props.items || titlesOf(columns) !== titlesOf(this.props.columns)
  }

  override render() {
    const { columns, items } = this.props
    return (
      <tbody>
        {items.map((item, row) => (
          <tr key={row}>
            {columns.map(({ of, title }) => (
              <td key={title}>{of(item)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    )
  }
}

/** A table, which scrolls by itself on a narrow screen. `more`: rows that follow, in groups. */
export const Table = <Item,>({
  columns,
  empty,
  items,
  label,
  more = []
}: RowsProperties<Item> & {
  readonly label: string
  readonly empty: string
  readonly more?: ReadonlyArray<ReadonlyArray<Item>>
}) =>
  items.length === 0 && more.length === 0 ? (
    <p class="empty">{empty}</p>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section class="scrolls" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <Rows columns={columns} items={items} isKept={false} />
        {more.map((group, index) => (
          <Rows key={index} columns={columns} items={group} isKept />
        ))}
      </table>
    </section>
  )

export const Failure = ({ children }: { readonly children: string | null }) =>
  children === null ? null : (
    <p class="failure" role="alert">
      {children}
    </p>
  )

/**
 * A button that does something at the server, and says what came of it. Meanwhile it does nothing,
 * and keeps the focus.
 */
export const Action = ({
  does,
  done,
  label
}: {
  readonly label: string
  readonly does: () => Promise<unknown>
  readonly done: () => void
}) => {
  const [state, set] = useState<{ readonly busy: boolean; readonly failure: string | null }>({
    busy: false,
    failure: null
  })
  const act = async (): Promise<void> => {
    if (state.busy) return
    set({ busy: true, failure: null })
    try {
      await does()
      set({ busy: false, failure: null })
    } catch (error) {
      set({ busy: false, failure: Api.sentenceOf(error) })
    }
    done()
  }
  return (
    <span class="action">
      <button type="button" aria-disabled={state.busy} onClick={() => void act()}>
        {label}
      </button>
      <Failure>{state.failure}</Failure>
    </span>
  )
}

/** Gives the browser a file to store. */
export const download = (name: string, text: string, type = "text/csv;charset=utf-8"): void => {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
