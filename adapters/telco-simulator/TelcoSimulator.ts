/**
 * A telco in process, for tests, demonstrations and simulations.
 *
 * Deterministic: the same calls get the same answers. Every call adds its outcome to the books
 * under its key before it is answered, and answers what the key has. So a crash or a lost answer
 * loses nothing that was done, and a call that comes again, or twice at once, has one effect and
 * one answer. A refusal that is injected becomes the outcome, unless the key has one already. What
 * ends a package is done once for the package, whatever the key, and refused by the key. While the
 * simulator runs, its books can be read and faults injected through the service `TelcoSimulator`.
 *
 * The books get a record per call's key, which is that call's outcome. Nothing is ever changed: a
 * package is suspended or cancelled when there is a record that says so. A key that was cancelled
 * before any package came for it is spent.
 */
import { Context, Duration, Effect, Fiber, Layer, Ref, Schema, type Scope } from "effect"
import {
  type Capabilities,
  Job,
  Package as PackageRules,
  SimIdentities,
  Telco,
  TelcoBundles,
  TelcoCapabilities,
  TelcoPorts
} from "simplan/ports"
import { type Document, Books, BooksError, layerMemory as memoryBooks } from "./Books.ts"
import * as Faults from "./Faults.ts"
import * as SimulatorBundles from "./SimulatorBundles.ts"

/** The times that the telco reports for a package. */
export type Times = Pick<Telco.TelcoPackage, "activationAt" | "expirationAt">

/** A package that the simulator has made. */
export interface SimulatedPackage {
  /** `<attachment id>:<occurrence>`, the key of the order. */
  readonly packageId: string
  /** What the order was answered with; reports may name the package by it. */
  readonly telcoPackageId: string
  /** The SIM that it is on. */
  readonly iccid: string
  /** `suspended` and `cancelled` are final. */
  readonly status: "active" | "suspended" | "cancelled"
  /** As ordered. Null: from the first use. */
  readonly window: Telco.PackageOrder["window"]
  /** The supply tier of the terms that were ordered. */
  readonly label: string
  /** The allowance that was ordered; a MB has 1,048,576 bytes (rule T1). */
  readonly dataMegaBytes: number
  /** The validity that was ordered, in days of 24 h. */
  readonly periodDays: number
  /** The supplier's bundle that was ordered. Absent: none was. */
  readonly load?: string
}

/** An SMS that the simulator has sent. */
export interface SimulatedMessage {
  /** What it was sent once by. */
  readonly messageId: string
  /** The SIM that it went to. */
  readonly iccid: string
  /** The sender, as it was asked for. */
  readonly from: string
  /** The whole text, however many segments it takes. */
  readonly text: string
}

/**
 * What a test can read in the books. Lists are in the order in which things happened first; nothing
 * that was refused is in them. Each read fails with `BooksError` if the storage of the books
 * does.
 */
export interface Inspection {
  /** Suspended and cancelled ones are among them. */
  readonly packages: Effect.Effect<ReadonlyArray<SimulatedPackage>, BooksError>
  /** The keys that were cancelled before a package came for them. */
  readonly spentKeys: Effect.Effect<ReadonlyArray<string>, BooksError>
  /** Every SMS that was sent, each id once. */
  readonly messages: Effect.Effect<ReadonlyArray<SimulatedMessage>, BooksError>
  /** Whether the mobile plan is applied, by ICCID; only those for which it was ever set. */
  readonly mobilePlans: Effect.Effect<ReadonlyMap<string, boolean>, BooksError>
  /** Whether the SIM has service, by ICCID; only those for which that was ever set. */
  readonly services: Effect.Effect<ReadonlyMap<string, boolean>, BooksError>
  /** The ICCID of each release of a profile. */
  readonly releasedProfiles: Effect.Effect<ReadonlyArray<string>, BooksError>
  /** The ICCID of each SIM that was sold. */
  readonly sales: Effect.Effect<ReadonlyArray<string>, BooksError>
  /** The ICCID of each SIM that was returned. */
  readonly returns: Effect.Effect<ReadonlyArray<string>, BooksError>
}

