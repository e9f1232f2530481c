/**
 * Which state of `/v3` a notification of ES2+ stands for. The operator can change it.
 */
import type { SmdpHistory } from "simplan/ports"

/** Notification point, or event, to state; one that is missing, or null, stands for nothing that `/v3` shows. */
export type States = Readonly<Record<string, SmdpHistory.State | null>>

/**
 * The points of SGP.22 section 5.3.5 are 1 (eligibility and retry limit), 2 (confirmation code), 3 (download of the bound
 * package) and 4 (its installation). SM-DP+s notify others too, and do not agree on them: 5 is a deletion at some; 6, 7
 * and 8, or 101 and 102, are states that the user sets on the device, or blocked devices. So these count for nothing
 * unless the operator says what they mean.
 */
export const states: States = {
  "1": null,
  "2": null,
  "3": null,
  "4": "BPP Installation"
}

/** Events of version 3 by their names, such as `BPP installation` or `notificationLocalEnable`: the first that fits. */
const named: ReadonlyArray<readonly [RegExp, SmdpHistory.State]> = [
  [/delet/i, "Delete"],
  [/disabl/i, "Disable"],
  [/enabl/i, "Enable"],
  [/install/i, "BPP Installation"]
]

/** A number in its shortest form, and a name in small letters. */
export const keyOf = (event: number | string): string =>
  typeof event === "number" || /^\d+$/.test(event) ? String(Number(event)) : event.trim().toLowerCase()

/** The state that a point or an event stands for, by the table or else by its name; null: it has none. */
export const stateOf = (table: States, event: number | string): SmdpHistory.State | null => {
  const key = keyOf(event)
  const listed = Object.entries(table).findLast(([name]) => keyOf(name) === key)
  if (listed !== undefined) return listed[1]
  return /^\d+$/.test(key) ? null : (named.find(([name]) => name.test(key))?.[1] ?? null)
}
