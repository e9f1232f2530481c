/**
 * The state of the console in the query of its URL, such as `?page=deliveries&status=failed`. It holds below any prefix, survives a
 * reload, and the browser's back button leads through it.
 */
import { signal } from "@preact/signals"

const current = (): URLSearchParams => new URLSearchParams(window.location.search)

/** The query of the URL. */
export const query = signal(current())

window.addEventListener("popstate", () => {
  query.value = current()
})

/** The address of a state. An empty text leaves a field out. */
export const href = (fields: Readonly<Record<string, string>>): string => {
  const filled = Object.entries(fields).filter(([, value]) => value !== "")
  return `?${new URLSearchParams(filled)}`
}

/** Goes to a state. */
export const go = (fields: Readonly<Record<string, string>>): void => {
  window.history.pushState(null, "", href(fields))
  query.value = current()
}

/** Changes some fields, as a step back of its own. */
export const change = (fields: Readonly<Record<string, string>>): void =>
  go({ ...Object.fromEntries(query.value), ...fields })

/** The text of a field; empty where there is none. */
export const field = (name: string): string => query.value.get(name) ?? ""