/** What a supplier does by itself. */
export interface Supplier {
  /** Has a purchase that was not made yet bring this SIM: suppliers sell an ICCID again. */
  readonly sell: (of: { readonly purchaseId: string; readonly iccid: string }) => Effect.Effect<void, BooksError>
}

/** What customers do. */
export interface Customers {
  /**
   * Uses data of a package, as much as is left of its allowance; none of one that is not there,
   * suspended or cancelled. Nothing is reported of it: a report is a call of its own, and
   * `readUsage` has it at once. At most one use at a time of a package.
   */
  readonly use: (of: {
    readonly packageId: string
    readonly bytes: number
    /**
     * Whether, and when, it is the first use. Absent: the simulator, which has no clock, does not
     * say.
     */
    readonly activationAt?: number
  }) => Effect.Effect<void, BooksError>
}

/** What a test can read of the telco, what customers do, and the faults that it can inject. */
export class TelcoSimulator extends Context.Service<
  TelcoSimulator,
  Inspection & Customers & Supplier & Faults.Controls
>()("simplan/TelcoSimulator") {}

/** What goes wrong, and how the simulator behaves. */
export interface Options {
  /**
   * The times that the telco reports for a package. `reported` (the default): the window if the
   * order has one, none if it waits for the first use. `withheld`: never any. A function: times
   * of the telco's own.
   */
  readonly times?: "reported" | "withheld" | ((order: Telco.PackageOrder) => Times)
  /**
   * Whether it refuses an order for a SIM on which others than `onlyAttachments` have packages;
   * false by default.
   */
  readonly findsOthers?: boolean
  /** What it does otherwise than a full telco (rule P4); nothing by default. */
  readonly capabilities?: Partial<Capabilities.Capabilities>
  /**
   * What a SIM is sold as. What is left out: an ICCID that follows from the purchase's id, and no
   * time by which it has to be in use. The first answer for a purchase counts.
   */
  readonly sale?: (purchase: Telco.SimPurchase) => Partial<Pick<Telco.BoughtSim, "iccid" | "sellBy">>
}

const timesOf = (order: Telco.PackageOrder, { times = "reported" }: Options): Times => {
  if (typeof times === "function") return times(order)
  const window = times === "reported" ? order.window : null
  return { activationAt: window?.start ?? null, expirationAt: window?.end ?? null }
}

/** Why the telco refused, for good; null if it did not. */
const Refusal = Schema.NullOr(Schema.String)

const Package = Schema.Struct({
  telcoPackageId: Schema.String,
  iccid: Schema.String,
  window: Schema.NullOr(Schema.Struct({ start: Schema.Finite, end: Schema.Finite })),
  label: Schema.String,
  dataMegaBytes: Schema.Finite,
  periodDays: Schema.Finite,
  activationAt: Schema.NullOr(Schema.Finite),
  expirationAt: Schema.NullOr(Schema.Finite),
  load: Schema.optionalKey(Schema.String),
  refusal: Refusal
})

/** What a customer has used of a package, at once; its key has the package's id and a number. */
const Use = Schema.Struct({
  iccid: Schema.String,
  packageId: Schema.String,
  bytes: Schema.Finite,
  activationAt: Schema.NullOr(Schema.Finite)
})

/**
 * A suspension or a cancellation: its key is the package's if it is done, the call's if it is
 * refused.
 */
const Termination = Schema.Struct({ refusal: Refusal })

const Message = Schema.Struct({
  iccid: Schema.String,
  from: Schema.String,
  text: Schema.String,
  refusal: Refusal
})

const Release = Schema.Struct({ iccid: Schema.String, refusal: Refusal })

/** A SIM that was sold, by the id of its purchase. */
const Sale = Schema.Struct({
  iccid: Schema.String,
  load: Schema.String,
  organizationId: Schema.optionalKey(Schema.String),
  sellBy: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  refusal: Refusal
})

