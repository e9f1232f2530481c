/**
 * Which SIMs subscriptions have moved between (rule S8), as hosts, callers and pages see it.
 */
import * as Rules from "../domain/Moves.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, nested, nullOr } = View

export const SimMove = View.answer("SimMove", "A subscription that has moved from one SIM to another (rule S8)", {
  iccid: field(View.text, "The ICCID of the other SIM", Samples.replacedIccid),
  subscriptionId: field(View.id, "The subscription that has moved", Samples.subscriptionId),
  at: field(View.instant, "When it moved", Samples.used)
})

export const SimMoves = View.answer("SimMoves", "The SIM that another one has replaced, and the one that replaces it", {
  replaces: field(
    nullOr(nested(SimMove)),
    "The SIM that a subscription has come from, the last one; it stays for good. Null: none has come",
    null
  ),
  replacedBy: field(
    nullOr(nested(SimMove)),
    "The SIM that a subscription has left for, the last one; it stays for good, also once the SIM is sold again. Null: " +
      "none has left",
    null
  )
})

const shape = ({ at, subscriptionId }: Rules.Move, iccid: string) => ({ iccid, subscriptionId, at })

export const movesOf = (sim: Pick<Rules.OnSim, "iccid" | "moves">): View.Of<typeof SimMoves> => {
  const [here, away] = [Rules.here(sim), Rules.away(sim)]
  return {
    replaces: here === null ? null : shape(here, here.from),
    replacedBy: away === null ? null : shape(away, away.to)
  }
}
