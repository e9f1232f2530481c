/**
 * The telco port over several telcos: each call goes to the telco that its SIM's route names.
 *
 * The telco that a call's key was first sent to is kept in the journal, and gets every call about
 * that key: also after the routes were changed, a package is suspended and cancelled where it was
 * created, and nothing is done twice. The entry of a package stays; that of another call is purged
 * some time after the call was last made.
 *
 * A SIM that a telco has sold is that telco's, whatever the routes say: packages, messages and its
 * profile go there. Entries of purchases, and of the SIMs that came by them, stay.
 *
 * Beside the port: whether the telco of a plan's SIMs carries its terms, what it can do (rule P4),
 * and by what a SIM can be addressed (rule I7), which is read for each call
 * because an import may change it at any time.
 */
import { Effect, Metric, Option, Result, Schema } from "effect"
import type { Reports } from "simplan"
import {
  Capabilities,
  type Label,
  Package,
  SimIdentities,
  Storage,
  Telco,
  TelcoCapabilities,
  TelcoPorts,
  type TelcoUsage,
  type Time
} from "simplan/ports"
import { Journal, CallFailure } from "../telco-calls/index.ts"
import type { Connected } from "./Connected.ts"
import * as Routing from "./Routing.ts"

type Port = Telco.Telco["Service"]
type Call<A> = Effect.Effect<A, Telco.Refused | Telco.Unavailable>

/** The place of entries that belong to none of the telcos: no telco has such a name. */
export const ROUTES = "*"
/** The kind of the entries of packages, of purchases, and of SIMs that were bought. */
const KIND = "route"

const purchase = (purchaseId: string): Journal.Place => ({ telco: ROUTES, kind: KIND, key: `purchase/${purchaseId}` })
const soldSim = (iccid: string): Journal.Place => ({ telco: ROUTES, kind: KIND, key: `sim/${iccid}` })

const decode = Schema.decodeUnknownOption(Schema.Struct({ telco: Schema.String }))

/** The telco that an entry names; null: there is no entry. */
const telcoOf = (entry: Journal.Entry | null): string | null => Option.getOrNull(decode(entry?.document))?.telco ?? null

/** The telco that has sold a SIM; null: it was not bought. */
const recordedSeller = (journal: Journal.Journal["Service"], iccid: string) =>
  Effect.map(journal.get(soldSim(iccid)), telcoOf)

/** What of a telco each call asks for. */
const capabilities = {
  createPackage: "packages",
  suspendPackage: "packages",
  cancelPackage: "packages",
  sendSms: "sms",
  releaseProfile: "profiles",
  setMobilePlan: "packages",
  setService: "packages"
} as const satisfies Readonly<Record<TelcoPorts.Change, Routing.Capability>>

/** Whose SIM an ICCID is, and its label, which may be corrected while the SIM is free (rule I9). */
export const makeOwners = (storage: Storage.Storage["Service"]) =>
  Effect.fnUntraced(function* (iccid: string): Effect.fn.Return<Routing.Supplied, Telco.Unavailable | Telco.Refused> {
    const owner = yield* Effect.mapError(
      storage.simAggregates.owner(iccid),
      ({ message }) => new Telco.Unavailable({ message })
    )
    if (owner === null) return yield* new Telco.Refused({ message: "The SIM is not in the inventory" })
    return owner
  })

/** That no route fits; for whoever reads the answer to a request. */
export const unrouted = (label: Label.Label): Telco.Refused =>
  new Telco.Refused({
    message: `No telco takes SIMs of the label ${label} here: the operator adds a route for it to the settings of telcos`
  })

/** The telco that takes the packages of such SIMs now; undefined if none does. */
const supplierOf = (
  routes: ReadonlyArray<Routing.Route>,
  telcos: ReadonlyMap<string, Connected>,
  of: Routing.Supplied
): Connected | undefined => {
  const route = Routing.find(routes, of)
  return route === undefined ? undefined : telcos.get(route.telcos.packages)
}

const outcomeOf = (result: Result.Result<unknown, Telco.Refused | Telco.Unavailable>): string =>
  Result.isSuccess(result) ? "done" : result.failure._tag === "Telco.Refused" ? "refused" : "unavailable"