/** A SIM that was returned, by the id of its purchase. */
const Return = Schema.Struct({ iccid: Schema.String, refusal: Refusal })

/** A change of an ICCID's mobile plan; the last one added is what holds. */
const MobilePlanChange = Schema.Struct({ iccid: Schema.String, applied: Schema.Boolean, refusal: Refusal })

/** A change of an ICCID's service; the last one added is what holds. */
const ServiceChange = Schema.Struct({ iccid: Schema.String, active: Schema.Boolean, refusal: Refusal })

/** The records of a kind. */
const collection = <A extends Document>(books: Books["Service"], kind: string, schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  const read = (document: Document): Effect.Effect<A, BooksError> =>
    Effect.mapError(decode(document), (cause) => new BooksError({ message: `Not a ${kind} of the simulator`, cause }))
  const stored = (record: A, document: Document) => (document === record ? Effect.succeed(record) : read(document))
  return {
    /** Stores the record unless the key has one already; gives the one that is stored now. */
    add: (key: string, record: A) =>
      Effect.flatMap(books.add(kind, key, record), (document) => stored(record, document)),
    /**
     * As `add`; if the key has a record of the kind `other`, stores nothing and gives null.
     */
    addUnless: (other: string, key: string, record: A) =>
      Effect.flatMap(books.addUnless(other, kind, key, record), (held) =>
        held.kind === other ? Effect.succeed(null) : stored(record, held.document)
      ),
    get: (key: string) =>
      Effect.flatMap(books.get(kind, key), (document) => (document === null ? Effect.succeed(null) : read(document))),
    /**
     * All of them with their keys, in the order in which they were added. With an ICCID, others
     * than its may be among them.
     */
    list: (iccid?: string) =>
      Effect.flatMap(books.all(kind, iccid), (all) =>
        Effect.forEach(all, ({ document, key }) => Effect.map(read(document), (record) => ({ key, record })))
      )
  }
}

const CANCELLATION = "cancellation"

const terminations = (books: Books["Service"], kind: string) => ({
  /** By package. */
  done: collection(books, kind, Termination),
  /** By call. */
  refused: collection(books, `refused ${kind}`, Termination)
})

type Terminations = ReturnType<typeof terminations>

/** The simulator's records in these books. */
const recordsIn = (books: Books["Service"]) => ({
  packages: collection(books, "package", Package),
  uses: collection(books, "use", Use),
  suspensions: terminations(books, "suspension"),
  cancellations: terminations(books, CANCELLATION),
  messages: collection(books, "message", Message),
  releases: collection(books, "release", Release),
  sales: collection(books, "sale", Sale),
  returns: collection(books, "return", Return),
  mobilePlanChanges: collection(books, "mobile plan change", MobilePlanChange),
  serviceChanges: collection(books, "service change", ServiceChange)
})

type Records = ReturnType<typeof recordsIn>

interface Kept {
  readonly key: string
  readonly record: { readonly refusal: string | null }
}

const granted = <A extends Kept>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter(({ record }) => record.refusal === null)

const keys = (all: ReadonlyArray<Kept>): ReadonlySet<string> => new Set(granted(all).map(({ key }) => key))

