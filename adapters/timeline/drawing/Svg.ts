/**
 * SVG as text: elements with escaped attributes and rounded numbers.
 */

/** Escaped markup. */
export type Markup = string

type Attribute = string | number | undefined

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character)

/** A coordinate with at most one decimal. */
const short = (value: number): string => String(Math.round(value * 10) / 10)

/** An element without the undefined attributes. Children are markup, not text. */
export const element = (
  name: string,
  attributes: Readonly<Record<string, Attribute>>,
  ...children: ReadonlyArray<Markup>
): Markup => {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : escape(value ?? "")}"`)
    .join("")
  const content = children.join("")
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`
}

export const rect = (
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  attributes: Readonly<Record<string, Attribute>>
): Markup => element("rect", { ...box, ...attributes })

export const text = (x: number, y: number, content: string, attributes: Readonly<Record<string, Attribute>>): Markup =>
  element("text", { x, y, ...attributes }, escape(content))

export const line = (x1: number, y1: number, x2: number, y2: number, className: string): Markup =>
  element("line", { x1, y1, x2, y2, class: className })

/** A path through points, from left to right. */
export const polyline = (points: ReadonlyArray<readonly [x: number, y: number]>): string =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${short(x)} ${short(y)}`).join("")

/** An upper estimate of the width of a text, which cannot be measured here. */
export const widthOf = (content: string, size = 11): number => {
  let units = 0
  for (const character of content) {
    units += /[A-Z_%→]/.test(character) ? 0.74 : /[ilj.,:;'() ]/.test(character) ? 0.38 : 0.62
  }
  return units * size
}

/** The text in lines of at most `width`. */
export const wrap = (content: string, width: number, size: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of content.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= width) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(word)
  }
  return lines
}
