/**
 * The organization's mobile plan on its eSIMs (rule I6).
 */
import { Context, type Effect } from "effect"
import type { Label } from "../domain/Label.ts"
import type { MobilePlanStatus } from "../domain/MobilePlan.ts"
import type {
  InvalidField,
  LabelMismatch,
  NoFreeSim,
  NotFound,
  SimBusy,
  TelcoRefused,
  TelcoUnavailable
} from "../domain/Refusal.ts"
import type { StorageError } from "../ports/Storage.ts"

export class Wallet extends Context.Service<
  Wallet,
  {
    readonly setMobilePlan: (request: {
      readonly organizationId: string
      readonly apply: boolean
      readonly label: Label
      readonly iccid: string | null
    }) => Effect.Effect<
      MobilePlanStatus,
      InvalidField | NotFound | NoFreeSim | LabelMismatch | SimBusy | TelcoRefused | TelcoUnavailable | StorageError
    >
  }
>()("simplan/Wallet") {}
