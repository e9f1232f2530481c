/**
 * An online charging system of the settings file, and the location zones of custom regions at it,
 * which are set while the service runs.
 */
import { Clock, Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { Refusal } from "simplan"
import { Label, type Sim, Storage, Telco, TelcoUsage } from "simplan/ports"
import { CallFailure, CallGate, Journal } from "../../telco-calls/index.ts"
import { Api, HttpApi, Ocs, Reporting, Subscribers, Zones } from "../../telco-ocs/index.ts"
import { type Connected, finding, type Zones as CustomZones, type Zone } from "../Connected.ts"
import type * as Settings from "../Settings.ts"
import type * as RoutedTelco from "../RoutedTelco.ts"
import type * as Routing from "../Routing.ts"

/** An ICCID that nobody has. */
const UNASSIGNED = "8999900000000000000"

const works = (message: string) => ({ works: true, message })

/** Whether the system answers: with a list, or that there is no such subscriber. */
const isAnswered = (call: Effect.Effect<unknown, CallFailure.CallFailure>) =>
  call.pipe(
    Effect.as("answers"),
    Effect.catchIf(
      ({ outcome }) => outcome === "NotFound",
      ({ message }) => Effect.succeed(message)
    )
  )

/** Today's usage of nobody. */
const usageNow = (usage: NonNullable<Api.Api["Service"]["usage"]>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => usage({ iccid: UNASSIGNED, from: now, to: now }))

/** A sentence for each zone that the settings name and the system does not have. */
const sentences = (name: string, missing: ReadonlyArray<Zones.Missing>): ReadonlyArray<string> =>
  missing.map(
    ({ label, regionCode, zoneId }) =>
      `telcos.${name}.zones.${label}.${regionCode} is ${zoneId}, and the telco has no location zone of that number`
  )

/**
 * Refuses a zone that the telco says it has not, which the orders of its plans would be. One that
 * cannot be asked refuses none.
 */
const isZone =
  (name: string, api: Api.Api["Service"]) =>
  ({ zoneId }: Zone): Effect.Effect<void, Refusal.InvalidField> =>
    // Failure: an order in a zone that is not there is refused, and the checks of the start name
    // it.
    Effect.flatMap(Effect.option(api.zones), (all) =>
      Option.isNone(all) || all.value.some(({ id }) => id === zoneId)
        ? Effect.void
        : Effect.fail(
            new Refusal.InvalidField({
              field: "zone_id",
              message: `must be a location zone of ${name}, which has no ${zoneId}`
            })
          )
    )

/** The journal's entry that lists the zones of custom regions. */
const ZoneDocument = Schema.Struct({
  zones: Schema.Array(
    Schema.Struct({ label: Schema.Literals(Label.labels), coverageId: Schema.String, zoneId: Schema.Finite })
  )
})

const decodeZones = Schema.decodeUnknownOption(ZoneDocument)

const zonesOf = (entry: Journal.Entry | null): ReadonlyArray<Zone> => {
  const document = decodeZones(entry?.document)
  return document._tag === "Some" ? document.value.zones : []
}

const isSame = (left: Zone, right: Zone): boolean => left.label === right.label && left.coverageId === right.coverageId

const keyOf = ({ coverageId, label }: Zone): string => `${label}/${coverageId}`

const stored = <A>(effect: Effect.Effect<A, Journal.JournalError>) =>
  Effect.mapError(effect, ({ cause, message }) => new Storage.StorageError({ message, cause }))

interface ZoneCalls {
  /** Refuses a zone that the telco has not. */
  readonly check: (zone: Zone) => Effect.Effect<void, Refusal.InvalidField>
  /** Gives the zone to the adapter, which orders by it. */
  readonly set: (zone: Zone) => Effect.Effect<void, Journal.JournalError>
}

/**
 * The zones of custom regions that were set at one telco. The telco's adapter keeps each of them;
 * the list of them all is an entry of its own in the journal.
 */
const makeZoneList = (telco: string, journal: Journal.Journal["Service"], of: ZoneCalls): CustomZones => {
  const place = { telco, kind: "zones", key: "list" }

  const add = (zone: Zone) =>
    Journal.change(journal, place, (before) => {
      const zones = [...zonesOf(before).filter((one) => !isSame(one, zone)), zone].toSorted((left, right) =>
        keyOf(left) < keyOf(right) ? -1 : 1
      )
      return { iccid: null, externalId: null, dueAt: null, document: { zones: zones.map((one) => ({ ...one })) } }
    })

  return {
    set: (zone, record) => {
      const recorded = Effect.mapError(record, ({ cause, message }) => new Journal.JournalError({ message, cause }))
      return Effect.andThen(
        of.check(zone),
        stored(journal.together(Effect.all([of.set(zone), add(zone), recorded], { discard: true })))
      )
    },
    list: stored(Effect.map(journal.get(place), zonesOf))
  }
}

/** Connects. */
export const connect = (
  of: Settings.Of<"ocs">,
  { known, mayReport, supplier }: RoutedTelco.Identities
): Effect.Effect<Connected, never, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const { name } = of
    const calls = HttpApi.layer({ ...of, telco: name, timeout: of.timeoutMillis, concurrency: of.callsAtOnce })
    // Failure: the system is asked, as of a SIM that the inventory does not have.
    const identitiesOf = (iccid: string) => Effect.orElseSucceed(known(iccid), () => null)
    const settings = { ...of, telco: name, watch: of.watchMillis, identitiesOf }
    // Each system has its own calls, also if two have the same settings.
    const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(Ocs.layer(settings), calls)))
    const api = Context.get(context, Api.Api)
    const zones = Context.get(context, Zones.Zones)
    const subscribers = Context.get(context, Subscribers.Subscribers)
    const usage = Context.get(context, TelcoUsage.TelcoUsage)
    const journal = yield* Journal.Journal
    const list = makeZoneList(name, journal, { check: isZone(name, api), set: zones.set })
    const reporting = {
      telco: name,
      fastest: of.poll.fastestMillis,
      slowest: of.poll.slowestMillis,
      notified: of.notifiedThresholds,
      // What was bought is of the telco that has sold it, and an OCS sells none.
      isSupplied: ({ purchase, ...sim }: Routing.Supplied & Pick<Sim.Sim, "purchase">) =>
        purchase === null && supplier(sim) === name,
      mayReport: mayReport(name, ["packages", "profiles"]),
      meter: Reporting.makeMeter(of.callsPerSecond)
    }
    const inside = <A, R>(effect: Effect.Effect<A, never, R>) =>
      Effect.provideContext(Effect.provideService(effect, Journal.Journal, journal), context)
    const take = (body: unknown) =>
      Effect.map(inside(Reporting.take(reporting, body)), (answer) => ({ status: 200, body: answer }))
    const setBy = `the operator sets it with PUT /admin/v1/telcos/${name}/zones {"label", "coverage_id", "zone_id"}`
    return {
      name,
      kind: "ocs",
      telco: Context.get(context, CallGate.CallGate).inSlots(Context.get(context, Telco.Telco)),
      ...(usage !== null && { usageAsOf: usage.asOf }),
      checkTerms: ({ terms }) =>
        zones.of(terms).pipe(
          Effect.asVoid,
          Effect.catchTags({
            "Telco.Refused": ({ message }) => Effect.fail(new Telco.Refused({ message: `${message}: ${setBy}` })),
            "Telco.Unavailable": ({ message }) => Effect.fail(new Storage.StorageError({ message }))
          })
        ),
      zones: list,
      notifications: of.notificationSecret === null ? null : { secret: of.notificationSecret, take },
      imsiOf: (iccid) =>
        subscribers.of(iccid).pipe(
          Effect.map(({ imsi }) => imsi),
          Effect.catch((failure) =>
            Effect.fail(
              failure._tag === "JournalError" ? CallFailure.unavailable(failure.message) : CallFailure.toPort(failure)
            )
          )
        ),
      check: Effect.all([
        finding("location zones", zones.check, (missing) =>
          missing.length === 0
            ? works("answers, and has all zones that the settings name")
            : { works: false, message: sentences(name, missing).join("; ") }
        ),
        finding("package templates", api.templates, ({ length }) => works(`answers, and has ${length}`)),
        finding("packages of a subscriber (version 2)", isAnswered(api.packages(UNASSIGNED)), works),
        ...(api.usage === null ? [] : [finding("book of usage", isAnswered(usageNow(api.usage)), works)])
      ]),
      missing: Effect.mapBoth(zones.check, {
        onSuccess: (missing) => sentences(name, missing),
        onFailure: CallFailure.later
      }),
      comparison: {
        begin: stored(Effect.provideService(Reporting.compareAll(name), Journal.Journal, journal)),
        progress: stored(Effect.provideService(Reporting.comparison(name), Journal.Journal, journal))
      },
      background: { forever: inside(Reporting.run(reporting)), drain: inside(Reporting.drain(reporting)) }
    }
  })