const count = (telco: string, operation: TelcoPorts.Operation, outcome: string) =>
  Metric.update(
    Metric.counter("simplan_telco_routed_calls_total", {
      description: "Calls of each telco, by what came of them",
      attributes: { telco, operation, outcome },
      incremental: true
    }),
    1
  )

/**
 * A telco's call, whose failure names the telco: what waits for this one does not wait for the
 * others.
 */
const named = <A>(telco: string, call: Call<A>): Call<A> =>
  Effect.catchTag(
    Effect.andThen(TelcoPorts.asking(telco), call),
    "Telco.Unavailable",
    ({ isAsked, isDone, message, retryAfterSeconds }) =>
      Effect.fail(
        new Telco.Unavailable({
          message,
          telco,
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
          ...(isAsked !== undefined && { isAsked }),
          ...(isDone !== undefined && { isDone })
        })
      )
  )

/** A telco's call, counted by the telco and its outcome. */
const counted = <A>(telco: string, operation: TelcoPorts.Operation, call: Call<A>): Call<A> =>
  Effect.flatMap(Effect.result(named(telco, call)), (result) =>
    Effect.andThen(count(telco, operation, outcomeOf(result)), Effect.fromResult(result))
  )

/**
 * The port over these telcos. A SIM without a route is `Refused`; metrics count each telco's calls.
 */
