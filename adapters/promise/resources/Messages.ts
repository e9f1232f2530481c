/**
 * SMS.
 */
import { Effect, Schema } from "effect"
import { Messages } from "simplan"
import { TextLimit } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as Commands from "../within/Commands.ts"
import type * as Types from "../types/Subscriptions.ts"

/** An SMS to send, checked. Throws an `InvalidFieldError`. The domain checks its length. */
export const sending = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    iccid: Arguments.Id,
    from: Arguments.Id,
    text: Fields.storable(TextLimit.METADATA)
  })
)

/** The host's names of the fields that the domain names otherwise. */
export const fields = { message: "text" } as const

const service = Messages.Messages

export const make = (runtime: Runtime): Types.Messages => ({
  settled: Commands.settled(runtime, "messages.settled", "Sms", ({ segments }) => ({ segments })),
  send: Methods.writing(runtime, { name: "messages.send", decode: sending, fields }, (sms) =>
    Methods.once(
      "Sms",
      Effect.flatMap(service, (messages) => messages.send(sms)),
      ({ segments }) => Effect.succeed({ segments })
    )
  )
})
