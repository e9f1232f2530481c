/**
 * Elements of the page: finds and creates them, and converts instants to the values of date-time
 * pickers, in UTC.
 */
import { Time } from "simplan"

type Constructor<E> = abstract new () => E

/** The element of a selector and type; throws if the page has none. */
export const find = <E extends Element>(selector: string, kind: Constructor<E>, within: ParentNode = document): E => {
  const found = within.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${kind.name} ${selector}`)
}

/** An element with its attributes and content. */
export const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...content: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...content)
  return element
}

/** Starts a download. */
export const offer = (name: string, type: string, content: string): void => {
  const url = URL.createObjectURL(new Blob([content], { type }))
  make("a", { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** The picker's value of an instant. */
export const toPicker = (at: Time.Instant): string => Time.toIso(at).slice(0, 16)

/** The RFC 3339 text of a picker's value; undefined if it is empty. */
export const fromPicker = (value: string): string | undefined => {
  if (value === "") return undefined
  return value.length === 16 ? `${value}:00Z` : `${value}Z`
}

/** The instant of a picker's value; undefined if it is empty. */
export const instantOf = (value: string): Time.Instant | undefined => {
  const text = fromPicker(value)
  return text === undefined ? undefined : Time.fromIso(text)
}
