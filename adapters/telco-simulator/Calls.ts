/**
 * The telco's calls, over the books: what each one does once it has reached the telco.
 *
 * Every call adds its outcome under its key and answers what the key has. So a call that comes again, or twice at once,
 * has one effect and one answer, and a refusal stays one. `refusal` is an injected one: it becomes the outcome, unless
 * the key has one already. What ends a package is done once for the package, whatever the key, and refused by the key.
 */
import { Effect } from "effect"
import { Telco } from "simplan/ports"
import type { BooksError } from "./Books.ts"
import type { Ends, Records } from "./Records.ts"

/** The times that the telco reports for a package. */
export type Times = Pick<Telco.TelcoPackage, "activationAt" | "expirationAt">

type Request<Kind extends Telco.Change> = Parameters<Telco.Telco["Service"][Kind]>[0]

type Outcome<A> = Effect.Effect<A, Telco.Refused | BooksError>

const answer = ({ refusal }: { readonly refusal: string | null }): Effect.Effect<void, Telco.Refused> =>
  refusal === null ? Effect.void : Effect.fail(new Telco.Refused({ message: refusal }))

export const createPackage = (
  records: Records,
  { iccid, packageId, terms, window }: Request<"createPackage">,
  times: Times,
  refusal: string | null
): Outcome<Telco.TelcoPackage> => {
  const record = {
    telcoPackageId: `telco-${packageId}`,
    iccid,
    window,
    label: terms.label,
    dataMegaBytes: terms.dataMegaBytes,
    periodDays: terms.periodDays,
    activationAt: times.activationAt,
    expirationAt: times.expirationAt,
    refusal
  }
  return Effect.flatMap(records.packages.addUnlessCancelled(packageId, record), (placed) => {
    if (placed === "cancelled") return new Telco.Refused({ message: `The package ${packageId} was cancelled` })
    const { activationAt, expirationAt, telcoPackageId } = placed
    return Effect.as(answer(placed), { telcoPackageId, activationAt, expirationAt })
  })
}

/** Ends a package, unless the key was refused before or is refused now. */
const end = (ends: Ends, { key, packageId }: Telco.PackageRef, refusal: string | null): Outcome<void> =>
  Effect.gen(function* () {
    const by = key ?? packageId
    const before = yield* ends.refused.get(by)
    if (before !== null) return yield* answer(before)
    const isNew = refusal !== null && (yield* ends.done.get(packageId)) === null
    yield* answer(isNew ? yield* ends.refused.add(by, { refusal }) : yield* ends.done.add(packageId, { refusal: null }))
  })

/** A suspension of what is not there succeeds and leaves no trace: a package that comes later is active. */
export const suspendPackage = (
  records: Records,
  of: Request<"suspendPackage">,
  refusal: string | null
): Outcome<void> =>
  Effect.gen(function* () {
    const found = yield* records.packages.get(of.packageId)
    yield* found === null ? answer({ refusal }) : end(records.suspensions, of, refusal)
  })

export const cancelPackage = (records: Records, of: Request<"cancelPackage">, refusal: string | null): Outcome<void> =>
  end(records.cancellations, of, refusal)

export const sendSms = (
  records: Records,
  { from, iccid, messageId, text }: Request<"sendSms">,
  refusal: string | null
): Outcome<void> => Effect.flatMap(records.messages.add(messageId, { iccid, from, text, refusal }), answer)

export const releaseProfile = (
  records: Records,
  { iccid, key }: Request<"releaseProfile">,
  refusal: string | null
): Outcome<void> => Effect.flatMap(records.releases.add(key, { iccid, refusal }), answer)

export const setMobilePlan = (
  records: Records,
  { applied, iccid, key }: Request<"setMobilePlan">,
  refusal: string | null
): Outcome<void> => Effect.flatMap(records.mobilePlanChanges.add(key, { iccid, applied, refusal }), answer)

/** Those that were not cancelled. The simulator has no clock: packages that are over are among them. */
export const listPackages = (records: Records, iccid: string, refusal: string | null): Outcome<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    yield* answer({ refusal })
    const made = (yield* records.packages.of(iccid)).filter(({ record }) => record.refusal === null)
    const left = yield* Effect.filter(made, ({ key }) =>
      Effect.map(records.cancellations.done.get(key), (cancelled) => cancelled === null)
    )
    return left.map(({ key }) => key)
  })
