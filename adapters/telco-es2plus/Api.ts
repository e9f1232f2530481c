/**
 * The functions of ES2+ that an operator calls (SGP.22 sections 5.3.1 to 5.3.4), typed, and how they fail. `HttpApi` makes them
 * over HTTPS.
 *
 * ICCIDs are digits here, as everywhere in simplan.
 */
import { Context, Data, type Effect } from "effect"
import type { CallFailure } from "../telco-calls/index.ts"

/** Beside the outcomes of all telcos, `WrongState`: the profile's state, or that of its order, does not allow the call. */
export type Outcome = CallFailure.Outcome | "WrongState"

/** How a function of ES2+ fails. */
export class Failure extends Data.TaggedError("Es2plus.Failure")<{
  /** What may be done next depends on it. */
  readonly outcome: Outcome
  /** What an operator reads. It contains no secret. */
  readonly message: string
  /** Absent: the SM-DP+ does not say. */
  readonly retryAfterSeconds?: number
}> {}

/** What every call is about. */
export interface Of {
  /** The `functionCallIdentifier`: a call that is repeated has the same one. */
  readonly callId: string
  /** The ICCID of the profile. */
  readonly iccid: string
}

type Call<A> = Effect.Effect<A, Failure>

/** The functions of ES2+ that a release needs. Each fails with `Failure`. */
export class Api extends Context.Service<
  Api,
  {
    /** Section 5.3.1: reserves the profile for a download. It has to be Available, and is Allocated then. */
    readonly downloadOrder: (of: Of) => Call<void>
    /**
     * Section 5.3.2: gives the reserved profile its matching id, by which a device asks for it; the SM-DP+ chooses one where
     * it is null. The profile is Confirmed then, or Released where `isReleased`. The matching id, where the answer has it.
     */
    readonly confirmOrder: (
      of: Of & { readonly matchingId: string | null; readonly isReleased: boolean }
    ) => Call<string | null>
    /** Section 5.3.3: takes back an order that was not downloaded. The profile is Available then, or Unavailable for good. */
    readonly cancelOrder: (
      of: Of & { readonly matchingId: string | null; readonly finalStatus: "Available" | "Unavailable" }
    ) => Call<void>
    /** Section 5.3.4: lets devices download a Confirmed profile. It is Released then. */
    readonly releaseProfile: (of: Of) => Call<void>
    /** Whether the SM-DP+ can be reached under the certificate. Calls none of its functions. */
    readonly check: Call<void>
  }
>()("simplan/TelcoEs2plus/Api") {}
