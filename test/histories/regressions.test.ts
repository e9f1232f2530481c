/**
 * Runs that once broke an invariant, as fast-check shortened them.
 */
import { describe, it } from "vitest"
import { type Commands, Invariants, type Simulation } from "simplan/testing"
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
    throttling: [],
    recurrence: { periodicity: "Daily", frequency: 1, occurrences: 1 }
  },
  flaw: null
}

const HOUR = 3_600_000

type Period = Commands.Command<"Subscribe">["period"]

const subscribeIn = (period: Period, keyed: boolean): Commands.Command => ({
  ...{ _tag: "Subscribe", by: 0, plan: 0, sim: null, foreign: false, period, keyed }
})

const subscribeFrom = (start: number, keyed: boolean) => subscribeIn({ start, end: null }, keyed)

const subscribeNow = subscribeIn(null, false)

/** A plan that is a supplier's bundle. */
const bundle: Run = [
  { ...daily, terms: { ...daily.terms, recurrence: null } },
  { _tag: "SetBundle", by: 0, plan: 0, foreign: false, load: 0 }
]

/** A subscription whose first package is created in a millisecond. */
const subscribe = (keyed: boolean): Commands.Command => subscribeFrom(12 * HOUR + 1, keyed)

/** A plan of which two packages are ordered at once, and a subscription to it. */
const twoAtOnce: Run = [
  { ...daily, terms: { ...daily.terms, recurrence: { periodicity: "Daily", frequency: 1, occurrences: 3 } } },
  subscribeFrom(-13 * HOUR, false)
]

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
    "T5: a creation that was taken over when its package was over ordered it",
    [
      daily,
      { _tag: "Kill", commits: 1, when: "after" },
      subscribeFrom(0, false),
      { _tag: "Restart", downtime: 48 * HOUR },
      { _tag: "Quiet" }
    ]
  ],
  [
    "S5: what the attempt of a process had ordered that was killed stayed at the telco, where the next one reached less of it",
    [
      ...twoAtOnce,
      { _tag: "Kill", commits: 2, when: "before" },
      { _tag: "TopUp", by: 0, plan: 0, line: 0, period: { start: -13 * HOUR, end: null }, keyed: false },
      { _tag: "Fault", fault: "unavailable", times: 1 },
      { _tag: "Advance", millis: 1 },
      { _tag: "Quiet" }
    ]
  ],
  [
    "I6: a change of the mobile plan whose answer was lost, and whose turning back was refused, was answered as not made",
    [
      { _tag: "Fault", fault: "answer lost", times: 1 },
      { _tag: "SetMobilePlan", by: 0, sim: null, label: "Green", apply: true, foreign: false },
      { _tag: "Fault", fault: "refuse", times: 1 },
      { _tag: "Advance", millis: HOUR },
      { _tag: "Quiet" }
    ]
  ],
  [
    "I6: a change of the mobile plan that reached the telco after it was turned back stayed there",
    [
      { _tag: "Fault", fault: "slow", times: 1 },
      { _tag: "SetMobilePlan", by: 0, sim: null, label: "Green", apply: true, foreign: false },
      { _tag: "Quiet" }
    ]
  ],
  [
    "W2: a creation for which no eSIM was left was taken for answered for good, also when one was free again",
    [
      { ...daily, label: "Aqua" },
      subscribe(false),
      subscribe(true),
      { _tag: "Delete", by: 0, line: 0, foreign: false },
      { _tag: "Repeat", back: 0 },
      { _tag: "Quiet" }
    ]
  ],
  [
    "W2: a creation of a bundle that is sold out was taken for answered for good, also when it was sold again",
    [
      ...bundle,
      { _tag: "Fault", fault: "sold_out", times: 3 },
      subscribeNow,
      subscribeNow,
      subscribeIn(null, true),
      { _tag: "Repeat", back: 0 },
      { _tag: "Quiet" }
    ]
  ],
  [
    "W2: a key was forgotten when the job of a later package was done, and the creation made again",
    [daily, subscribe(true), { _tag: "Advance", millis: 1 }, { _tag: "Repeat", back: 0 }, { _tag: "Quiet" }]
  ],
  [
    "I15: what was before an eSIM was bought is rejected, which R1 did not know",
    [
      ...bundle,
      subscribeNow,
      {
        _tag: "Report",
        of: 0,
        line: 0,
        sim: null,
        reports: [{ after: -24 * HOUR, again: null, fact: { _tag: "Location", countryAlpha2: "FR", rat: "4G" } }],
        spelled: false
      },
      { _tag: "Quiet" }
    ]
  ],
  [
    "I15: a bundle that is sold no more moves to no SIM without it, which S5 did not know",
    [
      ...bundle,
      subscribeNow,
      { _tag: "SetBundle", by: 0, plan: 0, foreign: false, load: null },
      { _tag: "Replace", by: 0, line: 0, foreign: false },
      { _tag: "Quiet" }
    ]
  ]
]

