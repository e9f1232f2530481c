/**
 * A telco of the settings file, connected: what the port asks of it, and what an operator may ask
 * about it. `make` holds those that are connected now, and puts those of other settings in their
 * place while the service runs.
 *
 * The map and the routes are changed in place and in one step: whoever holds them sees either the
 * old ones or the new ones. A telco whose settings are the same stays connected. One that is gone
 * or has other settings takes no new calls, and is disconnected when its last call is over.
 */
import { Data, Deferred, Effect, Equal, Exit, FiberMap, type Redacted, Scope, Semaphore } from "effect"
import type { Catalogues, Organizations, Problems, Refusal, Reports, Sims, UsageReconciliation } from "simplan"
import {
  type Amount,
  type Label,
  type Storage,
  Telco,
  type TelcoBundles,
  TelcoPorts,
  type TelcoUsage,
  type Time
} from "simplan/ports"
import type { Journal } from "../telco-calls/index.ts"
import type * as Routing from "./Routing.ts"
import type * as Settings from "./Settings.ts"

/** A telco cannot be used as the settings say. */
export class CannotConnect extends Data.TaggedError("TelcoRoutes.CannotConnect")<{
  /** A line for each thing that is wrong; no secret. */
  readonly message: string
}> {}

/** What of the service a telco reports to. */
export type Informed =
  | Reports.Reports
  | Catalogues.Catalogues
  | Problems.Problems
  | UsageReconciliation.UsageReconciliation

/** What of the service a telco's background needs: its SIMs in stock are compared too. */
export type Services = Informed | Organizations.Organizations | Sims.Sims

/** What came of trying one thing of a telco. */
export interface Finding {
  /** What was tried, such as `packages` or `location zones`. */
  readonly what: string
  /** False: the operator has to see to it. */
  readonly works: boolean
  /** A sentence; it has no secret. */
  readonly message: string
}

/** The result of a call; `describe` says what its answer shows. */
export const finding = <A>(
  what: string,
  call: Effect.Effect<A, { readonly message: string }>,
  describe: (answer: A) => Omit<Finding, "what">
): Effect.Effect<Finding> =>
  Effect.match(call, {
    onSuccess: (answer) => ({ what, ...describe(answer) }),
    onFailure: ({ message }) => ({ what, works: false, message })
  })

/** A location zone of a coverage profile, of a label. */
export interface Zone {
  /** The label of the SIMs that the profile is for. */
  readonly label: Label.Label
  /** The id of the custom region. */
  readonly coverageId: string
  /** The telco's own number of the zone. */
  readonly zoneId: number
}

/** The zones of custom regions, which are set while the service runs. */
export interface Zones {
  /**
   * Refuses a zone that the telco says it has not. If it cannot be asked, the zone is set.
   * `record` writes what else belongs to the change: both are written or none, if the journal is
   * in the storage's database or in memory.
   */
  readonly set: (
    zone: Zone,
    record: Effect.Effect<void, Storage.StorageError>
  ) => Effect.Effect<void, Storage.StorageError | Refusal.InvalidField>
  /** By label and coverage id. */
  readonly list: Effect.Effect<ReadonlyArray<Zone>, Storage.StorageError>
}

/** What a telco notifies by itself, over HTTP. */
export interface Notifications {
  /** Who sends a notification has to know it. */
  readonly secret: Redacted.Redacted
  /**
   * The answer to a body that is JSON. One that is no notification is refused, if the telco expects
   * that.
   */
  readonly take: (body: unknown) => Effect.Effect<Answer, Refusal.InvalidField | Storage.StorageError, Informed>
}

/** What a supplier tells by itself, over HTTP: no more than a hint. */
export interface Callbacks {
  /** Who sends one has to know it. */
  readonly secret: Redacted.Redacted
  /** Is given a body as it came, whatever it is. */
  readonly take: (body: string) => Effect.Effect<void, Storage.StorageError>
}

/** How a telco reports to `/telco/v1/events`. */
export interface Reporting {
  /** Null: it has the token of the service's settings. */
  readonly token: Redacted.Redacted | null
  /** Which reports it may make. */
  readonly mayReport: Reports.MayReport
}

