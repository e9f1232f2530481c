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
import * as Times from "./Times.tsx"
import type { Tone } from "./Words.ts"

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

export const Time = Times.Time

/** How many of an id's last digits tell it apart: the first ones are those of its time. */
const LAST = 8

/** A text that was copied last, by this, and what copies one. */
const useCopying = () => {
  const [copied, setCopied] = useState("")
  const copy = (text: string): void => {
    // There is none where the page came without TLS.
    if ("clipboard" in navigator)
      navigator.clipboard.writeText(text).then(
        () => setCopied(text),
        () => undefined
      )
  }
  return { copied, copy }
}

/** A button that copies a text. */
export const Copy = ({ name, of }: { readonly of: string; readonly name: string }) => {
  const { copied, copy } = useCopying()
  if (!("clipboard" in navigator)) return null
  const does = copied === of ? "Copied" : "Copy"
  return (
    <button type="button" class="copies" aria-label={`${does} the ${name}`} onClick={() => copy(of)}>
      {does}
    </button>
  )
}

/** An id: its end, and all of it after a click, which also copies it. */
export const Id = ({ children: id }: { readonly children: string | number }) => {
  const [opened, open] = useState("")
  const { copied, copy } = useCopying()
  const text = String(id)
  const isShort = text !== opened && text.length > LAST * 3
  return (
    <button
      type="button"
      class="id copies"
      title={text}
      onClick={() => {
        open(text)
        copy(text)
      }}
    >
      <code class={isShort ? "short" : ""}>{isShort ? `…${text.slice(-LAST)}` : text}</code>
      {text === copied && " copied"}
    </button>
  )
}

/** A state in a word. */
export const State = ({ children, tone }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`state ${tone}`}>{children}</span>
)

/** What there is nothing to say of: cards leave it out. */
const none = <span class="none">–</span>

/** A text of somebody, which may be of any direction and length. */
export const Text = ({ children }: { readonly children: string | null }) =>
  children === null ? none : <bdi>{children}</bdi>

/** The tags of a SIM (rule I14). */
export const Tags = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : (
    <ul class="tags" aria-label="Tags">
      {of.map((tag) => (
        <li key={tag}>
          <bdi>{tag}</bdi>
        </li>
      ))}
    </ul>
  )

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
  /** What a cell shows; null: there is nothing to say. */
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
              <td key={title} data-label={title}>
                {of(item) ?? none}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    )
  }
}

/** What scrolls by itself if it is too wide. Then it is a tab stop, too. */
export const Scrolls = ({
  children,
  kind = "",
  label
}: {
  readonly label: string
  /** The class of what it has. */
  readonly kind?: string
  readonly children: ComponentChildren
}) => {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    const of = element.current
    if (of === null) return undefined
    const observer = new ResizeObserver(() => {
      of.tabIndex = of.scrollWidth > of.clientWidth ? 0 : -1
    })
    for (const one of [of, ...of.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [])
  return (
    <section class={`scrolls ${kind}`} ref={element} aria-label={label} tabIndex={-1}>
      {children}
    </section>
  )
}

/**
 * A table: cards on a phone or a tablet, unless it is slim. `more`: rows that follow, in groups.
 */
export const Table = <Item,>({
  columns,
  empty,
  isSlim,
  items,
  label,
  more = []
}: RowsProperties<Item> & {
  readonly isSlim?: true
  readonly label: string
  readonly empty: string
  readonly more?: ReadonlyArray<ReadonlyArray<Item>>
}) =>
  items.length === 0 && more.length === 0 ? (
    <p class="empty">{empty}</p>
  ) : (
    <Scrolls label={label} kind={isSlim === true ? "" : "cards"}>
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
    </Scrolls>
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
  label,
  name
}: {
  readonly label: string
  /** What it does, if the label tells that only beside what is before it. */
  readonly name?: string
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
      <button type="button" aria-label={name} aria-disabled={state.busy} onClick={() => void act()}>
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
