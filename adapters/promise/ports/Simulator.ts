/**
 * The simulated telco, as tests of hosts without Effect use it. Its modules are loaded when it is first asked.
 */
import { Context, Effect, Layer, Schema, Scope } from "effect"
import { Telco } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import type { Faults } from "../../telco-simulator/index.ts"
import * as Arguments from "../Arguments.ts"
import type { Simulator, SimulatorFailure, SimulatorPackage } from "../types/Telcos.ts"

const METHOD = "simulator.fail"

const FAULTS = ["unavailable", "refuse", "answer lost", "slow"] as const

const decode = Arguments.decoder(
  Schema.Struct({
    on: Schema.optional(
      Schema.Literals(Telco.changes).annotate({ message: `must be one of ${Telco.changes.join(", ")}` })
    ),
    iccid: Schema.optional(Arguments.Id),
    times: Schema.optional(Fields.integer(1, Number.MAX_SAFE_INTEGER)),
    fault: Schema.optional(Schema.Literals(FAULTS).annotate({ message: `must be one of ${FAULTS.join(", ")}` })),
    retryAfterSeconds: Schema.optional(Fields.integer(0, Number.MAX_SAFE_INTEGER)),
    message: Schema.optional(Schema.String),
    delay: Schema.optional(Arguments.TimeSpan)
  }),
  "the failure"
)

/** The one field that belongs to a kind of fault. */
const fieldOf = { unavailable: "retryAfterSeconds", refuse: "message", slow: "delay" } as const

/** The failure as the simulator has it. Throws an `InvalidFieldError`. */
const faultOf = (failure: SimulatorFailure): Faults.Fault => {
  const { delay, fault = "unavailable", iccid, message, on, retryAfterSeconds, times } = decode(METHOD, failure)
  for (const [of, field] of Object.entries(fieldOf)) {
    if (of !== fault && field in failure) throw Arguments.invalid(METHOD, field, `is for the fault "${of}" alone`)
  }
  const target = {
    ...(on !== undefined && { on }),
    ...(times !== undefined && { times }),
    ...(iccid !== undefined && { when: (call: Faults.Call) => call.iccid === iccid })
  }
  switch (fault) {
    case "unavailable":
      return { ...target, fault, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
    case "refuse":
      return { ...target, fault, ...(message !== undefined && { message }) }
    case "answer lost":
      return { ...target, fault }
    case "slow": {
      const millis = Arguments.millis(delay)
      if (millis === undefined) throw Arguments.invalid(METHOD, "delay", Arguments.TIME_SPAN_MESSAGE)
      return { ...target, fault, delay: millis }
    }
  }
}

/**
 * A telco in this process for tests.
 *
 *     const simulator = createSimulator()
 *     const simplan = createSimplan({ database: "memory", telco: simulator })
 *     simulator.fail({ on: "createPackage", times: 1 })
 *     await simulator.packages()
 */
export const createSimulator = (): Simulator => {
  // What is known before the modules are there.
  const early: Array<Faults.Fault> = []
  const load = async () => {
    const { TelcoSimulator } = await import("../../telco-simulator/index.ts")
    // It has no end: a call that is on its way reaches the telco after the service has closed, too.
    const context = await Effect.runPromise(Layer.buildWithScope(TelcoSimulator.layerMemory(), Scope.makeUnsafe()))
    const controls = Context.get(context, TelcoSimulator.TelcoSimulator)
    await Effect.runPromise(controls.setFaults(early))
    loaded = controls
    return { context, controls }
  }
  type Loaded = Awaited<ReturnType<typeof load>>
  let loading: Promise<Loaded> | undefined
  let loaded: Loaded["controls"] | undefined

  const open = (): Promise<Loaded> => {
    loading ??= load()
    return loading
  }
  const read = async <A>(query: (controls: Loaded["controls"]) => Effect.Effect<A, Error>): Promise<A> =>
    Effect.runPromise(query((await open()).controls))

  const layer = Layer.effectContext(Effect.map(Effect.promise(open), ({ context }) => context))
  return Object.assign(layer, {
    "~simplan/Telco": true as const,
    packages: async () =>
      (await read(({ packages }) => packages)).map(
        ({ window, ...rest }): SimulatorPackage => ({
          ...rest,
          window: window === null ? null : { start: Arguments.toDate(window.start), end: Arguments.toDate(window.end) }
        })
      ),
    messages: () => read(({ messages }) => messages),
    mobilePlans: () => read(({ mobilePlans }) => mobilePlans),
    releasedProfiles: () => read(({ releasedProfiles }) => releasedProfiles),
    calls: () => read(({ calls }) => calls),
    fail: (failure: SimulatorFailure) => {
      const fault = faultOf(failure)
      if (loaded === undefined) early.push(fault)
      else Effect.runSync(loaded.addFault(fault))
    },
    recover: () => {
      if (loaded === undefined) early.length = 0
      else Effect.runSync(loaded.clearFaults)
    }
  })
}
