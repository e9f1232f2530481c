/**
 * Converts instants to the values of date-time pickers, in UTC.
 */
import { Time } from "simplan"

/** The picker's value of an instant. */
export const toPicker = (at: Time.Instant): string => Time.toIso(at).slice(0, 16)

/** The RFC 3339 text of a picker's value; undefined if it is empty. */
export const fromPicker = (value: string): string | undefined => {
  if (value === "") return undefined
  return value.length === 16 ? `${value}:00Z` : `${value}Z`
}

/** The instant of a picker's value; undefined if it is empty. */
export const instantOf = (value: string): Time.Instant | undefined => {
  const text = fromPicker(value)
  return text === undefined ? undefined : Time.fromIso(text)
}
