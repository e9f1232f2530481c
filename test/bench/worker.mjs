// A process that does due jobs as `simplan serve` does them, with a telco in the process that
// answers at once, or after a while, and forgets. Says in JSON that it runs, and when it is asked
// to stop, what it has done.
import "./heap.mjs"
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer, Redacted } from "effect"
import { Services, Worker } from "../../dist/src/index.js"
import { Clocks, Telco } from "../../dist/src/ports/index.js"
import { StandardCatalogue } from "../../dist/adapters/catalogue/index.js"
import * as Postgres from "../../dist/adapters/postgres/index.js"
import { HttpSender } from "../../dist/adapters/webhooks-http/index.js"

const { answersAfterMillis, databaseUrl } = JSON.parse(process.argv[2])

let done = 0
const lateness = []
const times = []
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`)

const LEAD = 12 * 3_600_000

const createPackage = ({ packageId, window }) =>
  Effect.suspend(() => {
    done += 1
    times.push(performance.now())
    if (window !== null && lateness.length < 1_000_000) lateness.push(Date.now() - (window.start - LEAD))
    const taken = { telcoPackageId: packageId, activationAt: window?.start ?? null, expirationAt: window?.end ?? null }
    return answersAfterMillis === 0 ? Effect.succeed(taken) : Effect.as(Effect.sleep(answersAfterMillis), taken)
  })

const telco = Layer.succeed(Telco.Telco, {
  createPackage,
  suspendPackage: () => Effect.void,
  cancelPackage: () => Effect.void,
  sendSms: () => Effect.void,
  releaseProfile: () => Effect.void,
  setMobilePlan: () => Effect.void
})

const ports = Layer.mergeAll(
  telco,
  StandardCatalogue.layer,
  HttpSender.layer({ allowPrivateAddresses: true }),
  NodeCrypto.layer,
  Clocks.system
).pipe(Layer.provideMerge(Postgres.layer({ url: Redacted.make(databaseUrl) })))

const running = Effect.gen(function* () {
  yield* Layer.build(Worker.background.pipe(Layer.provide(Services.layer), Layer.provide(ports)))
  say({ running: true })
  yield* Effect.callback((resume) => {
    process.once("SIGTERM", () => resume(Effect.void))
  })
})

await Effect.runPromise(Effect.scoped(running))
// Without what went before the code was compiled.
const steady = times.slice(Math.floor(times.length / 5))
const seconds = ((steady.at(-1) ?? 0) - (steady[0] ?? 0)) / 1000
lateness.sort((left, right) => left - right)
const at = (share) => lateness[Math.floor(lateness.length * share)] ?? 0
say({ done, steadyPerSecond: steady.length / seconds, p50: at(0.5), p99: at(0.99), most: lateness.at(-1) ?? 0 })
process.exit(0)
