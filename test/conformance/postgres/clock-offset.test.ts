/** Rule W13: when the clock of a database counts as set. */
import { describe, expect, it } from "vitest"
import * as ClockOffset from "../../../adapters/postgres/database/ClockOffset.ts"

describe("the clock of a database", () => {
  it.each([
    ["is the same where a measurement is more exact than one of a busy start", 0, 3_000, 2_400, 2, false],
    ["is the same where a busy machine measures inexactly", 0, 2, 2_400, 3_000, false],
    ["was set ahead", 0, 3_000, 600_000, 2, true],
    ["was set back", 0, 2, -600_000, 3_000, true],
    ["is the same where it is adjusted by less than a second", 0, 1, 900, 1, false],
    ["was set by a second", 0, 1, 1_000, 1, true]
  ])("%s", (_, offset, error, later, laterError, isSet) => {
    expect(ClockOffset.wasSet({ offset, error }, { offset: later, error: laterError })).toBe(isSet)
  })
})
