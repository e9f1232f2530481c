/**
 * Which state of `/v3` a notification point of ES2+ stands for. The operator can change it.
 */
import type { SmdpHistory } from "simplan/ports"

/** Notification point to state; a point that is missing, or null, tells nothing that `/v3` shows. */
export type States = Readonly<Record<string, SmdpHistory.State | null>>

/**
 * The points of SGP.22 section 5.3.5 are 1 (eligibility and retry limit), 2 (confirmation code), 3 (download of the bound
 * package) and 4 (its installation). Some SM-DP+s tell more: 5 is a deletion, and 101 and 102, or 6, 7 and 8, are states that
 * the user sets on the device.
 */
export const states: States = {
  "1": null,
  "2": null,
  "3": null,
  "4": "BPP Installation",
  "5": "Delete"
}