/** The answer to a notification; a body that is null is empty. */
export interface Answer {
  /** The status of HTTP. */
  readonly status: number
  /** Sent as JSON; null: no body. */
  readonly body: unknown
}

/** A comparison of all SIMs with what the telco has (rule S5). */
export interface Comparison {
  /** Has it done from now on; what was compared before does not count. */
  readonly begin: Effect.Effect<ComparisonProgress, Storage.StorageError>
  /** How far the last one is; null: none was asked for. */
  readonly progress: Effect.Effect<ComparisonProgress | null, Storage.StorageError>
}

/** How far it is. Times are in milliseconds. */
export interface ComparisonProgress {
  /** When it was asked for. */
  readonly requestedAt: number
  /** How many SIMs were compared since. */
  readonly compared: number
  /** Of how many SIMs the telco has not answered. */
  readonly unanswered: number
  /** Null: it is under way. */
  readonly doneAt: number | null
}

/** What a telco that sells eSIMs says of its account. */
export interface Seller {
  /** What it sells now (rule P5). */
  readonly bundles: Effect.Effect<ReadonlyArray<TelcoBundles.Bundle>, Telco.Refused | Telco.Unavailable>
  /** What is left for orders; null: it has no balance. */
  readonly balance: Effect.Effect<Amount.Amount | null, Telco.Refused | Telco.Unavailable>
  /**
   * Whether the balance that was read last pays for this price; null: for any. One that does not is
   * read anew. True if it is not known. Absent: it has no balance.
   */
  readonly covers?: (price: Amount.Amount | null) => Effect.Effect<boolean>
}

/** What a telco needs to be done beside calls. */
export interface Background {
  /** Does it until it is interrupted. */
  readonly forever: Effect.Effect<never, never, Services>
  /** Does a bounded share of what is due now. */
  readonly drain: Effect.Effect<void, never, Services>
}

/** A telco under the name that the settings give it. */
export interface Connected {
  /** What routes, metrics and the journal call it by. */
  readonly name: string
  /** The adapter that reaches it, such as `ocs`. */
  readonly kind: Settings.Kind
  /** Refuses what the kind cannot do. */
  readonly telco: Telco.Telco["Service"]
  /** Refuses terms for which the telco has no settings. */
  readonly checkTerms: TelcoPorts.TelcoTerms["check"]
  /** Null: it has no location zones. */
  readonly zones: Zones | null
  /** Null: it sends no notifications. */
  readonly notifications: Notifications | null
  /** Absent: it takes no callbacks. */
  readonly callbacks?: Callbacks
  /** Absent: nobody reports for it to `/telco/v1/events`. */
  readonly reports?: Reporting
  /**
   * Asks for the IMSI of a SIM of which the inventory has none, by which an SMSC may find it. The
   * answer is null if the telco does not know it. Null: the telco knows no IMSIs.
   */
  readonly imsiOf: ((iccid: string) => Effect.Effect<string | null, Telco.Refused | Telco.Unavailable>) | null
  /** Calls it in ways that change nothing. */
  readonly check: Effect.Effect<ReadonlyArray<Finding>>
  /**
   * What the settings name and the telco does not have, a sentence each. Fails if the telco
   * cannot be asked.
   */
  readonly missing: Effect.Effect<ReadonlyArray<string>, Telco.Unavailable>
  /** Null: it needs nothing to be done. */
  readonly background: Background | null
  /** Absent: its books cannot be compared. */
  readonly comparison?: Comparison
  /** Absent: it sells nothing. */
  readonly seller?: Seller
  /**
   * Until when it has counted what was used of the packages on a SIM, by their ids. Absent: it
   * reports usage by itself.
   */
  readonly usageAsOf?: (
    of: Parameters<TelcoUsage.TelcoUsage["asOf"]>[0]
  ) => Effect.Effect<ReadonlyMap<string, Time.Instant>, Journal.JournalError>
}

/** What a telco has that only takes calls. */
export const onlyCalls: Pick<
  Connected,
  "checkTerms" | "zones" | "notifications" | "imsiOf" | "missing" | "background"
