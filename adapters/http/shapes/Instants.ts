/**
 * Instants that may be absent, as RFC 3339 texts.
 */
import { Time } from "simplan"

/** The text of an instant; null for none. */
export const toWire = (instant: Time.Instant | null): string | null => (instant === null ? null : Time.toIso(instant))

/** The instant of a text that its schema has accepted; null for none. */
export const fromWire = (text: string | null | undefined): Time.Instant | null =>
  text === null || text === undefined ? null : (Time.fromIso(text) ?? null)
