/**
 * An SMSC of the settings file. It finds a SIM by its IMSI, which the telco of the SIM's packages knows.
 */
import { Effect, Redacted, type Scope } from "effect"
import { CallFailure, type Journal } from "../../telco-calls/index.ts"
import { Addresses, Smpp } from "../../telco-smpp/index.ts"
import type { Connected } from "../Connected.ts"
import type * as Settings from "../file/Settings.ts"
import { CannotConnect } from "../CannotConnect.ts"
import * as Slots from "../Slots.ts"
import * as Lacking from "./Lacking.ts"
import * as Slotted from "./Slotted.ts"

const failure = (outcome: CallFailure.Outcome, message: string) => new CallFailure.CallFailure({ outcome, message })

/** Connects. `imsiOf` asks the telco of a SIM's packages; null where it is none that knows IMSIs. */
export const connect = (
  of: Settings.Smpp,
  imsiOf: NonNullable<Connected["imsiOf"]>
): Effect.Effect<Connected, CannotConnect, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const { name } = of
    const destinationOf = (iccid: string) =>
      imsiOf(iccid).pipe(
        Effect.mapError(({ _tag, message }) => failure(_tag === "Telco.Refused" ? "Refused" : "NotDone", message)),
        Effect.flatMap((imsi) =>
          imsi === null
            ? Effect.fail(failure("Refused", "The telco of the SIM's packages does not know its IMSI"))
            : Effect.succeed(Addresses.imsi(imsi))
        )
      )
    const { check, sendSms } = yield* Effect.mapError(
      Smpp.make({
        telco: name,
        url: of.url,
        password: of.password,
        destinationOf,
        systemType: of.systemType,
        source: of.source,
        window: of.callsAtOnce,
        answerMillis: of.timeoutMillis,
        ...(of.ca !== null && { ca: Redacted.value(of.ca) }),
        ...(of.messagesPerSecond !== null && { messagesPerSecond: of.messagesPerSecond })
      }),
      ({ message }) => new CannotConnect({ message: `telcos.${name}: ${message}` })
    )
    return {
      name,
      kind: "smpp",
      telco: Slotted.telco(yield* Slots.make(of), { ...Lacking.telco(name), sendSms }),
      checkTerms: () => Effect.void,
      zones: null,
      notifications: null,
      imsiOf: null,
      check: Effect.match(check, {
        onSuccess: () => [{ what: "messages", works: true, message: "is bound, and answers" }],
        onFailure: ({ message }) => [{ what: "messages", works: false, message }]
      }),
      missing: Effect.succeed([]),
      background: null
    }
  })
