/**
 * The history of an eSIM's profile as the OCS tells it, and the states of simplan's interface.
 *
 * The OCS passes on the states of several SM-DP+ systems. The documents name `Enable`; the others are told by their words.
 */
import type { SmdpHistory, TelcoReport, Time } from "simplan/ports"
import type { ProfileState } from "../api/Api.ts"
import * as Facts from "./Facts.ts"
import type { SimState } from "./SimState.ts"

const words: ReadonlyArray<readonly [RegExp, SmdpHistory.State]> = [
  [/^enabled?$/i, "Enable"],
  [/^disabled?$/i, "Disable"],
  [/^deleted?$/i, "Delete"],
  [/install|download/i, "BPP Installation"]
]

/** The state of the interface; undefined for one that the interface has no word for, such as `Available` or `Linked`. */
export const stateOf = (status: string): SmdpHistory.State | undefined =>
  words.find(([pattern]) => pattern.test(status.trim()))?.[1]

/** Whether the state says that a device has the profile. */
const isInstalled = (status: string): boolean => {
  const state = stateOf(status)
  return state === "Enable" || state === "Disable"
}

/**
 * The place of a notified state in the history: behind the state that began then. Such a notification has no time of its
 * own, and says nothing else by which a second one could be told from the first.
 */
export const place = (state: SmdpHistory.State, after: Time.Instant | null): string =>
  `${state}/after/${after ?? "start"}`

export interface Read {
  /** The states of the interface that the history has, oldest first. */
  readonly states: ReadonlyArray<SmdpHistory.State>
  /** Those that were not told yet. */
  readonly reports: ReadonlyArray<TelcoReport.Report>
  readonly profile: SimState["profile"]
}

interface Asked {
  readonly telco: string
  readonly iccid: string
  readonly now: Time.Instant
  readonly profile: SimState["profile"]
}

/** How many states are remembered; a profile has a handful. */
const MOST = 100

/**
 * The reports of the states that were not told yet, oldest first. A state that a notification has told ahead of the history
 * is not told again.
 */
export const read = (history: ReadonlyArray<ProfileState>, { iccid, now, profile, telco }: Asked): Read => {
  const reports: Array<TelcoReport.Report> = []
  const told: Array<string> = []
  const states: Array<SmdpHistory.State> = []
  let latestAt: Time.Instant | null = null
  for (const { modificationResult, startedAt, status } of history.toSorted(
    (one, other) => one.startedAt - other.startedAt
  )) {
    const state = stateOf(status)
    if (state === undefined) continue
    const id = `${state}/${startedAt}`
    const isTold = profile.told.includes(id) || profile.ahead.includes(place(state, latestAt))
    if (!isTold) {
      reports.push(Facts.profileState({ iccid, telco }, id, state, modificationResult, Math.min(startedAt, now)))
    }
    told.push(id)
    states.push(state)
    latestAt = startedAt
  }
  return {
    states,
    reports,
    profile: {
      lookedAt: now,
      latestAt,
      isInstalled: profile.isInstalled || history.some(({ status }) => isInstalled(status)),
      told: told.slice(-MOST),
      ahead: profile.ahead.slice(-MOST)
    }
  }
}
