/**
 * A telco in process, for tests, demonstrations and simulations.
 *
 * Deterministic: the same calls get the same answers. Every call is idempotent by its key, and its outcome is in the
 * books before it is answered, so that a crash or a lost answer loses nothing that was done. While it runs, its books
 * can be read and faults injected through the service `TelcoSimulator`.
 */
import { Context, Effect, Layer } from "effect"
import { Telco } from "simplan/ports"
import { Books } from "./Books.ts"
import * as Calls from "./Calls.ts"
import * as Inspection from "./Inspection.ts"
import * as MemoryBooks from "./MemoryBooks.ts"
import * as Records from "./Records.ts"
import * as Wire from "./Wire.ts"

export type { SimulatedMessage, SimulatedPackage } from "./Inspection.ts"
export type { CallCounts } from "./Wire.ts"

/** What a test can read of the telco, and the faults that it can inject. */
export class TelcoSimulator extends Context.Service<TelcoSimulator, Inspection.Inspection & Wire.Controls>()(
  "simplan/TelcoSimulator"
) {}

/** What goes wrong, and how the simulator behaves. */
export interface Options {
  /**
   * The times that the telco reports for a package. `reported` (the default): the window where the order has one, none
   * where it waits for the first use. `withheld`: never any. A function: times of the telco's own.
   */
  readonly times?: "reported" | "withheld" | ((order: Telco.PackageOrder) => Calls.Times)
}

const timesOf = (order: Telco.PackageOrder, { times = "reported" }: Options): Calls.Times => {
  if (typeof times === "function") return times(order)
  const window = times === "reported" ? order.window : null
  return { activationAt: window?.start ?? null, expirationAt: window?.end ?? null }
}

const make = (options: Options) =>
  Effect.gen(function* () {
    const records = Records.open(yield* Books)
    const { send, ...controls } = yield* Wire.make
    const telco = Telco.Telco.of({
      createPackage: (order) =>
        send({ kind: "createPackage", key: order.packageId, iccid: order.iccid }, (refusal) =>
          Calls.createPackage(records, order, timesOf(order, options), refusal)
        ),
      suspendPackage: (of) =>
        send({ kind: "suspendPackage", key: of.key ?? of.packageId, iccid: of.iccid }, (refusal) =>
          Calls.suspendPackage(records, of, refusal)
        ),
      cancelPackage: (of) =>
        send({ kind: "cancelPackage", key: of.key ?? of.packageId, iccid: of.iccid }, (refusal) =>
          Calls.cancelPackage(records, of, refusal)
        ),
      sendSms: (sms) =>
        send({ kind: "sendSms", key: sms.messageId, iccid: sms.iccid }, (refusal) =>
          Calls.sendSms(records, sms, refusal)
        ),
      releaseProfile: (of) =>
        send({ kind: "releaseProfile", key: of.key, iccid: of.iccid }, (refusal) =>
          Calls.releaseProfile(records, of, refusal)
        ),
      setMobilePlan: (of) =>
        send({ kind: "setMobilePlan", key: of.key, iccid: of.iccid }, (refusal) =>
          Calls.setMobilePlan(records, of, refusal)
        ),
      listPackages: ({ iccid }) =>
        send({ kind: "listPackages", key: iccid, iccid }, (refusal) => Calls.listPackages(records, iccid, refusal))
    })
    const simulator = TelcoSimulator.of({ ...Inspection.make(records), ...controls })
    return Context.make(Telco.Telco, telco).pipe(Context.add(TelcoSimulator, simulator))
  })

/** The telco over these books; both services share them. */
export const layer = (options: Options = {}): Layer.Layer<Telco.Telco | TelcoSimulator, never, Books> =>
  Layer.effectContext(make(options))

/** The telco with books in memory. */
export const layerMemory = (options: Options = {}): Layer.Layer<Telco.Telco | TelcoSimulator> =>
  Layer.provide(layer(options), MemoryBooks.layer)
