/**
 * What the bundles on an eSIM say: whether they were used or are over, and which order they are of.
 */
import { Effect } from "effect"
import { CallFailure, type PollState } from "../telco-calls/index.ts"
import * as AccountApi from "./AccountApi.ts"

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** Whether anything was used of an assignment. */
export const isUsed = ({ initialBytes, remainingBytes, startedAt, state }: AccountApi.Assignment): boolean =>
  startedAt !== null ||
  state === "active" ||
  state === "depleted" ||
  (state === "queued" && initialBytes !== null && remainingBytes !== null && remainingBytes < initialBytes)

/** Whether an assignment grants nothing any more. */
export const isOver = ({ state }: AccountApi.Assignment): boolean =>
  state === "depleted" || state === "expired" || state === "revoked" || state === "lapsed"

/** All that was used of assignments; null: the supplier does not say. */
export const usedOf = (assignments: ReadonlyArray<AccountApi.Assignment>): number | null => {
  let used = 0
  for (const { initialBytes, isUnlimited, remainingBytes, startedAt } of assignments) {
    // While one is being processed its volume may be missing.
    if (startedAt === null) continue
    if (isUnlimited || initialBytes === null || remainingBytes === null) return null
    used += Math.max(0, initialBytes - remainingBytes)
  }
  return used
}

const least = (times: ReadonlyArray<number | null>): number | null => {
  const known = times.flatMap((time) => time ?? [])
  return known.length === 0 ? null : Math.min(...known)
}

/** When it was first used; null: it was not. */
export const activationOf = (assignments: ReadonlyArray<AccountApi.Assignment>): number | null =>
  least(assignments.map(({ startedAt }) => startedAt))

const sum = (all: ReadonlyArray<number | null>): number | null => {
  const known = all.flatMap((one) => one ?? [])
  return known.length < all.length ? null : known.reduce((total, one) => total + one, 0)
}

/**
 * What the assignments of one order have ended by (guide "bundle status"); null: one of them goes
 * on. Of those of an order of several, what is used up and what has expired says most.
 */
const endOf = (assignments: ReadonlyArray<AccountApi.Assignment>): PollState.Seen["end"] => {
  if (assignments.length === 0 || !assignments.every(isOver)) return null
  const has = (state: AccountApi.State) => assignments.some((one) => one.state === state)
  if (has("depleted")) return { reason: "depleted", at: null }
  if (has("expired")) {
    const ends = assignments.flatMap(({ endsAt }) => endsAt ?? [])
    return { reason: "expired", at: ends.length === 0 ? null : Math.max(...ends) }
  }
  return { reason: has("revoked") ? "revoked" : "lapsed", at: null }
}

/**
 * What the assignments of one order say. `isWhole`: none of the eSIM's was left out of the list.
 */
export const bundleOf = (assignments: ReadonlyArray<AccountApi.Assignment>, isWhole: boolean): PollState.Bundle => {
  const ends = assignments.map(({ endsAt }) => endsAt)
  return {
    allowanceBytes: sum(assignments.map(({ initialBytes, isUnlimited }) => (isUnlimited ? null : initialBytes))),
    usedBytes: usedOf(assignments),
    activationAt: activationOf(assignments),
    expirationAt: ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map((end) => end ?? 0)),
    end: isWhole ? endOf(assignments) : null
  }
}

/** The assignments on an eSIM by the references of their orders. */
export const byOrder = (
  assignments: ReadonlyArray<AccountApi.Assignment>
): ReadonlyMap<string, ReadonlyArray<AccountApi.Assignment>> => {
  const found = new Map<string, ReadonlyArray<AccountApi.Assignment>>()
  for (const one of assignments) {
    if (one.order !== null) found.set(one.order, [...(found.get(one.order) ?? []), one])
  }
  return found
}

/** Null for an eSIM that is not, or no more, of the account. */
export const unlessGone = <A>(call: Call<A>): Call<A | null> =>
  Effect.catchIf(
    call,
    ({ outcome }) => outcome === "NotFound",
    () => Effect.succeed(null)
  )

/**
 * The assignments of an order on an eSIM. Those that are over are listed too, so an order that was
 * made and has none is one that comes into the list late.
 */
export const ofOrder = (
  api: AccountApi.AccountApi["Service"],
  { iccid, reference }: { readonly iccid: string; readonly reference: string }
): Call<ReadonlyArray<AccountApi.Assignment>> =>
  Effect.flatMap(api.assignments(iccid), (all) => {
    const own = all.filter(({ order }) => order === reference)
    if (own.length > 0 || all.length >= AccountApi.MOST_ASSIGNMENTS) return Effect.succeed(own)
    const message = `eSIM Go does not list the order ${reference} on the SIM ${iccid} yet`
    return Effect.fail(new CallFailure.CallFailure({ outcome: "NotDone", message, retryAfterSeconds: 30 }))
  })