/** Reads the books anew each time. */
const inspectionOf = (records: Records): Inspection => ({
  packages: Effect.gen(function* () {
    const packages = granted(yield* records.packages.list())
    const suspended = keys(yield* records.suspensions.done.list())
    const cancelled = keys(yield* records.cancellations.done.list())
    return packages.map(
      ({ key, record: { dataMegaBytes, iccid, label, load, periodDays, telcoPackageId, window } }) => ({
        ...(load !== undefined && { load }),
        packageId: key,
        telcoPackageId,
        iccid,
        status: cancelled.has(key) ? "cancelled" : suspended.has(key) ? "suspended" : "active",
        window,
        label,
        dataMegaBytes,
        periodDays
      })
    )
  }),
  spentKeys: Effect.gen(function* () {
    const created = keys(yield* records.packages.list())
    const cancelled = keys(yield* records.cancellations.done.list())
    return [...cancelled].filter((key) => !created.has(key))
  }),
  messages: Effect.map(records.messages.list(), (all) =>
    granted(all).map(({ key, record: { from, iccid, text } }) => ({ messageId: key, iccid, from, text }))
  ),
  mobilePlans: Effect.map(
    records.mobilePlanChanges.list(),
    (all) => new Map(granted(all).map(({ record }) => [record.iccid, record.applied]))
  ),
  services: Effect.map(
    records.serviceChanges.list(),
    (all) => new Map(granted(all).map(({ record }) => [record.iccid, record.active]))
  ),
  releasedProfiles: Effect.map(records.releases.list(), (all) => granted(all).map(({ record }) => record.iccid)),
  sales: Effect.map(records.sales.list(), (all) => granted(all).map(({ record }) => record.iccid)),
  returns: Effect.map(records.returns.list(), (all) => granted(all).map(({ record }) => record.iccid))
})

const bytesOf = (uses: ReadonlyArray<{ readonly bytes: number }>): number =>
  uses.reduce((sum, { bytes }) => sum + bytes, 0)

const usesOf = (records: Records, iccid: string, packageId: string) =>
  Effect.map(records.uses.list(iccid), (all) =>
    all.map(({ record }) => record).filter((record) => record.packageId === packageId)
  )

const customersOf = (records: Records): Customers => ({
  use: Effect.fnUntraced(function* ({ activationAt = null, bytes, packageId }) {
    const made = yield* records.packages.get(packageId)
    if (made === null || made.refusal !== null) return
    const isStopped =
      (yield* records.suspensions.done.get(packageId)) ?? (yield* records.cancellations.done.get(packageId))
    if (isStopped !== null) return
    const uses = yield* usesOf(records, made.iccid, packageId)
    const left = made.dataMegaBytes * 1_048_576 - bytesOf(uses)
    const use = { iccid: made.iccid, packageId, bytes: Math.min(bytes, left), activationAt }
    yield* records.uses.add(`${packageId}#${uses.length}`, use)
  })
})

type Outcome<A> = Effect.Effect<A, Telco.Refused | BooksError>

/** A refusal that is the word of a reason why nothing is sold has that reason. */
const answer = ({ refusal }: { readonly refusal: string | null }): Effect.Effect<void, Telco.Refused> => {
  if (refusal === null) return Effect.void
  const reason = Job.unsoldReasons.find((one) => one === refusal)
  return Effect.fail(new Telco.Refused({ message: refusal, ...(reason !== undefined && { reason }) }))
}

/** Ends a package, unless the key was refused before or is refused now. */
const end = (
  { done, refused }: Terminations,
  { key, packageId }: Telco.PackageRef,
  refusal: string | null
): Outcome<void> =>
  Effect.gen(function* () {
    const by = key ?? packageId
    const before = yield* refused.get(by)
    if (before !== null) return yield* answer(before)
    const isNew = refusal !== null && (yield* done.get(packageId)) === null
    yield* answer(isNew ? yield* refused.add(by, { refusal }) : yield* done.add(packageId, { refusal: null }))
  })

/** Whether what a SIM was sold with was used as the package. */
const loadAfter = Effect.fnUntraced(function* (records: Records, { iccid, packageId }: Telco.PackageRef) {
  const isSold = granted(yield* records.sales.list(iccid)).some(({ record }) => record.iccid === iccid)
  return { isLoadUsed: isSold && (yield* usesOf(records, iccid, packageId)).length > 0 }
})

/**
 * The packages on a SIM that were not cancelled. The simulator has no clock: those that are over
 * are among them.
 */
const listed = Effect.fnUntraced(function* (records: Records, { iccid, onlyAttachments = [] }: Telco.Listing) {
  const made = granted(yield* records.packages.list(iccid)).filter(({ record }) => record.iccid === iccid)
  const left = yield* Effect.filter(made, ({ key }) =>
    Effect.map(records.cancellations.done.get(key), (cancelled) => cancelled === null)
  )
  const isTheirs = (key: string) => onlyAttachments.includes(PackageRules.attachmentIdOf(key))
  return left.flatMap(({ key }) => (isTheirs(key) ? [] : key))
})

