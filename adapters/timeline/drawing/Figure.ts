/**
 * What the parts of a drawing share: the history, the time scale, and elements with details.
 */
import type { Time } from "simplan"
import type { History } from "../play/History.ts"
import * as Svg from "./Svg.ts"
import type * as TimeScale from "./TimeScale.ts"

export interface Figure {
  readonly history: History
  readonly scale: TimeScale.TimeScale
  readonly width: number
  /** Whether details are `data-tip` attributes for the page's tooltips. If not, they are titles, which viewers show. */
  readonly interactive: boolean
}

/** A part of a drawing: its height, and its markup from `y`. */
export interface Part {
  readonly height: number
  readonly draw: (y: number) => Svg.Markup
}

/** An element with details, one line each. */
export const withDetails = (figure: Figure, details: ReadonlyArray<string>, ...children: ReadonlyArray<Svg.Markup>) =>
  figure.interactive
    ? Svg.element(
        "g",
        {
          class: "tl-thing",
          tabindex: -1,
          role: "img",
          "aria-label": details.join(", "),
          "data-tip": details.join("\n")
        },
        ...children
      )
    : Svg.element("g", { class: "tl-thing" }, Svg.element("title", {}, Svg.escape(details.join("\n"))), ...children)

/** The last instant of the drawing, where open intervals end. */
export const edge = ({ scale }: Figure): Time.Instant => scale.to