> = {
  checkTerms: () => Effect.void,
  zones: null,
  notifications: null,
  imsiOf: null,
  missing: Effect.succeed([]),
  background: null
}

/**
 * Refuses every call. A kind of telco takes from it the calls that it cannot do: no route leads to
 * them, but a key whose first call went to another kind of telco of the same name does.
 */
export const unsupported = (name: string): Telco.Telco["Service"] => {
  const refuse = (what: string) => () =>
    Effect.fail(new Telco.Refused({ message: `The telco ${name} is not one that ${what}` }))
  return {
    createPackage: refuse("creates packages"),
    suspendPackage: refuse("suspends packages"),
    cancelPackage: refuse("cancels packages"),
    sendSms: refuse("sends messages"),
    releaseProfile: refuse("releases profiles"),
    setMobilePlan: refuse("sets mobile plans")
  }
}

/** Connects a telco, as long as the scope is open. */
type Connect = (of: Settings.Telco) => Effect.Effect<Connected, CannotConnect, Scope.Scope>

/** Counts what is under way at a telco. */
const makeUse = () => {
  let underWay = 0
  const waiting: Array<Deferred.Deferred<void>> = []
  const begin = Effect.sync(() => {
    underWay += 1
  })
  const end = Effect.sync(() => {
    underWay -= 1
    if (underWay === 0) for (const one of waiting.splice(0)) Deferred.doneUnsafe(one, Exit.void)
  })
  return {
    count: <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        begin,
        () => call,
        () => end
      ),
    /** Ends when nothing is under way. */
    over: Effect.suspend(() => {
      if (underWay === 0) return Effect.void
      const ended = Deferred.makeUnsafe<void>()
      waiting.push(ended)
      return Deferred.await(ended)
    })
  }
}

type Use = ReturnType<typeof makeUse>

const setting =
  (count: Use["count"], { set }: Zones): Zones["set"] =>
  (zone, record) =>
    count(set(zone, record))

const taking =
  (count: Use["count"], { take }: Notifications): Notifications["take"] =>
  (body) =>
    count(take(body))

const asking =
  (count: Use["count"], imsiOf: NonNullable<Connected["imsiOf"]>): NonNullable<Connected["imsiOf"]> =>
  (iccid) =>
    count(imsiOf(iccid))

const selling = (count: Use["count"], { balance, bundles, covers }: Seller): Seller => ({
  balance: count(balance),
  bundles: count(bundles),
  ...(covers !== undefined && { covers: (price) => count(covers(price)) })
})

const hinted = (count: Use["count"], { secret, take }: Callbacks): Callbacks => ({
  secret,
  take: (body) => count(take(body))
})

/** The telco with its calls counted. */
const counted = ({ count }: Use, of: Connected): Connected => ({
  ...of,
  telco: TelcoPorts.map(of.telco, count),
  checkTerms: (terms) => count(of.checkTerms(terms)),
  zones: of.zones === null ? null : { list: of.zones.list, set: setting(count, of.zones) },
  notifications: of.notifications === null ? null : { ...of.notifications, take: taking(count, of.notifications) },
  imsiOf: of.imsiOf === null ? null : asking(count, of.imsiOf),
  ...(of.callbacks !== undefined && { callbacks: hinted(count, of.callbacks) }),
  ...(of.seller !== undefined && { seller: selling(count, of.seller) })
})

/** A connected telco, and what it was connected by. */
interface Member {
  /** No two that were ever connected have the same. */
  readonly id: number
  readonly of: Settings.Telco
  readonly connected: Connected
  readonly use: Use
  readonly scope: Scope.Closeable
}

/** The telcos of a process. */
export interface ConnectedTelcos {
  /** By name, in the order of the settings. It changes in place. */
  readonly telcos: ReadonlyMap<string, Connected>
  /** In the order in which they are tried. It changes in place. */
  readonly routes: ReadonlyArray<Routing.Route>
  /** All names that there were: what the journal has entries of. It grows in place. */
  readonly names: ReadonlyArray<string>
  /**
   * Connects the telcos of these settings that are not connected yet, and takes them all in place
   * of those that are there. `lackingOf` says what a new one lacks, a sentence each. If one
   * lacks something, or cannot be connected, nothing changes.
   */
  readonly replace: (
    settings: Settings.Settings,
    lackingOf: (telco: Connected) => Effect.Effect<ReadonlyArray<string>, never, Scope.Scope>
  ) => Effect.Effect<void, CannotConnect>
  /** Does what the telcos of each moment need to be done all the time, until it is interrupted. */
  readonly background: Effect.Effect<never, never, Services>
}

