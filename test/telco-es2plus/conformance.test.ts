/** The simulated telco whose profiles an SM-DP+ has, over its fake on a TLS socket, is a telco. */
import { Context, Effect, Layer, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, describe, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Es2plus } from "../../adapters/telco-es2plus/index.ts"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import * as Simulated from "../conformance/telcos/SimulatorBooks.ts"
import * as SmdpServer from "../fakes/es2plus/SmdpServer.ts"

class Server extends Context.Service<Server, SmdpServer.SmdpServer>()("test/SmdpServer") {}

const started = Effect.acquireRelease(
  Effect.promise(() => SmdpServer.start()),
  (server) => Effect.promise(() => server.close())
)

const composed = Layer.effectContext(
  Effect.gen(function* () {
    const server = yield* started
    server.smdp.add(Simulated.iccid, "Released", "AAAA-BBBB")
    const { certificate, key } = server.authority.issue({ name: "operator" })
    const profiles = yield* Layer.build(
      Es2plus.layer({
        telco: "smdp",
        url: server.url,
        key: Redacted.make(key),
        certificate,
        ca: server.authority.certificate,
        matchingId: () => Effect.succeed("AAAA-BBBB"),
        timeout: "1 second",
        quiet: 0
      })
    )
    const simulated = yield* Layer.build(TelcoSimulator.layerMemory())
    const telco = { ...Context.get(simulated, Telco.Telco), ...Context.get(profiles, Es2plus.Profiles) }
    return simulated.pipe(Context.add(Telco.Telco, telco), Context.add(Server, server))
  })
).pipe(Layer.provide(Journal.layerMemory))

/** The first call that a release makes meets the fault. */
const smdp =
  (fault: SmdpServer.Fault, otherwise: NonNullable<TelcoSuite.Faults<TelcoSimulator.TelcoSimulator>["loseRequest"]>) =>
  (operation: TelcoSuite.Operation) =>
    operation === "releaseProfile"
      ? Effect.map(Server, ({ faults }) => void faults.set("cancelOrder", [fault]))
      : otherwise(operation)

const { doLate, loseAnswer, loseRequest, refuse } = Simulated.faults

TelcoSuite.run(
  "A telco with an SM-DP+",
  composed,
  { describe, it, afterAll },
  {
    observe: Simulated.observe,
    faults: {
      ...(loseRequest && { loseRequest: smdp({ fault: "request lost" }, loseRequest) }),
      ...(loseAnswer && { loseAnswer: smdp({ fault: "answer lost" }, loseAnswer) }),
      ...(doLate && { doLate }),
      ...(refuse && { refuse })
    }
  }
)