/** Refuses an order for a SIM that has packages of others (rule S5). */
const onlyOwn = Effect.fnUntraced(function* (
  records: Records,
  { findsOthers = false }: Options,
  { iccid, onlyAttachments, packageId }: Telco.PackageOrder
) {
  if (!findsOthers || onlyAttachments === undefined || (yield* records.packages.get(packageId)) !== null) return
  const occupiedBy = yield* listed(records, { iccid, onlyAttachments })
  if (occupiedBy.length === 0) return
  return yield* new Telco.Refused({ message: `The SIM ${iccid} has packages of others`, occupiedBy })
})

/** The ICCID of the SIM that a purchase brings: 19 digits that follow from its id. */
const iccidOf = (purchaseId: string): string => {
  let digits = 0n
  for (const character of purchaseId) digits = (digits * 131n + BigInt(character.charCodeAt(0))) % 10n ** 13n
  return `899990${String(digits).padStart(13, "0")}`
}

/** What a SIM costs with a load that is in no catalogue. */
const COST = { units: 250, scale: 2, currency: "USD" }

const costOf = (load: string) => SimulatorBundles.all.find(({ code }) => code === load)?.price ?? COST

/** The name of the telco that sells its catalogue, if it is the only one. */
const NAME = "simulator"

const sold: TelcoBundles.TelcoBundles = {
  telcos: Effect.succeed([NAME]),
  of: (telco) =>
    telco === NAME
      ? Effect.succeed(SimulatorBundles.all)
      : Effect.fail(new Telco.Refused({ message: `The telco ${telco} is not the simulator` }))
}

/** Books out of reach are a telco out of reach. */
const booked = <A>(work: Outcome<A>): Effect.Effect<A, Telco.Refused | Telco.Unavailable> =>
  Effect.catchTag(work, "BooksError", ({ message }) => Effect.fail(new Telco.Unavailable({ message })))

/**
 * What the telco does with a call that has reached it; with the refusal that is injected, if it is
 * one.
 */
