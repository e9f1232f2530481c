/**
 * The telco's calls, over the books: what each one does once it has reached the telco.
 *
 * Every call adds its outcome under its key and answers what the key has. So a call that comes again, or twice at once,
 * has one effect and one answer, and a refusal stays one. `refusal` is an injected one: it becomes the outcome, unless
 * the key has one already.
 */
import { Effect } from "effect"
import { Telco } from "simplan/ports"
import type { BooksError } from "./Books.ts"
import type { Records } from "./Records.ts"

/** The times that the telco reports for a package. */
export type Times = Pick<Telco.TelcoPackage, "activationAt" | "expirationAt">

type Request<Kind extends keyof Telco.Telco["Service"]> = Parameters<Telco.Telco["Service"][Kind]>[0]

type Outcome<A> = Effect.Effect<A, Telco.Refused | BooksError>

const answer = ({ refusal }: { readonly refusal: string | null }): Effect.Effect<void, Telco.Refused> =>
  refusal === null ? Effect.void : Effect.fail(new Telco.Refused({ message: refusal }))

export const createPackage = (
  records: Records,
  { iccid, packageId, terms, window }: Request<"createPackage">,
  times: Times,
  refusal: string | null
): Outcome<Telco.TelcoPackage> =>
  Effect.gen(function* () {
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
    const placed = yield* records.packages.addUnlessCancelled(packageId, record)
    if (placed._tag === "Cancelled" && placed.cancellation.refusal === null) {
      return yield* new Telco.Refused({ message: `The package ${packageId} was cancelled` })
    }
    // A cancellation that was refused is none.
    const stored = placed._tag === "Stored" ? placed.record : yield* records.packages.add(packageId, record)
    yield* answer(stored)
    const { activationAt, expirationAt, telcoPackageId } = stored
    return { telcoPackageId, activationAt, expirationAt }
  })

/** A suspension of what is not there succeeds and leaves no trace: a package that comes later is active. */
export const suspendPackage = (
  records: Records,
  { packageId }: Request<"suspendPackage">,
  refusal: string | null
): Outcome<void> =>
  Effect.gen(function* () {
    const found = yield* records.packages.get(packageId)
    yield* answer(found === null ? { refusal } : yield* records.suspensions.add(packageId, { refusal }))
  })

export const cancelPackage = (
  records: Records,
  { packageId }: Request<"cancelPackage">,
  refusal: string | null
): Outcome<void> => Effect.flatMap(records.cancellations.add(packageId, { refusal }), answer)

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
