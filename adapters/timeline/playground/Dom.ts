/**
 * Finds and creates elements of the page.
 */

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
