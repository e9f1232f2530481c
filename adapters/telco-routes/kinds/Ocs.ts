/**
 * An online charging system of the settings file.
 */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { Refusal } from "simplan"
import { Storage, Telco } from "simplan/ports"
import { type CallFailure, Journal, PortFailure } from "../../telco-calls/index.ts"
import { Api, HttpApi, Ocs, Reporting, Subscribers, Zones } from "../../telco-ocs/index.ts"
import type { Connected, Finding, Zone } from "../Connected.ts"
import type * as Settings from "../file/Settings.ts"
import type * as Identities from "../Identities.ts"
import type * as Routing from "../Routing.ts"
import * as Slots from "../Slots.ts"
import * as ZoneList from "../ZoneList.ts"
import * as Slotted from "./Slotted.ts"

/** An ICCID that nobody has. */
const UNASSIGNED = "8999900000000000000"

/** What came of a call. */
const finding = <A>(
  what: string,
  call: Effect.Effect<A, CallFailure.CallFailure>,
  told: (answer: A) => Omit<Finding, "what">
): Effect.Effect<Finding> =>
  Effect.match(call, {
    onSuccess: (answer) => ({ what, ...told(answer) }),
    onFailure: ({ message }) => ({ what, works: false, message })
  })

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

/** A sentence for each zone that the settings name and the system does not have. */
const sentences = (name: string, missing: ReadonlyArray<Zones.Missing>): ReadonlyArray<string> =>
  missing.map(
    ({ label, regionCode, zoneId }) =>
      `telcos.${name}.zones.${label}.${regionCode} is ${zoneId}, and the telco has no location zone of that number`
  )

/** Refuses a zone that the telco says it has not, which the orders of its plans would be. One that cannot be asked refuses none. */
const isZone =
  (name: string, api: Api.Api["Service"]) =>
  ({ zoneId }: Zone): Effect.Effect<void, Refusal.InvalidField> =>
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

export const connect = (
  of: Settings.Ocs,
  { known, supplier }: Identities.Identities
): Effect.Effect<Connected, never, Journal.Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const { name } = of
    const calls = HttpApi.layer({
      telco: name,
      url: of.url,
      urlV2: of.urlV2,
      token: of.token,
      resellerId: of.resellerId,
      timeZone: of.timeZone,
      timeout: of.timeoutMillis,
      callsPerSecond: of.callsPerSecond,
      concurrency: of.callsAtOnce
    })
    const { mobilePlanId, resellerId, timeZone, zones: mapped } = of
    // Where the inventory cannot be read now, the system is asked.
    const identitiesOf = (iccid: string) => Effect.orElseSucceed(known(iccid), () => null)
    const watch = of.watchMillis
    const settings = { telco: name, resellerId, zones: mapped, mobilePlanId, timeZone, watch, identitiesOf }
    // Each system has its own calls, also where two have the same settings.
    const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(Ocs.layer(settings), calls)))
    const api = Context.get(context, Api.Api)
    const zones = Context.get(context, Zones.Zones)
    const subscribers = Context.get(context, Subscribers.Subscribers)
    const journal = yield* Journal.Journal
    const list = ZoneList.make(name, journal, { check: isZone(name, api), set: zones.set })
    const reporting = {
      telco: name,
      fastest: of.poll.fastestMillis,
      slowest: of.poll.slowestMillis,
      notified: of.notifiedThresholds,
      isSupplied: (sim: Routing.Supplied) => supplier(sim) === name,
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
      telco: Slotted.telco(yield* Slots.make(of), Context.get(context, Telco.Telco)),
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
              failure._tag === "JournalError" ? PortFailure.unavailable(failure.message) : PortFailure.of(failure)
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
        finding("packages of a subscriber (version 2)", isAnswered(api.packages(UNASSIGNED)), works)
      ]),
      missing: Effect.mapBoth(zones.check, {
        onSuccess: (missing) => sentences(name, missing),
        onFailure: PortFailure.later
      }),
      background: { forever: inside(Reporting.run(reporting)), drain: inside(Reporting.drain(reporting)) }
    }
  })
