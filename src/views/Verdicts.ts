/**
 * Why a SIM works or does not, as hosts, callers and pages see it (rule L5).
 */
import * as Rules from "../domain/Verdict.ts"
import * as VerdictSummary from "../domain/VerdictSummary.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, nullOr } = View

export const VerdictReason = View.answer("VerdictReason", "What holds of a SIM, and what to do next", {
  code: field(View.oneOf(Rules.precedence, "VerdictCode"), "What holds, for programs", "data_used"),
  message: field(
    View.text,
    "The same for people, in whole sentences, the last of which is what to do next",
    "It has no service: all data of the plan Sweden 1 GB is used. Add a plan to the SIM."
  ),
  nextStep: field(View.oneOf(VerdictSummary.nextSteps, "NextStep"), "What to do next, for programs", "top_up"),
  at: field(
    nullOr(instant),
    "Since when it is so, until when it works, or when it goes on; null: at no instant that is known",
    null
  ),
  attachmentId: View.named(
    { on: "plan_attachment_id" },
    field(nullOr(View.id), "The attachment that it is about; null: it is about none", Samples.attachmentId)
  ),
  movedTo: field(nullOr(View.text), "The ICCID of the SIM that its subscription has moved to; null: of none", null)
})

export const Verdict = View.answer("Verdict", "Why a SIM works or does not", {
  works: field(
    nullOr(View.boolean),
    "Whether a phone with the SIM has data now, as far as the service knows; null: the telco has not confirmed what it " +
      "was asked for",
    false
  ),
  reason: field(View.nested(VerdictReason), "Why it works or does not, and what to do next")
})

export const verdictOf = (verdict: Rules.Verdict): View.Of<typeof Verdict> => {
  const { works, ...reason } = VerdictSummary.summary(verdict)
  return { works, reason }
}