export const make = ({
  journal,
  ownerOf,
  routes,
  telcos
}: {
  readonly journal: Journal.Journal["Service"]
  readonly ownerOf: ReturnType<typeof makeOwners>
  readonly routes: ReadonlyArray<Routing.Route>
  readonly telcos: ReadonlyMap<string, Connected>
}): Port => {
  /** The telco that a key was first sent to; null if it was sent to none. */
  const recorded = (place: Journal.Place) =>
    Effect.gen(function* () {
      const entry = yield* CallFailure.ofJournal(journal.get(place))
      // A call that comes again writes its entry, so that it is not purged before the call is over.
      if (entry !== null && place.kind === Journal.ROUTE) yield* CallFailure.ofJournal(journal.replace(entry))
      return telcoOf(entry)
    })

  const sellerOf = (iccid: string) => CallFailure.ofJournal(recordedSeller(journal, iccid))

  /** The telco of a key, which is the one of all calls with it from now on. */
  const kept = Effect.fnUntraced(function* (place: Journal.Place, iccid: string | null, name: string) {
    const entry = { ...place, iccid, externalId: null, document: { telco: name }, dueAt: null }
    const added = yield* CallFailure.ofJournal(journal.add(entry))
    return added === null ? ((yield* recorded(place)) ?? name) : name
  })

  /** The name of the telco for a call, which is that of all calls with this key from now on. */
  const assigned = Effect.fnUntraced(function* ({ iccid, key, operation, packageId }: TelcoPorts.Subject) {
    const capability = capabilities[operation]
    const kind = packageId === null ? Journal.ROUTE : KIND
    const group = operation === "setMobilePlan" ? "plan" : capability
    const place = { telco: ROUTES, kind, key: `${group}/${packageId ?? key}` }
    const [owner, seller] = yield* Effect.all([ownerOf(iccid), sellerOf(iccid)], { concurrency: "unbounded" })
    const name = seller ?? Routing.find(routes, owner)?.telcos[capability]
    if (name === undefined) return (yield* recorded(place)) ?? (yield* unrouted(owner.label))
    return yield* kept(place, iccid, name)
  })

  const gone = (name: string, operation: keyof Port): Telco.Refused | Telco.Unavailable => {
    const message = `This went to the telco ${name} before, which the settings of telcos do not name any more`
    // A refusal is reported to the operator. What may still be there must not count as refused.
    return operation === "createPackage" || operation === "buySim"
      ? new Telco.Unavailable({ message })
      : new Telco.Refused({ message })
  }

  const ask = <A>(subject: TelcoPorts.Subject, call: (telco: Port, name: string) => Call<A>): Call<A> =>
    Effect.flatMap(assigned(subject), (name) => {
      const connected = telcos.get(name)
      if (connected === undefined) return Effect.fail(gone(name, subject.operation))
      return counted(name, subject.operation, call(connected.telco, name))
    })

  /** The telco that takes the packages of a SIM now, if one does, and all that took some too. */
  const suppliers = Effect.fnUntraced(function* (iccid: string) {
    const owner = yield* ownerOf(iccid)
    const sent = yield* CallFailure.ofJournal(journal.ofSim({ telco: ROUTES, kind: KIND, iccid }))
    const { key } = soldSim(iccid)
    const seller = telcoOf(sent.find((entry) => entry.key === key) ?? null)
    const now = seller ?? Routing.find(routes, owner)?.telcos.packages
    const before = sent.flatMap((entry) => telcoOf(entry) ?? [])
    return { now, all: new Set(now === undefined ? before : [now, ...before]) }
  })

  /**
   * What one telco lists. The cancellation of a package goes to the telco that has it, so each is
   * recorded.
   */
  const listedBy = Effect.fnUntraced(function* (name: string, of: Telco.Listing) {
    const { iccid } = of
    const telco = telcos.get(name)?.telco
    if (telco?.listPackages === undefined) return null
    const ids = yield* counted(name, "listPackages", telco.listPackages(of))
    for (const id of ids ?? []) {
      const entry = { telco: ROUTES, kind: KIND, key: `packages/${id}`, iccid, externalId: null, dueAt: null }
      yield* CallFailure.ofJournal(journal.add({ ...entry, document: { telco: name } }))
    }
    return ids
  })

  /**
   * Stops or starts the service at each telco that may have packages of the SIM. One that took some
   * before and does not know the SIM any more may refuse.
   */
  const setService = Effect.fnUntraced(function* (of: { key: string; iccid: string; active: boolean }) {
    const { all, now } = yield* suppliers(of.iccid)
    let isDone = false
    let refusal = new Telco.Refused({ message: "No telco of the SIM can stop its service" })
    for (const name of all) {
      const call = telcos.get(name)?.telco.setService
      if (call === undefined) continue
      const result = yield* Effect.result(counted(name, "setService", call(of)))
      if (Result.isSuccess(result)) isDone = true
      else if (result.failure._tag === "Telco.Unavailable" || name === now) return yield* result.failure
      else refusal = result.failure
    }
    if (!isDone) return yield* refusal
  })

  return {
    ...TelcoPorts.dispatch(ask),
    createPackage: (order) => {
      const { iccid, load, packageId } = order
      return ask({ operation: "createPackage", key: packageId, iccid, packageId }, ({ createPackage }, telco) =>
        Effect.map(createPackage(order), (made) => (load === undefined ? made : { ...made, telco }))
      )
    },
    setService,
    listPackages: Effect.fnUntraced(function* (of) {
      const lists = yield* Effect.forEach((yield* suppliers(of.iccid)).all, (name) => listedBy(name, of))
      const known = lists.filter((ids) => ids !== null)
      return known.length === 0 ? null : known.flat()
    }),
    readUsage: Effect.fnUntraced(function* (of) {
      const found = yield* Effect.forEach((yield* suppliers(of.iccid)).all, (name) => {
        const call = telcos.get(name)?.telco.readUsage
        return call === undefined ? Effect.succeed(null) : counted(name, "readUsage", call(of))
      })
      const known = found.filter((one) => one !== null)
      return known.length === 0 ? null : known.flat()
    }),
    buySim: Effect.fnUntraced(function* (of) {
      const { label, purchaseId } = of
      const place = purchase(purchaseId)
      const route = Routing.find(routes, of)?.telcos.packages
      const known = route === undefined ? yield* recorded(place) : yield* kept(place, null, route)
      const name = known ?? (yield* unrouted(label))
      const connected = telcos.get(name)
      if (connected === undefined) return yield* gone(name, "buySim")
      const { buySim } = connected.telco
      if (buySim === undefined) return yield* new Telco.Refused({ message: `The telco ${name} sells no SIMs` })
      const sold = yield* counted(name, "buySim", buySim(of))
      const { iccid } = sold
      if ((yield* sellerOf(iccid)) !== name) {
        const document = { telco: name }
        const change = Journal.change(journal, soldSim(iccid), () => ({
          iccid,
          externalId: null,
          dueAt: null,
          document
        }))
        yield* CallFailure.ofJournal(change)
      }
      return { ...sold, telco: name }
    }),
    returnSim: Effect.fnUntraced(function* (of) {
      const name = yield* recorded(purchase(of.purchaseId))
      if (name === null) return yield* new Telco.Refused({ message: `The SIM ${of.iccid} was bought of no telco here` })
      const connected = telcos.get(name)
      if (connected === undefined) return yield* gone(name, "returnSim")
      const { returnSim } = connected.telco
      if (returnSim === undefined) return yield* new Telco.Refused({ message: `The telco ${name} takes no SIMs back` })
      return yield* counted(name, "returnSim", returnSim(of))
    }),
    compareUsage: Effect.fnUntraced(function* (of) {
      for (const name of (yield* suppliers(of.iccid)).all) {
        const call = telcos.get(name)?.telco.compareUsage
        if (call !== undefined) yield* counted(name, "compareUsage", call(of))
      }
    })
  }
}

