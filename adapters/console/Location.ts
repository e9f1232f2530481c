/**
 * The state of the console in the query of its URL, such as `?page=deliveries&status=failed`. It
 * holds below any prefix, survives a reload, and the browser's back button leads through it.
 */
import { signal } from "@preact/signals"

const current = (): URLSearchParams => new URLSearchParams(window.location.search)

/** The query of the URL. */
export const query = signal(current())

// What is shown is read first: the browser would lead back to a place that is not there yet.
window.history.scrollRestoration = "manual"

const leftAt = (): number => {
  const state: unknown = window.history.state
  return typeof state === "object" && state !== null && "top" in state ? Number(state.top) : 0
}

/** How far down the page that is led back to was left; 0 once it is there. */
let top = leftAt()

/** Keeps with the state that is shown how far down it is. */
const leave = (): void => window.history.replaceState({ top: window.scrollY }, "")

window.addEventListener("pagehide", leave)
window.addEventListener("popstate", () => {
  top = leftAt()
  window.scrollTo(0, 0)
  query.value = current()
})

/** Scrolls to where the page was left, once what it shows reaches that far. */
export const restore = (): void => {
  if (top === 0 || document.documentElement.scrollHeight - window.innerHeight < top) return
  window.scrollTo(0, top)
  top = 0
}

/** The address of a state. An empty text leaves a field out. */
export const href = (fields: Readonly<Record<string, string>>): string => {
  const filled = Object.entries(fields).filter(([, value]) => value !== "")
  return `?${new URLSearchParams(filled)}`
}

/** Goes to a state. Another page begins at its top; back leads to where this one was left. */
export const go = (fields: Readonly<Record<string, string>>): void => {
  const isOther = (fields["page"] ?? "") !== field("page")
  leave()
  top = 0
  window.history.pushState(null, "", href(fields))
  if (isOther) window.scrollTo(0, 0)
  query.value = current()
}

/** Changes some fields of the state that is shown, which is no step. */
export const replace = (fields: Readonly<Record<string, string>>): void => {
  window.history.replaceState(window.history.state, "", href({ ...Object.fromEntries(query.value), ...fields }))
  query.value = current()
}

/** Changes some fields, as a step back of its own. */
export const change = (fields: Readonly<Record<string, string>>): void =>
  go({ ...Object.fromEntries(query.value), ...fields })

/** The text of a field; empty if there is none. */
export const field = (name: string): string => query.value.get(name) ?? ""
