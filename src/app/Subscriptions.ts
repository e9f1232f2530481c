/**
 * Subscriptions: putting SIMs into service and taking them out (rules S1 to S5).
 */
import { Context, type Effect, type Stream } from "effect"
import type { LastOperator } from "../domain/Location.ts"
import type {
  EsimInstalled,
  InvalidField,
  LabelMismatch,
  NoFreeSim,
  NotFound,
  PlanArchived,
  SimBusy,
  TelcoRefused,
  TelcoUnavailable
} from "../domain/Refusal.ts"
import type { Created, SubscriptionWithSim } from "../domain/Subscription.ts"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "../ports/Storage.ts"

interface OfLine {
  readonly organizationId: string
  readonly iccid: string
}

export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    readonly create: (request: {
      readonly organizationId: string
      readonly planId: string
      readonly metadata: string
      readonly iccid: string | null
      readonly activePeriod: {
        readonly start: Instant | null
        readonly end: Instant | null
      } | null
    }) => Effect.Effect<
      Created,
      | InvalidField
      | NotFound
      | NoFreeSim
      | PlanArchived
      | LabelMismatch
      | SimBusy
      | TelcoRefused
      | TelcoUnavailable
      | StorageError
    >
    readonly get: (of: OfLine) => Effect.Effect<SubscriptionWithSim, NotFound | StorageError>
    /** By creation, in keyset pages of bounded size: memory does not grow with the list (rule W4). */
    readonly list: (of: { readonly organizationId: string }) => Stream.Stream<SubscriptionWithSim, StorageError>
    readonly remove: (of: OfLine) => Effect.Effect<void, NotFound | SimBusy | EsimInstalled | StorageError>
    /** The last operator with its country's name; null without activity in the last 7 days (rule R3). */
    readonly lastOperator: (
      of: OfLine
    ) => Effect.Effect<(LastOperator & { readonly country: string }) | null, NotFound | StorageError>
  }
>()("simplan/Subscriptions") {}