const working = (
  records: Records,
  options: Options,
  refusal: string | null
): Required<Pick<Telco.Telco["Service"], Faults.Kind>> => ({
  createPackage: (order) => {
    const { iccid, load, packageId, terms, window } = order
    const { dataMegaBytes, label, periodDays } = terms
    const telcoPackageId = `telco-${packageId}`
    const times = timesOf(order, options)
    const ordered = { telcoPackageId, iccid, window, label, dataMegaBytes, periodDays, ...times, refusal }
    const record = load === undefined ? ordered : { ...ordered, load }
    const added = records.packages.addUnless(CANCELLATION, packageId, record)
    return booked(
      Effect.flatMap(Effect.andThen(onlyOwn(records, options, order), added), (placed): Outcome<Telco.TelcoPackage> => {
        if (placed === null) return new Telco.Refused({ message: `The package ${packageId} was cancelled` })
        const { activationAt, expirationAt, telcoPackageId } = placed
        // As after a restore, whose moves are counted anew.
        if (placed.iccid !== iccid) return new Telco.Refused({ message: `The package ${packageId} is on another SIM` })
        return Effect.as(answer(placed), { telcoPackageId, activationAt, expirationAt })
      })
    )
  },
  // A suspension of what is not there succeeds and leaves no trace: a package that comes later is
  // active.
  suspendPackage: (of) =>
    booked(
      Effect.flatMap(records.packages.get(of.packageId), (found) =>
        found === null ? answer({ refusal }) : end(records.suspensions, of, refusal)
      )
    ),
  cancelPackage: (of) => booked(Effect.andThen(end(records.cancellations, of, refusal), loadAfter(records, of))),
  sendSms: ({ from, iccid, messageId, text }) =>
    booked(Effect.flatMap(records.messages.add(messageId, { iccid, from, text, refusal }), answer)),
  releaseProfile: ({ iccid, key }) => booked(Effect.flatMap(records.releases.add(key, { iccid, refusal }), answer)),
  setMobilePlan: ({ applied, iccid, key }) =>
    booked(Effect.flatMap(records.mobilePlanChanges.add(key, { iccid, applied, refusal }), answer)),
  setService: ({ active, iccid, key }) =>
    booked(Effect.flatMap(records.serviceChanges.add(key, { iccid, active, refusal }), answer)),
  listPackages: (of) => booked(Effect.andThen(answer({ refusal }), listed(records, of))),
  // It counts at once, and forgets what was used of a package that is cancelled.
  readUsage: ({ iccid }) =>
    booked(
      Effect.gen(function* () {
        yield* answer({ refusal })
        return yield* Effect.forEach(yield* listed(records, { iccid }), (packageId) =>
          Effect.map(usesOf(records, iccid, packageId), (uses) => ({
            packageId,
            usedBytes: bytesOf(uses),
            activationAt: uses[0]?.activationAt ?? null
          }))
        )
      })
    ),
  buySim: (purchase) => {
    const { load, organizationId, purchaseId } = purchase
    const { iccid = iccidOf(purchaseId), sellBy } = (refusal === null ? options.sale?.(purchase) : undefined) ?? {}
    const record = { iccid, load, organizationId, ...(sellBy !== undefined && { sellBy }), refusal }
    return booked(
      Effect.flatMap(records.sales.add(purchaseId, record), (sale) =>
        Effect.as(answer(sale), {
          iccid: sale.iccid,
          lpa: `LPA:1$smdp.simulator.example$${sale.iccid}`,
          ...SimIdentities.none,
          sellBy: sale.sellBy ?? null,
          cost: costOf(load)
        })
      )
    )
  },
  // A refusal is of the call: another one may be taken, and what was returned stays so.
  returnSim: ({ iccid, purchaseId }) =>
    booked(
      Effect.flatMap(records.sales.get(purchaseId), (sale): Outcome<Telco.Refund> => {
        if (sale?.iccid !== iccid)
          return new Telco.Refused({ message: `The SIM ${iccid} was not sold as ${purchaseId}` })
        const record = Effect.flatMap(records.returns.get(purchaseId), (known) =>
          known !== null || refusal === null
            ? records.returns.add(purchaseId, { iccid, refusal: null })
            : Effect.succeed({ iccid, refusal })
        )
        return Effect.as(Effect.flatMap(record, answer), "credit")
      })
    )
})

interface State {
  readonly faults: ReadonlyArray<Faults.Fault>
  readonly calls: Faults.CallCounts
}

const untouched: State = {
  faults: [],
  calls: {
    createPackage: 0,
    suspendPackage: 0,
    cancelPackage: 0,
    sendSms: 0,
    releaseProfile: 0,
    setMobilePlan: 0,
    setService: 0,
    listPackages: 0,
    readUsage: 0,
    buySim: 0,
    returnSim: 0
  }
}

/** The way of calls to the telco and back, where faults befall them and where they are counted. */
interface Transport extends Faults.Controls {
  /**
   * Makes the call, with what befalls it; `work` is what the telco does, given an injected refusal
   * or null.
   */
  readonly send: <A>(
    call: Faults.Call,
    work: (refusal: string | null) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
}

const unavailable = (message: string, retryAfterSeconds: number | null = null): Telco.Unavailable =>
  new Telco.Unavailable({ message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) })

const outOfReach = (message: string, { isAsked, isKnown, retryAfterSeconds }: Faults.Fate): Telco.Unavailable => {
  if (!isAsked) {
    const seconds = retryAfterSeconds ?? 1
    return new Telco.Unavailable({ message, retryAfterSeconds: seconds, isAsked: false, isDone: false })
  }
  return isKnown ? new Telco.Unavailable({ message, isDone: false }) : unavailable(message, retryAfterSeconds)
}

/**
 * A way without faults yet. A call that is on it reaches the telco even if its caller gives up, as
 * it would over a network; it ends with the scope.
 */
