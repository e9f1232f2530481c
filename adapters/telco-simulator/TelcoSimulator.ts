/**
 * A telco in process, for tests, demonstrations and simulations.
 *
 * Deterministic: the same calls get the same answers. Every call adds its outcome to the books under its key before it is
 * answered, and answers what the key has. So a crash or a lost answer loses nothing that was done, and a call that comes again,
 * or twice at once, has one effect and one answer. A refusal that is injected becomes the outcome, unless the key has one
 * already. What ends a package is done once for the package, whatever the key, and refused by the key. While the simulator runs,
 * its books can be read and faults injected through the service `TelcoSimulator`.
 */
import { Context, Effect, Layer } from "effect"
import { Telco } from "simplan/ports"
import { Books, type BooksError } from "./Books.ts"
import * as Inspection from "./Inspection.ts"
import * as MemoryBooks from "./MemoryBooks.ts"
import * as Records from "./Records.ts"
import * as Wire from "./Wire.ts"

/** The times that the telco reports for a package. */
export type Times = Pick<Telco.TelcoPackage, "activationAt" | "expirationAt">

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
  readonly times?: "reported" | "withheld" | ((order: Telco.PackageOrder) => Times)
}

const timesOf = (order: Telco.PackageOrder, { times = "reported" }: Options): Times => {
  if (typeof times === "function") return times(order)
  const window = times === "reported" ? order.window : null
  return { activationAt: window?.start ?? null, expirationAt: window?.end ?? null }
}

type Outcome<A> = Effect.Effect<A, Telco.Refused | BooksError>

const answer = ({ refusal }: { readonly refusal: string | null }): Effect.Effect<void, Telco.Refused> =>
  refusal === null ? Effect.void : Effect.fail(new Telco.Refused({ message: refusal }))

/** Ends a package, unless the key was refused before or is refused now. */
const end = (ends: Records.Ends, { key, packageId }: Telco.PackageRef, refusal: string | null): Outcome<void> =>
  Effect.gen(function* () {
    const by = key ?? packageId
    const before = yield* ends.refused.get(by)
    if (before !== null) return yield* answer(before)
    const isNew = refusal !== null && (yield* ends.done.get(packageId)) === null
    yield* answer(isNew ? yield* ends.refused.add(by, { refusal }) : yield* ends.done.add(packageId, { refusal: null }))
  })

/** Books out of reach are a telco out of reach. */
const booked = <A>(work: Outcome<A>): Effect.Effect<A, Telco.Refused | Telco.Unavailable> =>
  Effect.catchTag(work, "BooksError", ({ message }) => Effect.fail(new Telco.Unavailable({ message })))

/** What the telco does with a call that has reached it; with the refusal that is injected, if it is one. */
const working = (
  records: Records.Records,
  options: Options,
  refusal: string | null
): Required<Telco.Telco["Service"]> => ({
  createPackage: (order) => {
    const { iccid, packageId, terms, window } = order
    const { dataMegaBytes, label, periodDays } = terms
    const telcoPackageId = `telco-${packageId}`
    const granted = { telcoPackageId, iccid, window, label, dataMegaBytes, periodDays }
    const record = { ...granted, ...timesOf(order, options), refusal }
    return booked(
      Effect.flatMap(records.packages.addUnlessCancelled(packageId, record), (placed): Outcome<Telco.TelcoPackage> => {
        if (placed === "cancelled") return new Telco.Refused({ message: `The package ${packageId} was cancelled` })
        const { activationAt, expirationAt, telcoPackageId } = placed
        return Effect.as(answer(placed), { telcoPackageId, activationAt, expirationAt })
      })
    )
  },
  // A suspension of what is not there succeeds and leaves no trace: a package that comes later is active.
  suspendPackage: (of) =>
    booked(
      Effect.flatMap(records.packages.get(of.packageId), (found) =>
        found === null ? answer({ refusal }) : end(records.suspensions, of, refusal)
      )
    ),
  cancelPackage: (of) => booked(end(records.cancellations, of, refusal)),
  sendSms: ({ from, iccid, messageId, text }) =>
    booked(Effect.flatMap(records.messages.add(messageId, { iccid, from, text, refusal }), answer)),
  releaseProfile: ({ iccid, key }) => booked(Effect.flatMap(records.releases.add(key, { iccid, refusal }), answer)),
  setMobilePlan: ({ applied, iccid, key }) =>
    booked(Effect.flatMap(records.mobilePlanChanges.add(key, { iccid, applied, refusal }), answer)),
  // Those that were not cancelled. The simulator has no clock: packages that are over are among them.
  listPackages: ({ iccid }) =>
    booked(
      Effect.gen(function* () {
        yield* answer({ refusal })
        const made = (yield* records.packages.of(iccid)).filter(({ record }) => record.refusal === null)
        const left = yield* Effect.filter(made, ({ key }) =>
          Effect.map(records.cancellations.done.get(key), (cancelled) => cancelled === null)
        )
        return left.map(({ key }) => key)
      })
    )
})

const make = (options: Options) =>
  Effect.gen(function* () {
    const records = Records.open(yield* Books)
    const { send, ...controls } = yield* Wire.make
    const at = (refusal: string | null) => working(records, options, refusal)
    const telco = Telco.Telco.of({
      ...Telco.dispatch(({ iccid, key, operation: kind }, call) =>
        send({ kind, key, iccid }, (refusal) => call(at(refusal)))
      ),
      listPackages: ({ iccid }) =>
        send({ kind: "listPackages", key: iccid, iccid }, (refusal) => at(refusal).listPackages({ iccid }))
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
