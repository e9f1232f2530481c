/**
 * What the parts of a drawing share: the time scale, and how a thing tells about itself.
 */
import type { Time } from "simplan"
import type { History } from "../play/History.ts"
import * as Svg from "./Svg.ts"
import type * as TimeScale from "./TimeScale.ts"

export interface Figure {
  readonly history: History
  readonly scale: TimeScale.TimeScale
  readonly width: number
  /**
   * Whether the page shows details of its own: things carry them as `data-tip` and can be gone through with the arrow
   * keys. Elsewhere they have a title, which viewers show.
   */
  readonly interactive: boolean
}

/** A part of a drawing: how high it is, and its markup where it begins at `y`. */
export interface Part {
  readonly height: number
  readonly draw: (y: number) => Svg.Markup
}

/** A thing with its details, a line each. */
export const telling = (figure: Figure, details: ReadonlyArray<string>, ...children: ReadonlyArray<Svg.Markup>) =>
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

/** The last instant that is drawn: what holds at the end goes on to the edge. */
export const edge = ({ scale }: Figure): Time.Instant => scale.to
