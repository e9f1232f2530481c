/**
 * The business clock, which can be moved where it is virtual.
 */
import { Effect } from "effect"
import { Refusal } from "simplan/ports"
import { Clock as Views, View } from "simplan/views"
import { TimeSpan } from "../fields/index.ts"
import * as Operation from "./Operation.ts"

const refused = (field: string, message: string) => Effect.fail(new Refusal.InvalidField({ field, message }))

const moved = ({ clock }: Operation.Services, { by, to }: View.Of<typeof Views.Advance>) => {
  if ((to === undefined) === (by === undefined)) return refused("to", "or by must be given, and not both")
  if (to !== undefined) return clock.advanceTo(to)
  const span = TimeSpan.millis(by ?? "")
  return span === undefined ? refused("by", "must be a duration such as 12 hours") : clock.advanceBy(span)
}

export const clock = {
  read: Operation.item({
    route: "GET /clock",
    request: View.nothing,
    answer: Views.ClockReading,
    role: "read",
    title: "Read the business clock",
    text: "The time that all rules go by, which may be virtual.",
    call: ({ clock }) => clock.read
  }),
  advance: Operation.item({
    route: "POST /clock/advance",
    request: Views.Advance,
    answer: Views.MovedClock,
    role: "admin",
    isOfService: true,
    errors: ["clock_is_system", "clock_advancing"],
    title: "Move a virtual clock and do all work that falls due",
    text:
      "Moves a virtual clock from due instant to due instant, and answers when all work that was due by then is " +
      "done. Exactly one of `to` and `by` is given.",
    call: (services, advance) => Effect.map(moved(services, advance), (now) => ({ now }))
  })
}
