/**
 * The keyboard: `/` leads to the search and selects its text, the arrows through the rows that are
 * found, and the focus is never lost. If what had it is gone, its table gets it, or the page.
 */

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)

const searchField = (): HTMLElement | null => document.querySelector<HTMLElement>("[data-search]")

/** The first link of each row. */
const ways = (): ReadonlyArray<HTMLElement> =>
  Array.from(document.querySelectorAll("main tbody tr"), (row) => row.querySelector("a")).filter(
    (link) => link !== null
  )

/** What the arrow leads to from here; null if it leads nowhere. */
const beside = (from: EventTarget | null, step: 1 | -1): HTMLElement | null => {
  const field = searchField()
  const links = ways()
  if (from === field) return step === 1 ? (links[0] ?? null) : null
  const row = from instanceof Element && from.tagName === "A" ? from.closest("main tbody tr") : null
  const at = links.findIndex((link) => row?.contains(link) === true)
  if (at < 0) return null
  return at + step < 0 ? field : (links[at + step] ?? null)
}

const pressed = (event: KeyboardEvent): HTMLElement | null => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null
  if (event.key === "/") return isTyping(event.target) ? null : searchField()
  if (event.key === "ArrowDown") return beside(event.target, 1)
  return event.key === "ArrowUp" ? beside(event.target, -1) : null
}

/** Begins to go by the keys, and to keep the focus. */
export const follow = (): void => {
  document.addEventListener("keydown", (event) => {
    const target = pressed(event)
    if (target === null) return
    event.preventDefault()
    target.focus()
    // What is typed next takes the place of the search before.
    if (target instanceof HTMLInputElement) target.select()
  })
  let [last, table]: [Element | null, HTMLElement | null] = [null, null]
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null
    table = last?.closest<HTMLElement>(".scrolls") ?? null
  })
  new MutationObserver(() => {
    if (last === null || last.isConnected) return
    last = null
    if (document.activeElement !== null && document.activeElement !== document.body) return
    const kept = table?.isConnected === true ? table : document.querySelector<HTMLElement>("main")
    kept?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}