/**
 * None yet. `connectTo` may hold the map and the routes; `known` is the first of the names. All end
 * with the scope.
 */
export const make = (
  known: ReadonlyArray<string>,
  connectTo: (telcos: Pick<ConnectedTelcos, "telcos" | "routes">) => Connect
): Effect.Effect<ConnectedTelcos, never, Scope.Scope> =>
  Effect.gen(function* () {
    const all = yield* Effect.scope
    const oneAtATime = yield* Semaphore.make(1)
    const telcos = new Map<string, Connected>()
    const routes: Array<Routing.Route> = []
    const names: Array<string> = [...known]
    const connect = connectTo({ telcos, routes })
    let members: ReadonlyArray<Member> = []
    let changed = Deferred.makeUnsafe<void>()
    let lastId = 0

    // What a telco starts has to be interruptible, as it is ended by an interruption.
    const open = (of: Settings.Telco): Effect.Effect<Member, CannotConnect> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.fork(all)
          const use = makeUse()
          const connected = yield* Effect.onError(restore(Scope.provide(connect(of), scope)), (cause) =>
            Scope.close(scope, Exit.failCause(cause))
          )
          return { id: ++lastId, of, connected: counted(use, connected), use, scope }
        })
      )

    const retire = ({ scope, use }: Member) =>
      Effect.forkIn(Effect.interruptible(Effect.andThen(use.over, Scope.close(scope, Exit.void))), all)

    const take = (settings: Settings.Settings, next: ReadonlyArray<Member>): ReadonlyArray<Member> => {
      const gone = members.filter((one) => !next.includes(one))
      members = next
      telcos.clear()
      for (const { connected } of next) telcos.set(connected.name, connected)
      routes.splice(0, routes.length, ...settings.routes)
      for (const { name } of settings.telcos) if (!names.includes(name)) names.push(name)
      Deferred.doneUnsafe(changed, Exit.void)
      changed = Deferred.makeUnsafe<void>()
      return gone
    }

    const replace: ConnectedTelcos["replace"] = (settings, lackingOf) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const opened: Array<Member> = []
          const connecting = Effect.gen(function* () {
            const next = yield* Effect.forEach(settings.telcos, (of) => {
              const same = members.find((one) => Equal.equals(one.of, of))
              return same === undefined
                ? Effect.tap(open(of), (one) => Effect.sync(() => void opened.push(one)))
                : Effect.succeed(same)
            })
            const lacking = yield* Effect.forEach(
              opened,
              ({ connected, scope }) => Scope.provide(lackingOf(connected), scope),
              { concurrency: "unbounded" }
            )
            const sentences = lacking.flat()
            if (sentences.length > 0) return yield* new CannotConnect({ message: sentences.join("\n") })
            return next
          })
          const next = yield* Effect.onError(restore(connecting), (cause) =>
            Effect.forEach(opened, ({ scope }) => Scope.close(scope, Exit.failCause(cause)), { discard: true })
          )
          yield* Effect.forEach(take(settings, next), retire, { discard: true })
        })
      ).pipe(oneAtATime.withPermits(1))

    const background: ConnectedTelcos["background"] = Effect.scoped(
      Effect.gen(function* () {
        const running = yield* FiberMap.make<number, never>()
        for (;;) {
          const change = changed
          const ids = new Set(members.map(({ id }) => id))
          for (const [id] of [...running]) if (!ids.has(id)) yield* FiberMap.remove(running, id)
          for (const { connected, id } of members) {
            if (connected.background === null || FiberMap.hasUnsafe(running, id)) continue
            yield* FiberMap.run(running, id, connected.background.forever)
          }
          yield* Deferred.await(change)
        }
      })
    )

    return { telcos, routes, names, replace, background }
  })
