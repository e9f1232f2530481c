/** eSIM Access over HTTP to its fake is a telco, by what it declares. */
import { Effect, Layer } from "effect"
import { Telco } from "simplan/ports"
import { afterAll, describe, it } from "vitest"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import * as Opened from "./Opened.ts"

/** Messages reach profiles that are installed. */
const layer = Layer.effect(
  Telco.Telco,
  Effect.map(Opened.open, ({ fake, telco }) => {
    fake.state.balance = 1_000_000_000
    const sendSms: typeof telco.sendSms = (sms) =>
      Effect.suspend(() => {
        for (const profile of fake.profiles) if (profile.iccid === sms.iccid) profile.smdpStatus = "ENABLED"
        return telco.sendSms(sms)
      })
    return { ...telco, sendSms }
  })
)

TelcoSuite.run(
  "eSIM Access",
  layer,
  { describe, it, afterAll },
  { findsOthers: true, load: "CKH491", terms: Opened.order("").terms }
)