/**
 * Refuses terms if no route takes the plan's SIMs, or if the telco of their packages has no
 * settings for the terms.
 */
export const makeTerms = (
  routes: ReadonlyArray<Routing.Route>,
  telcos: ReadonlyMap<string, Connected>
): TelcoPorts.TelcoTerms => ({
  check: (of) =>
    Effect.suspend(() => {
      const { organizationId, terms } = of
      const { label, load } = terms
      const sim = { label, organizationId, ...(load !== undefined && { load }) }
      const telco = supplierOf(routes, telcos, sim)
      if (telco !== undefined) return telco.checkTerms(of)
      // The plan may be given a bundle whose load has a route.
      return routes.some((route) => Routing.fits(route, sim)) ? Effect.void : Effect.fail(unrouted(terms.label))
    })
})

/**
 * What the telcos of the SIMs can do: that of their messages sends, that of their packages does the
 * rest. A SIM that was bought is with the telco that has sold it, whatever the routes say by now;
 * one that is to be bought will be with the telco that its load goes to. Where no route fits, the
 * order says so; only a pause could not be.
 */
export const makeCapabilities =
  (
    journal: Journal.Journal["Service"],
    routes: ReadonlyArray<Routing.Route>,
    telcos: ReadonlyMap<string, Connected>
  ): TelcoCapabilities.CapabilitiesOf =>
  ({ iccid, label, organizationId, purchase }) =>
    Effect.gen(function* () {
      const seller =
        iccid === undefined || purchase == null
          ? null
          : yield* Effect.mapError(
              recordedSeller(journal, iccid),
              ({ cause, message }) => new Storage.StorageError({ message, cause })
            )
      const route = Routing.find(routes, { label, organizationId, ...(purchase != null && { load: purchase.load }) })
      const own = seller ?? route?.telcos.packages
      const packages = own === undefined ? undefined : telcos.get(own)
      if (packages === undefined) return { ...Capabilities.full, pause: false }
      const messages = seller === null ? telcos.get(route?.telcos.sms ?? "") : packages
      const { sms } = TelcoCapabilities.ofPort((messages ?? packages).telco)
      return { ...TelcoCapabilities.ofPort(packages.telco), sms }
    })

/** How fresh usage is, as the telcos say that have packages of the SIM. */
export const makeUsage = (
  journal: Journal.Journal["Service"],
  telcos: ReadonlyMap<string, Connected>
): TelcoUsage.TelcoUsage => ({
  asOf: Effect.fnUntraced(function* (of) {
    const none: ReadonlyMap<string, Time.Instant> = new Map()
    if (![...telcos.values()].some(({ usageAsOf }) => usageAsOf !== undefined)) return none
    const found = Effect.gen(function* () {
      const sent = yield* journal.ofSim({ telco: ROUTES, kind: KIND, iccid: of.iccid })
      const names = new Set(sent.flatMap((entry) => telcoOf(entry) ?? []))
      const all = yield* Effect.forEach(names, (name) => telcos.get(name)?.usageAsOf?.(of) ?? Effect.succeed(none))
      return new Map(all.flatMap((each) => [...each]))
    })
    // Failure: nobody knows how fresh it is.
    return yield* Effect.orElseSucceed(found, () => none)
  })
})

/**
 * By what a SIM can be addressed: what the inventory has, else what the telco of the SIM's packages
 * knows.
 */
