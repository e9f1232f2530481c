/** The fields that narrow a list. Their values stand in the URL. */
import type { ComponentChildren } from "preact"
import * as Location from "./Location.ts"
import * as Saved from "./Saved.tsx"

/** The fields above a list, with those that were saved. */
export const Bar = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    <div class="filters">{children}</div>
    <Saved.Filters />
  </>
)

/** One of several values; the first one narrows nothing. */
export const Choice = ({
  choices,
  label,
  name
}: {
  readonly label: string
  readonly name: string
  readonly choices: ReadonlyArray<readonly [value: string, title: string]>
}) => (
  <div class="field">
    <label htmlFor={name}>{label}</label>
    <select
      id={name}
      value={Location.field(name)}
      onChange={({ currentTarget }) => Location.change({ [name]: currentTarget.value, rows: "" })}
    >
      {choices.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  </div>
)

/** A text, or a minute in UTC. */
export const Input = ({
  isTime,
  label,
  name
}: {
  readonly label: string
  readonly name: string
  readonly isTime?: true
}) => {
  const attributes = {
    id: name,
    value: Location.field(name),
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      Location.change({ [name]: currentTarget.value.trim(), rows: "" })
  }
  return (
    <div class="field">
      <label htmlFor={name}>{label}</label>
      {isTime === true ? <input type="datetime-local" {...attributes} /> : <input type="text" {...attributes} />}
    </div>
  )
}

/** What lists of SIMs and of subscriptions are narrowed by: its name in the API, and its field. */
const ofSims = {
  search: { label: "Find", name: "find" },
  label: { label: "Label", name: "label" },
  tag: { label: "Tag", name: "tag" }
} as const

/** The fields of both lists. */
export const OfSims = () => (
  <>
    {Object.values(ofSims).map(({ label, name }) => (
      <Input key={name} label={label} name={name} />
    ))}
  </>
)

/** The values of these fields, by their names in the API. */
export const fieldsOfSims = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(ofSims).map(([parameter, { name }]) => [parameter, Location.field(name)]))

/** The instant of a field that has a minute in UTC; empty if it has none. */
export const instant = (name: string): string => {
  const minute = Location.field(name)
  return minute === "" ? "" : `${minute}:00Z`
}
