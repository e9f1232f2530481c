import { Layer } from "effect"
import { TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, describe, it } from "vitest"
import * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import * as Socket from "../../telco-http/Socket.ts"
import { faults, observe, pglite } from "./SimulatorBooks.ts"

const simulated = TelcoSimulator.layer({ findsOthers: true }).pipe(Layer.provide(pglite))

TelcoSuite.run(
  "The simulator behind a socket",
  Socket.around(simulated),
  { describe, it, afterAll },
  { observe, faults, findsOthers: true }
)