const makeTransport: Effect.Effect<Transport, never, Scope.Scope> = Effect.gen(function* () {
  const state = yield* Ref.make(untouched)
  const scope = yield* Effect.scope

  const fateOf = (call: Faults.Call): Effect.Effect<Faults.Fate> =>
    Ref.modify(state, ({ calls, faults }) => {
      const [fate, left] = faults.length === 0 ? Faults.none : Faults.take(faults, call)
      return [fate, { faults: left, calls: { ...calls, [call.kind]: calls[call.kind] + 1 } }]
    })

  const arrive = <A>(
    fate: Faults.Fate,
    work: (refusal: string | null) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ): Effect.Effect<A, Telco.Refused | Telco.Unavailable> => {
    if (fate.unavailable !== null) return Effect.fail(outOfReach(fate.unavailable, fate))
    if (!fate.answerLost) return work(fate.refusal)
    // Failure: it is the fault: whoever asked repeats the call.
    return Effect.andThen(Effect.exit(work(fate.refusal)), Effect.fail(unavailable("The telco's answer was lost")))
  }

  return {
    send: (call, work) =>
      Effect.flatMap(fateOf(call), (fate) => {
        if (!Duration.isPositive(fate.delay)) return arrive(fate, work)
        const onItsWay = Effect.andThen(
          Effect.sleep(fate.delay),
          Effect.suspend(() => arrive(fate, work))
        )
        return Effect.flatMap(Effect.forkIn(onItsWay, scope), Fiber.join)
      }),
    calls: Effect.map(Ref.get(state), ({ calls }) => calls),
    setFaults: (faults) => Ref.update(state, (now) => ({ ...now, faults })),
    addFault: (fault) => Ref.update(state, (now) => ({ ...now, faults: [...now.faults, fault] })),
    clearFaults: Ref.update(state, (now) => ({ ...now, faults: [] }))
  }
})

const make = (options: Options) =>
  Effect.gen(function* () {
    const records = recordsIn(yield* Books)
    const { send, ...controls } = yield* makeTransport
    const at = (refusal: string | null) => working(records, options, refusal)
    const telco = TelcoCapabilities.limited(options.capabilities ?? {}, {
      ...TelcoPorts.dispatch(({ iccid, key, operation: kind }, call) =>
        send({ kind, key, iccid }, (refusal) => call(at(refusal)))
      ),
      listPackages: (of) =>
        send({ kind: "listPackages", key: of.iccid, iccid: of.iccid }, (refusal) => at(refusal).listPackages(of)),
      readUsage: (of) =>
        send({ kind: "readUsage", key: of.iccid, iccid: of.iccid }, (refusal) => at(refusal).readUsage(of)),
      buySim: (of) =>
        send({ kind: "buySim", key: of.purchaseId, iccid: iccidOf(of.purchaseId) }, (refusal) =>
          at(refusal).buySim(of)
        ),
      returnSim: (of) =>
        send({ kind: "returnSim", key: of.purchaseId, iccid: of.iccid }, (refusal) => at(refusal).returnSim(of))
    })
    const simulator = TelcoSimulator.of({
      ...inspectionOf(records),
      ...customersOf(records),
      sell: ({ iccid, purchaseId }) => Effect.asVoid(records.sales.add(purchaseId, { iccid, load: "", refusal: null })),
      ...controls
    })
    return Context.make(Telco.Telco, telco).pipe(
      Context.add(TelcoSimulator, simulator),
      Context.add(TelcoBundles.TelcoBundles, sold)
    )
  })

/**
 * The telco over these books; both services share them. It sells the bundles of `SimulatorBundles`.
 */
export const layer = (options: Options = {}): Layer.Layer<Telco.Telco | TelcoSimulator, never, Books> =>
  Layer.effectContext(make(options))

/** The telco with books in memory. */
export const layerMemory = (options: Options = {}): Layer.Layer<Telco.Telco | TelcoSimulator> =>
  Layer.provide(layer(options), memoryBooks)
