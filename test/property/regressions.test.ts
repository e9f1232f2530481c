/**
 * Runs that broke an invariant once, as fast-check had shrunk them.
 */
import { describe, it } from "vitest"
import type { Commands } from "../../src/testing/index.ts"
import { mustHold, recorded } from "./Histories.ts"

type Run = ReadonlyArray<Commands.Command>

const daily: Commands.Command = {
  _tag: "CreatePlan",
  by: 0,
  label: "Green",
  coverage: 0,
  terms: {
    name: "Daily",
    dataMegaBytes: 1,
    periodDays: 1,
    throttling: false,
    thresholds: [],
    recurring: true,
    occurrences: 1,
    periodicity: "0",
    frequency: 1
  },
  flaw: null
}

/** A subscription whose first package is created in a millisecond. */
const subscribe = (keyed: boolean): Commands.Command => ({
  _tag: "Subscribe",
  by: 0,
  plan: 0,
  sim: null,
  foreign: false,
  period: { start: 43_200_001, end: null },
  keyed
})

const suspend: Commands.Command = { _tag: "Suspend", by: 0, line: 0, attachment: 0, foreign: false }

const runs: ReadonlyArray<readonly [what: string, run: Run]> = [
  [
    "T7: a package whose creation was not recorded when its attachment was suspended went on at the telco",
    [
      daily,
      subscribe(false),
      { _tag: "Kill", commits: 2, when: "before" },
      { _tag: "Advance", millis: 1 },
      suspend,
      { _tag: "Quiet" }
    ]
  ],
  [
    "T7: likewise, where the telco's answer was lost",
    [
      daily,
      subscribe(false),
      { _tag: "Fault", fault: "answer lost", times: 1 },
      { _tag: "Advance", millis: 1 },
      suspend,
      { _tag: "Quiet" }
    ]
  ],
  [
    "W2: a key was forgotten when the job of a later package was done, and the creation made again",
    [daily, subscribe(true), { _tag: "Advance", millis: 1 }, { _tag: "Repeat", back: 0 }, { _tag: "Quiet" }]
  ]
]

describe("A run that broke an invariant once keeps them all", () => {
  it.each(runs)("%s", async (_, run) => mustHold(await recorded(1, run)))
})
