/**
 * The states of an attachment as a coloured band.
 */
import type { Time } from "simplan"
import type { Attachment } from "simplan/ports"
import type { Course } from "../play/History.ts"
import * as Wording from "../output/Wording.ts"
import * as Figure from "./Figure.ts"
import * as Svg from "./Svg.ts"

/** The names of the states in the style sheet. */
export const classes = {
  CREATED: "created",
  PENDING_FOR_FIRST_USE: "pending",
  ACTIVE: "active",
  SUSPENDED: "suspended",
  EXPIRED: "expired"
} as const satisfies Record<Attachment.State, string>

const HEIGHT = 20

const band = (
  figure: Figure.Figure,
  y: number,
  state: Attachment.State,
  from: Time.Instant,
  to: Time.Instant,
  isLast: boolean
): Svg.Markup => {
  const x = figure.scale.x(from)
  const width = Math.max(1, figure.scale.x(to) - x)
  const name = classes[state]
  const fits = Svg.widthOf(state, 10) + 22 < width
  return Figure.withDetails(
    figure,
    [state, isLast ? `since ${Wording.instant(from)}` : `${Wording.instant(from)} to ${Wording.instant(to)}`],
    Svg.rect({ x, y, width, height: HEIGHT }, { class: `tl-${name}`, rx: Math.min(3, width / 2) }),
    fits ? Svg.text(x + 7, y + 13.5, state, { class: `tl-${name}-ink` }) : ""
  )
}

export const part = (figure: Figure.Figure, { removedAt, states }: Course): Figure.Part => ({
  height: HEIGHT,
  draw: (y) =>
    states
      .map(({ from, state }, index) => {
        const next = states[index + 1]?.from
        return band(figure, y, state, from, next ?? removedAt ?? Figure.edge(figure), next === undefined)
      })
      .join("")
})
