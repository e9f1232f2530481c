/**
 * SMS to a subscription's SIM. The message is stored before the telco is asked, and its id is the telco's key, so that
 * a crash sends it neither twice nor never.
 */
import { Context, type Effect } from "effect"
import type { InvalidField, NotFound, TelcoRefused, TelcoUnavailable } from "../domain/Refusal.ts"
import type { StorageError } from "../ports/Storage.ts"

export class Messages extends Context.Service<
  Messages,
  {
    readonly send: (sms: {
      readonly organizationId: string
      readonly iccid: string
      readonly from: string
      readonly text: string
    }) => Effect.Effect<void, InvalidField | NotFound | TelcoRefused | TelcoUnavailable | StorageError>
  }
>()("simplan/Messages") {}
