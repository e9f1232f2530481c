/** Filters that the browser keeps under names, for each list, to be used again. */
import { useState } from "preact/hooks"
import * as Location from "./Location.ts"
import * as View from "./View.tsx"

interface Saved {
  readonly name: string
  readonly fields: Readonly<Record<string, string>>
}

/** Where the browser keeps those of a page. */
const placeOf = (page: string): string => `simplan.filters.${page}`

/** What is no filter: a saved one is for each organization. */
const OTHERS = ["page", "of", "rows"]

const isSaved = (one: unknown): one is Saved =>
  typeof one === "object" && one !== null && "name" in one && "fields" in one && typeof one.name === "string"

/** What cannot be read was kept by somebody else. */
const read = (page: string): ReadonlyArray<Saved> => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(page)) ?? "[]")
    return Array.isArray(kept) ? kept.filter(isSaved) : []
  } catch {
    return []
  }
}

/** The fields of the URL that are set. */
const current = (): Readonly<Record<string, string>> =>
  Object.fromEntries([...Location.query.value].filter(([name, value]) => !OTHERS.includes(name) && value !== ""))

export const Filters = () => {
  const page = Location.field("page")
  const [saved, set] = useState(() => read(page))
  const [name, setName] = useState("")
  const keep = (next: ReadonlyArray<Saved>): void => {
    localStorage.setItem(placeOf(page), JSON.stringify(next))
    set(next)
  }
  const others = (of: string): ReadonlyArray<Saved> => saved.filter((one) => one.name !== of)
  const fields = current()
  return (
    <details class="saved">
      <summary>Saved filters{saved.length === 0 ? "" : ` (${saved.length})`}</summary>
      <ul class="choices" aria-label="Saved filters">
        {saved.map((one) => (
          <li key={one.name}>
            <View.Link to={{ page, of: Location.field("of"), ...one.fields }}>
              <View.Text>{one.name}</View.Text>
            </View.Link>
            <button type="button" aria-label={`Forget ${one.name}`} onClick={() => keep(others(one.name))}>
              Forget
            </button>
          </li>
        ))}
      </ul>
      {saved.length === 0 && Object.keys(fields).length === 0 && (
        <p class="empty">Fill in a filter to save it under a name.</p>
      )}
      {Object.keys(fields).length > 0 && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            keep([...others(name.trim()), { name: name.trim(), fields }])
            setName("")
          }}
        >
          <label htmlFor="filter-name">Save what is shown as</label>{" "}
          <input
            id="filter-name"
            required
            maxLength={60}
            pattern=".*\S.*"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />{" "}
          <button type="submit">Save</button>
        </form>
      )}
    </details>
  )
}
