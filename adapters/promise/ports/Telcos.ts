/**
 * The telcos that hosts make: of plain functions as layers of the telco port, with idempotency keys
 * and without, and the simulated one of tests, whose modules are loaded when it is first asked.
 */
import { Context, Effect, Layer, Schema, Scope } from "effect"
import { TelcoPorts } from "simplan/ports"
import { Fields } from "../../fields/index.ts"
import type { Faults } from "../../telco-simulator/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Logs from "../Logs.ts"
import type { Logger, Telco as HostTelco, TelcoLayer } from "../Options.ts"
import type {
  JournalOptions,
  Simulator,
  SimulatorFailure,
  SimulatorPackage,
  TelcoSystem
} from "../types/TelcosTypes.ts"
import * as HostTelcos from "./Telco.ts"

/**
 * The functions as the service calls them: for `TelcoSuite` of `simplan/testing`, and for
 * `createSimplan({ telco })`. What they throw unexpectedly is logged; by default to stderr, with
 * `logger: false` nowhere.
 */
export const telcoLayer = (telco: HostTelco, options: { readonly logger?: Logger | false } = {}): TelcoLayer => {
  if (Layer.isLayer(telco)) throw Arguments.invalid("telcoLayer", "telco", "is a layer already")
  const missing = HostTelcos.missing("telcoLayer", telco, TelcoPorts.required, "telco.")
  if (missing !== undefined) throw missing
  return Object.assign(HostTelcos.layer(telco, Logs.make(options.logger)), { "~simplan/Telco": true as const })
}

/**
 * A telco of plain functions that knows no idempotency keys. A journal in the database of the
 * service, in a table of its own, keeps what was asked for and what came of it, so that no call is
 * made twice, whatever is lost and wherever a process dies.
 *
 *     const simplan = createSimplan({ database: "postgres://…", telco: journaledTelco(system) })
 *     TelcoSuite.run("my telco", journaledTelco(system), { describe, it, afterAll })   // over a journal in memory
 *
 * What the functions throw unexpectedly is logged where the service logs, and in the suite to
 * `logger`.
 */
export const journaledTelco = (system: TelcoSystem, options: JournalOptions = {}): TelcoLayer =>
  HostTelcos.journaledLayer(system, options)

const METHOD = "simulator.fail"

const FAULTS = ["unavailable", "refuse", "answer lost", "slow"] as const

const decode = Arguments.decoder(
  Schema.Struct({
    on: Schema.optional(Fields.oneOf(TelcoPorts.changes)),
    iccid: Schema.optional(Arguments.Iccid),
    times: Schema.optional(Fields.integer(1, Number.MAX_SAFE_INTEGER)),
    fault: Schema.optional(Fields.oneOf(FAULTS)),
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
    services: () => read(({ services }) => services),
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
