/**
 * The mobile plan of eSIMs.
 */
import { Effect, Schema } from "effect"
import { Wallet } from "simplan"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as Commands from "../within/Commands.ts"
import type * as Types from "../types/Sims.ts"

const decodeChange = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    apply: Arguments.Flag,
    label: Arguments.AnyLabel,
    iccid: Schema.optional(Schema.NullOr(Arguments.Id))
  })
)

/** A change of the mobile plan, checked. Throws an `InvalidFieldError`. */
export const change = (method: string, request: unknown): Wallet.ChangeRequest => {
  const { iccid = null, ...of } = decodeChange(method, request)
  return { ...of, iccid }
}

const service = Wallet.Wallet

export const make = (runtime: Runtime): Types.Wallet => ({
  settled: Commands.settled(runtime, "wallet.settled", "MobilePlan", ({ applied, iccid, id }) => ({
    iccid,
    applied,
    id
  })),
  setMobilePlan: Methods.writing(runtime, { name: "wallet.setMobilePlan", decode: change }, (request) =>
    Methods.once(
      "MobilePlan",
      Effect.flatMap(service, (wallet) => wallet.setMobilePlan(request)),
      ({ applied, iccid, id }) => Effect.succeed({ iccid, applied, id })
    )
  )
})
