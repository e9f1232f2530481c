/**
 * The suite of the telco port, with messages over SMPP and everything else at the simulator.
 */
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, describe, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Addresses, Smpp } from "../../adapters/telco-smpp/index.ts"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import { observe } from "../conformance/telcos/SimulatorBooks.ts"
import * as FakeSmsc from "../fakes/smsc/FakeSmsc.ts"

class Smsc extends Context.Service<Smsc, FakeSmsc.FakeSmsc>()("test/Smsc") {}

const composed = Layer.effect(
  Telco.Telco,
  Effect.gen(function* () {
    const { sendSms } = yield* Smpp.make({
      telco: "smsc",
      url: (yield* Smsc).url,
      password: Redacted.make(FakeSmsc.password),
      destinationOf: (iccid) => Effect.succeed(Addresses.msisdn(iccid.slice(-12)))
    })
    return { ...(yield* Telco.Telco), sendSms }
  })
).pipe(Layer.provide(Journal.layerMemory))

const simulator = TelcoSimulator.TelcoSimulator
const behind = Layer.merge(TelcoSimulator.layerMemory(), Layer.effect(Smsc, FakeSmsc.make))
const layer = Layer.merge(
  Layer.provide(Layer.orDie(composed), behind),
  Layer.effect(simulator, simulator).pipe(Layer.merge(Layer.effect(Smsc, Smsc)), Layer.provide(behind))
).pipe(Layer.provide(Logger.layer([])))

TelcoSuite.run(
  "SMPP beside the simulator",
  layer,
  { describe, it, afterAll },
  {
    observe: {
      ...observe,
      messages: (iccid, text) =>
        Effect.map(Smsc, (smsc) => {
          const to = `1/1/${iccid.slice(-12)}`
          return smsc.taken.filter((one) => one.destination === to && one.text === text).length
        })
    }
  }
)