export interface Identities {
  /** Those of the inventory. */
  readonly known: (iccid: string) => Call<SimIdentities.SimIdentities>
  /**
   * The IMSI of the inventory, else the one that the telco of the SIM's packages knows; null if
   * neither has one.
   */
  readonly imsi: (iccid: string) => Call<string | null>
  /** The name of the telco that takes the packages of such SIMs now; undefined if none does. */
  readonly supplier: (of: Routing.Supplied) => string | undefined
  /**
   * Whether a telco may report of a SIM what it was not asked for: the SIM's route names it for one
   * of these.
   */
  readonly mayReport: (
    telco: string,
    capabilities: ReadonlyArray<Routing.Capability>
  ) => (iccid: string) => Effect.Effect<boolean, Storage.StorageError>
  /**
   * Which reports a telco may make: those of SIMs that are routed to it, and those of the use of
   * packages that were sent to it before, to which the SIM may not be routed any more.
   */
  readonly reportsOf: (telco: string) => Reports.MayReport
}

/** How many SIMs of the reports of one request are read at once. */
const READS = 100

/** `telcos` may be filled in afterwards. */
export const makeIdentities = ({
  journal,
  ownerOf,
  routes,
  storage,
  telcos
}: {
  readonly journal: Journal.Journal["Service"]
  readonly ownerOf: ReturnType<typeof makeOwners>
  readonly routes: ReadonlyArray<Routing.Route>
  readonly storage: Storage.Storage["Service"]
  readonly telcos: ReadonlyMap<string, Connected>
}): Identities => {
  const known = Effect.fnUntraced(function* (iccid: string) {
    const { organizationId } = yield* ownerOf(iccid)
    const found = yield* Effect.mapError(
      storage.sims.identities({ organizationId, iccid }),
      ({ message }) => new Telco.Unavailable({ message })
    )
    return found ?? SimIdentities.none
  })
  const ofJournal = Effect.mapError(({ message }: Journal.JournalError) => new Storage.StorageError({ message }))

  /** The telcos of a SIM by what they are asked for; undefined if it has none. */
  const telcosOf = Effect.fnUntraced(function* (iccid: string) {
    const owner = yield* storage.simAggregates.owner(iccid)
    if (owner === null) return undefined
    const isSold = [...telcos.values()].some(({ telco }) => telco.buySim !== undefined)
    const seller = isSold ? telcoOf(yield* ofJournal(journal.get(soldSim(iccid)))) : null
    if (seller !== null) return { packages: seller, sms: seller, profiles: seller }
    return Routing.find(routes, owner)?.telcos
  })

  const isOf = (
    telco: string,
    capabilities: ReadonlyArray<Routing.Capability>,
    telcos?: Routing.Route["telcos"]
  ): boolean => capabilities.some((capability) => telcos?.[capability] === telco)

  /**
   * Whether the package that was used was sent to the telco. Of a SIM whose packages all were, no
   * name of it is needed.
   */
  const hasPackage = Effect.fnUntraced(function* (telco: string, iccid: string, packageId: string | null) {
    const sent = yield* journal.ofSim({ telco: ROUTES, kind: KIND, iccid })
    const key = packageId === null ? null : `packages/${Package.canonicalId(packageId)}`
    const named = sent.filter((entry) => entry.key === key)
    const entries = named.length > 0 ? named : sent
    return entries.length > 0 && entries.every((entry) => telcoOf(entry) === telco)
  }, ofJournal)

  return {
    known,
    // The name of the route: `telcos` may not have the telco yet.
    supplier: (of) => Routing.find(routes, of)?.telcos.packages,
    mayReport: (telco, capabilities) => (iccid) =>
      Effect.map(telcosOf(iccid), (telcos) => isOf(telco, capabilities, telcos)),
    reportsOf: (telco) =>
      Effect.fnUntraced(function* (reports) {
        const iccids = [...new Set(reports.map(({ iccid }) => iccid))]
        const found = yield* Effect.forEach(iccids, telcosOf, { concurrency: READS })
        const known = new Map(iccids.map((iccid, index) => [iccid, found[index]]))
        return yield* Effect.forEach(reports, ({ fact, iccid }) => {
          const isOfUse = "packageId" in fact
          if (isOf(telco, isOfUse ? ["packages"] : ["packages", "profiles"], known.get(iccid)))
            return Effect.succeed(true)
          return isOfUse ? hasPackage(telco, iccid, fact.packageId) : Effect.succeed(false)
        })
      }),
    imsi: Effect.fnUntraced(function* (iccid: string) {
      const { imsi } = yield* known(iccid)
      if (imsi !== null) return imsi
      const telco = supplierOf(routes, telcos, yield* ownerOf(iccid))
      return telco === undefined || telco.imsiOf === null ? null : yield* telco.imsiOf(iccid)
    })
  }
}
