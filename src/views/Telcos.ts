/**
 * The telcos of the settings file, as hosts and callers see them: the comparisons with their books
 * (rule S5), and the location zones of coverage profiles, which plans need (rule P4).
 */
import { CoverageProfile } from "./Coverage.ts"
import * as Samples from "./Samples.ts"
import * as View from "./View.ts"

const { field, instant, integer, nullOr } = View

const telco = field(View.text, "The telco's name in the settings file", "ocs")

export const TelcoComparison = View.answer(
  "TelcoComparison",
  "How far a comparison of all SIMs with what a telco has is",
  {
    telco,
    requestedAt: field(nullOr(instant), "When it was asked for; null: never", Samples.used),
    compared: field(integer(), "How many SIMs were compared since", 4000),
    unanswered: field(integer(), "Of how many SIMs the telco has not answered", 0),
    doneAt: field(nullOr(instant), "When it ended; null: it is under way, or was never asked for", Samples.used)
  }
)

const zone = {
  label: CoverageProfile.fields.label,
  coverageId: CoverageProfile.fields.coverageId,
  zoneId: field(integer(1), "The number of the telco's location zone", 27)
}

export const TelcoZone = View.answer("TelcoZone", "Which location zone of a telco a coverage profile is", zone)

export const OfTelco = View.request("OfTelco", "Names a telco of the settings file", {
  telco: View.named({ on: "name" }, telco)
})

export const SetTelcoZone = View.request(
  "SetTelcoZone",
  "Which location zone of a telco a coverage profile is to be, for plans of the label",
  zone,
  OfTelco
)
