/**
 * An SMSC of the settings file. It finds a SIM by its phone number or by its IMSI, as the settings
 * say.
 */
import { Effect, Redacted, type Scope } from "effect"
import { Telco } from "simplan/ports"
import { CallFailure, CallGate, type Journal } from "../../telco-calls/index.ts"
import { Addresses, Smpp } from "../../telco-smpp/index.ts"
import * as Connected from "../Connected.ts"
import type * as Settings from "../Settings.ts"
import type * as RoutedTelco from "../RoutedTelco.ts"

const failure = (outcome: CallFailure.Outcome, message: string) => new CallFailure.CallFailure({ outcome, message })

const missing = {
  msisdn: "The inventory has no phone number (msisdn) of the SIM, by which the SMSC is to find it",
  imsi: "Neither the inventory nor the telco of the SIM's packages knows the SIM's IMSI, by which the SMSC is to find it",
  any: "The SIM has no phone number (msisdn) and no IMSI by which the SMSC could find it: import it again with one of them"
}

/** Where a message for a SIM goes; refused if the SIM has no such address. */
const destination =
  ({ address }: Settings.Of<"smpp">, { imsi, known }: RoutedTelco.Identities) =>
  (iccid: string): Effect.Effect<Addresses.Address, CallFailure.CallFailure> =>
    Effect.gen(function* () {
      const { msisdn } = address === "imsi" ? { msisdn: null } : yield* known(iccid)
      if (msisdn !== null) return Addresses.msisdn(msisdn)
      const digits = address === "msisdn" ? null : yield* imsi(iccid)
      if (digits !== null) return Addresses.imsi(digits)
      return yield* new Telco.Refused({ message: missing[address ?? "any"] })
    }).pipe(Effect.mapError(({ _tag, message }) => failure(_tag === "Telco.Refused" ? "Refused" : "NotDone", message)))

/** Connects. */
export const connect = (
  of: Settings.Of<"smpp">,
  identities: RoutedTelco.Identities
): Effect.Effect<Connected.Connected, Connected.CannotConnect, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const { ca, name, ...rest } = of
    const { check, sendSms } = yield* Effect.mapError(
      Smpp.make({
        ...rest,
        telco: name,
        destinationOf: destination(of, identities),
        window: of.callsAtOnce,
        answerMillis: of.timeoutMillis,
        ...(ca !== undefined && { ca: Redacted.value(ca) })
      }),
      ({ message }) => new Connected.CannotConnect({ message: `telcos.${name}: ${message}` })
    )
    const gate = yield* CallGate.make({ telco: name, concurrency: of.callsAtOnce })
    return {
      ...Connected.onlyCalls,
      name,
      kind: "smpp",
      telco: gate.inSlots({ ...Connected.unsupported(name), sendSms }),
      check: Effect.match(check, {
        onSuccess: () => [{ what: "messages", works: true, message: "is bound, and answers" }],
        onFailure: ({ message }) => [{ what: "messages", works: false, message }]
      })
    }
  })
