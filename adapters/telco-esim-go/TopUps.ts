/**
 * Bundles that are put on an eSIM apart from the one that it was bought with, as packages of a
 * system without keys (`KeylessTelco`): each order's assignments are one package, under the
 * order's reference. They stay apart there, and each begins at its first use.
 */
import { Effect } from "effect"
import { type KeylessTelco, CallFailure } from "../telco-calls/index.ts"
import type * as AccountApi from "./AccountApi.ts"
import * as Assignments from "./Assignments.ts"
import * as Seller from "./Seller.ts"

/** How many bundles may wait on an eSIM (help article "queued bundles"). */
const MOST_QUEUED = 30

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

const refused = (message: string) => new CallFailure.CallFailure({ outcome: "Refused", message })

const listedFrom = (reference: string, assignments: ReadonlyArray<AccountApi.Assignment>): KeylessTelco.Listed => {
  const ends = assignments.map(({ endsAt }) => endsAt)
  const load = assignments[0]?.name
  return {
    telcoPackageId: reference,
    packageId: null,
    activationAt: Assignments.activationOf(assignments),
    expirationAt: ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map((end) => end ?? 0)),
    usedBytes: Assignments.usedOf(assignments),
    ...(load !== undefined && { load })
  }
}

/** What the packages of an order are taken off by. */
export interface TopUps
  extends Pick<KeylessTelco.System, "listPackages" | "createPackage" | "costOf" | "suspendPackage" | "cancelPackage"> {
  /** Takes off what is left of an order. */
  readonly revoke: (of: { readonly iccid: string; readonly reference: string }) => Call<void>
}

/** What was agreed with the account manager, and who is given what the supplier says of it. */
interface Options {
  /** Whether what was not used is to be refunded, if it can be. */
  readonly isRefunded: boolean
  /** Is given the answers of the calls that take an order off. */
  readonly note: (reference: string, answers: ReadonlyArray<string>) => void
}

/** Top-ups over the calls. */
export const make = (
  api: AccountApi.AccountApi["Service"],
  { boughtOf, topUpsOn }: Seller.Known,
  { isRefunded, note }: Options
): TopUps => {
  const of = (iccid: string, reference: string) => Assignments.ofOrder(api, { iccid, reference })

  const revoke: TopUps["revoke"] = Effect.fnUntraced(function* ({ iccid, reference }) {
    for (const assignment of yield* of(iccid, reference)) {
      if (Assignments.isOver(assignment)) continue
      const call = api.revoke({ iccid, assignment, isRefunded })
      // Whether it is refused once it is done, is not documented.
      const answer = yield* Effect.catchIf(
        call,
        ({ outcome }) => outcome === "Refused",
        (first) =>
          Effect.flatMap(of(iccid, reference), (now) =>
            now.some((one) => one.assignmentId === assignment.assignmentId && !Assignments.isOver(one))
              ? Effect.fail(first)
              : Effect.succeed("")
          )
      )
      note(reference, [answer])
    }
  })

  return {
    revoke,
    listPackages: Effect.fnUntraced(function* (iccid) {
      const bought = yield* Seller.fromJournal(boughtOf(iccid))
      const made = [...(yield* Seller.fromJournal(topUpsOn(iccid))).values()]
      const all = yield* Assignments.unlessGone(api.assignments(iccid))
      if (all === null) return []
      const listed = Assignments.byOrder(all)
      const missing = made.filter((reference) => !listed.has(reference))
      return [
        // What the SIM was bought with is no top-up, also if it comes into the list late.
        ...[...listed].flatMap(([reference, all]) =>
          reference === bought?.reference ? [] : listedFrom(reference, all)
        ),
        ...missing.map((reference) => listedFrom(reference, []))
      ]
    }),
    createPackage: Effect.fnUntraced(function* ({ iccid, load }) {
      if (load === undefined) return yield* refused("eSIM Go sells bundles only, and the plan is none of them")
      const waiting = (yield* api.assignments(iccid)).filter(
        ({ state }) => state === "queued" || state === "processing"
      )
      if (waiting.length >= MOST_QUEUED) {
        return yield* refused(
          `${waiting.length} bundles wait on the SIM ${iccid}, and eSIM Go keeps ${MOST_QUEUED} at most`
        )
      }
      const { items, reference, total } = yield* api.order({ bundle: load, iccid })
      const others = items.flatMap(({ esims }) => esims).filter((esim) => esim.iccid !== iccid)
      if (others.length > 0) {
        // What was bought instead is no package of this SIM; it is among the strangers.
        yield* Effect.logError("eSIM Go has sold a new eSIM in place of a top-up", { iccid, reference })
        return yield* refused(`eSIM Go has sold a new eSIM by the order ${reference}, and nothing on the SIM ${iccid}`)
      }
      return {
        telcoPackageId: reference,
        activationAt: null,
        expirationAt: null,
        ...(total !== null && { cost: total })
      }
    }),
    costOf: (reference) => Effect.map(api.orderOf(reference), ({ total }) => total),
    suspendPackage: ({ iccid, telcoPackageId }) => revoke({ iccid, reference: telcoPackageId }),
    cancelPackage: Effect.fnUntraced(function* ({ iccid, packageId, telcoPackageId }, isUndone) {
      if (isUndone && (yield* of(iccid, telcoPackageId)).some(Assignments.isUsed)) {
        return yield* refused(`The package ${packageId} is in use`)
      }
      yield* revoke({ iccid, reference: telcoPackageId })
    })
  }
}
