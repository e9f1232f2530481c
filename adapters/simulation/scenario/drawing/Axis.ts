/**
 * The date axis below the drawing, its grid, and the line at which the scenario starts.
 */
import type * as Figure from "./Figure.ts"
import * as Svg from "./Svg.ts"
import * as TimeScale from "./TimeScale.ts"

const ROOM = 62

/** The grid from `top` to `bottom`, and the names of its instants below. */
export const draw = (figure: Figure.Figure, top: number, bottom: number): Svg.Markup => {
  const { history, scale } = figure
  const [left, right] = [scale.x(scale.from), scale.x(scale.to)]
  const start = scale.x(history.start)
  const ticks = TimeScale.ticks(scale, right - left, ROOM)
  return [
    ...ticks.flatMap(({ at, label, year }) => [
      Svg.line(scale.x(at), top, scale.x(at), bottom, "tl-rule"),
      Svg.text(scale.x(at), bottom + 14, label, { class: "tl-muted", "text-anchor": "middle" }),
      year === null ? "" : Svg.text(scale.x(at), bottom + 27, year, { class: "tl-muted", "text-anchor": "middle" })
    ]),
    Svg.line(left, bottom, right, bottom, "tl-rule"),
    Svg.line(start, top, start, bottom, "tl-guide")
  ].join("")
}

/** How much room the names below the axis take. */
export const HEIGHT = 34
