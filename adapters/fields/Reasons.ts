/**
 * The codes of the reasons why an attachment gives no service (rule L2), as HTTP and Promise hosts get them.
 */
import type { Reason } from "simplan/ports"

const byTag = {
  WaitsForStart: "waits_for_start",
  WaitsForFirstUse: "waits_for_first_use",
  WaitsForOrder: "waits_for_order",
  TelcoUnavailable: "telco_unavailable",
  TelcoRefused: "telco_refused",
  Suspended: "suspended",
  Over: "over",
  Paused: "paused"
} as const satisfies Readonly<Record<Reason.Reason["_tag"], string>>

/** The code of a reason. */
export type Code = (typeof byTag)[Reason.Reason["_tag"]]

/** All codes. */
export const codes: ReadonlyArray<Code> = Object.values(byTag)

/** The code of a reason. */
export const code = ({ _tag }: Reason.Reason): Code => byTag[_tag]
