/**
 * The date axis below the drawing, its grid, and the line at the start of the scenario.
 */
import type * as Figure from "./Figure.ts"
import * as Svg from "./Svg.ts"
import * as TimeScale from "./TimeScale.ts"

/** The width for one label. */
const ROOM = 62

/** The labels of a tick, within the drawing. */
const labels = (figure: Figure.Figure, { at, label, year }: TimeScale.Tick, y: number): Svg.Markup => {
  const half = Svg.widthOf(label) / 2
  const x = Math.min(Math.max(figure.scale.x(at), half), figure.width - half)
  const attributes = { class: "tl-muted", "text-anchor": "middle" }
  return Svg.text(x, y + 14, label, attributes) + (year === null ? "" : Svg.text(x, y + 27, year, attributes))
}

/** The grid from `top` to `bottom`, and the labels below it. */
export const draw = (figure: Figure.Figure, top: number, bottom: number): Svg.Markup => {
  const { history, scale } = figure
  const [left, right] = [scale.x(scale.from), scale.x(scale.to)]
  const start = scale.x(history.start)
  const ticks = TimeScale.ticks(scale, right - left, ROOM)
  return [
    ...ticks.map((tick) => Svg.line(scale.x(tick.at), top, scale.x(tick.at), bottom, "tl-rule")),
    ...ticks.map((tick) => labels(figure, tick, bottom)),
    Svg.line(left, bottom, right, bottom, "tl-rule"),
    Svg.line(start, top, start, bottom, "tl-guide")
  ].join("")
}

/** The height of the labels. */
export const HEIGHT = 34
