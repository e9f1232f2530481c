/**
 * The schema of a telco's report. The definition checks none, because a bad report is rejected alone.
 */
import { SmdpHistory, TextLimit } from "simplan/ports"

const text = { type: "string", minLength: 1, maxLength: TextLimit.REPORTED }
const bytes = { type: "integer", minimum: 0 }

const head = { id: text, iccid: text, occurred_at: { type: "string", format: "date-time" } }

const event = (
  type: string,
  description: string,
  fields: Readonly<Record<string, unknown>>,
  required: ReadonlyArray<string>
) => ({
  type: "object",
  description,
  properties: { type: { type: "string", const: type }, ...head, ...fields },
  required: ["type", ...Object.keys(head), ...required]
})

const usage = "What a package has used: exactly one of `total_bytes` and `delta_bytes`"

export const TelcoEvent = {
  description: "Something that the telco saw of a SIM",
  oneOf: [
    event("usage", usage, { package_id: text, total_bytes: bytes }, ["total_bytes"]),
    event("usage", usage, { package_id: text, delta_bytes: bytes }, ["delta_bytes"]),
    event("first_use", "A package was used for the first time", { package_id: text }, []),
    event(
      "location",
      "The SIM was seen by an operator",
      { country_alpha_2: { type: "string", pattern: "^[A-Za-z]{2}$" }, operator: text, rat: text, imei: text },
      ["country_alpha_2", "operator", "rat", "imei"]
    ),
    event(
      "smdp_state",
      "The SM-DP+ changed the state of an eSIM's profile",
      { state: { type: "string", enum: SmdpHistory.states }, modification_result: text },
      ["state"]
    )
  ]
}