const remove: Commands.Command = { _tag: "Delete", by: 0, line: 0, foreign: false }

const pause = (line: number): Commands.Command => ({ _tag: "Pause", by: 0, line, paused: true, foreign: false })

/** A telco that sells eSIMs, and little stock beside. */
const selling: Simulation.Options = { esims: { Green: 1 }, sellableDays: [30, null, 5, 2, 400] }

/** Runs in which an endpoint takes every event. */
const lifecycleRuns: ReadonlyArray<readonly [what: string, run: Run, options: Simulation.Options]> = [
  [
    "E1: an activation that fell due while no process ran was not notified of an attachment that was suspended then",
    [daily, subscribeFrom(HOUR, false), { _tag: "Restart", downtime: 2 * HOUR }, suspend, { _tag: "Quiet" }],
    {}
  ],
  [
    "E1: nor the end of one whose subscription was deleted",
    [daily, subscribeFrom(HOUR, false), { _tag: "Restart", downtime: 48 * HOUR }, remove, { _tag: "Quiet" }],
    {}
  ],
  [
    "I12: the history missed the event of a low stock that came behind a page of others of its instant",
    [
      daily,
      subscribeFrom(0, false),
      subscribeNow,
      { _tag: "Replace", by: 0, line: 0, foreign: false },
      remove,
      remove,
      subscribeNow,
      subscribeNow,
      pause(0),
      pause(1),
      { _tag: "Quiet" }
    ],
    {}
  ],
  [
    "I12: an eSIM that was bought and lapsed made the next fall one more in its step, which I12 did not know",
    [
      ...bundle,
      {
        _tag: "CorrectSim",
        by: 0,
        sim: 0,
        foreign: false,
        correction: { status: { _tag: "Withdrawn", reason: "broken" } }
      },
      { _tag: "Fault", fault: "answer lost", times: 1 },
      subscribeNow,
      { _tag: "Advance", millis: 30 * 24 * HOUR - 1 },
      { _tag: "Quiet" }
    ],
    selling
  ],
  [
    "I15: what is reported of an eSIM that has not come into the stock yet is rejected, which R1 did not know",
    [
      ...bundle,
      subscribeNow,
      { _tag: "Fault", fault: "answer lost", times: 1 },
      subscribeNow,
      {
        _tag: "Report",
        of: 0,
        line: 0,
        sim: 7,
        reports: [{ after: 0, again: null, fact: { _tag: "Location", countryAlpha2: "FR", rat: "4G" } }],
        spelled: false
      },
      { _tag: "Quiet" }
    ],
    selling
  ],
  [
    "I15: the job of a purchase whose process had died made an eSIM free again that was bought anew and returned since",
    [
      ...bundle,
      { _tag: "Kill", commits: 3, when: "before" },
      subscribeNow,
      { _tag: "ReturnSim", by: 0, back: 0, foreign: false },
      subscribeNow,
      remove,
      { _tag: "ReturnSim", by: 0, back: 0, foreign: false },
      { _tag: "Quiet" }
    ],
    selling
  ]
]

describe("A run that once broke an invariant breaks none", () => {
  it.each(runs)("%s", async (_, run) => mustHold(await recorded(1, run)))

  it.each(lifecycleRuns)("%s", async (_, run, options) =>
    mustHold(await recorded(1, run, { ...options, lifecycle: true }), [...Invariants.all, ...Invariants.lifecycle])
  )
})
