/**
 * Reports over HTTP: the OCS's fake uses data, moves SIMs and changes profiles, with notifications
 * and without, and the core learns of all of it.
 */
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { Problems, Sims, Subscriptions } from "simplan"
import { afterEach, beforeEach, describe, expect } from "vitest"
import { Journal } from "../../../adapters/telco-calls/index.ts"
import { HttpApi, Ocs, Reporting } from "../../../adapters/telco-ocs/index.ts"
import * as Fake from "../../fakes/ocs/Fake.mjs"
import * as Bridge from "../../telco-http/Bridge.ts"
import * as Service from "../Service.ts"
import * as Tests from "../../setup/Tests.ts"

const MEGABYTE = 1_048_576
const iccid = Fake.iccidOf(1)

let ocs: Fake.Fake
beforeEach(async () => {
  ocs = await Fake.start({ subscribers: 1, token: "t" })
})
afterEach(() => ocs.close())

const make = Effect.gen(function* () {
  const api = HttpApi.layer({
    url: ocs.url,
    urlV2: ocs.urlV2,
    token: Redacted.make("t"),
    resellerId: 1,
    callsPerSecond: 500
  })
  const settings = { telco: "ocs", resellerId: 1, zones: { Green: { EUROPE: 27 } }, mobilePlanId: null }
  const needs = yield* Layer.build(
    Ocs.layer(settings).pipe(Layer.provideMerge([api, Layer.effect(Journal.Journal, Journal.makeMemory)]))
  )
  const service = yield* Service.make(needs, iccid)
  const provided = Effect.provideContext(Context.merge(needs, service.services))
  return { ...service, provided }
})

const inWorld = Tests.given(make, (test) => Effect.runPromise(Effect.scoped(test)))

const limits = { telco: "ocs", fastest: 20, slowest: 100, meter: Reporting.makeMeter(20) }

const eventually = <A>(read: Effect.Effect<A, unknown>, isThere: (value: A) => boolean) =>
  read.pipe(Effect.repeat({ until: isThere, schedule: Schedule.spaced(20) }), Effect.timeout("10 seconds"))

describe("An OCS over HTTP", () => {
  inWorld(
    "is polled until all that it knows is known",
    function* ({ attachment, organizationId, provided, services, subscribe }) {
      yield* Effect.forkScoped(provided(Reporting.run({ ...limits, notified: [] })))
      yield* subscribe({ megaBytes: 100 })
      yield* Effect.promise(() =>
        ocs.useData({ iccid, bytes: 60 * MEGABYTE, mcc: 240, mnc: 1, rat: "4G - LTE", imei: "354647888013844" })
      )
      const used = yield* eventually(attachment, ({ usedBytes }) => usedBytes > 0)
      expect(used.usedBytes).toBe(60 * MEGABYTE)
      expect(used.activationAt).toBe(ocs.books().packages[0]?.activationAt)
      const where = Context.get(services, Subscriptions.Subscriptions).lastOperator({ organizationId, iccid })
      expect(yield* eventually(where, (found) => found !== null)).toMatchObject({ countryAlpha2: "SE", rat: "4G" })
      yield* Effect.promise(() => ocs.setProfile({ iccid, status: "Enable" }))
      const smdp = Context.get(services, Sims.Sims).smdpInfo({ organizationId, iccid })
      const { current } = yield* eventually(smdp, (info) => info.current !== null)
      expect(current?.state).toBe("Enable")
      expect(yield* Context.get(services, Problems.Problems).page({ after: null, limit: 9 })).toMatchObject({
        items: []
      })
    }
  )

  inWorld(
    "notifies usage and profiles, and is answered as it expects",
    function* ({ attachment, organizationId, provided, services, subscribe }) {
      const answer = (body: unknown) => Effect.runPromise(provided(Reporting.take(limits, body)))
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Bridge.start((asked, ...of) => {
            answer(asked.body).then((body) => Bridge.answer(200, body)(asked, ...of))
          })
        ),
        (bridge) => Effect.promise(() => bridge.close())
      )
      ocs.configureNotifications({ packages: receiver.url, es2plus: receiver.url, thresholds: [50, 80] })
      yield* subscribe({ megaBytes: 100 })
      yield* Effect.promise(() => ocs.useData({ iccid, bytes: 85 * MEGABYTE }))
      const { activationAt, usedBytes } = yield* attachment
      expect(usedBytes).toBe(85 * MEGABYTE)
      expect(activationAt).toBe(ocs.books().packages[0]?.activationAt)
      yield* Effect.promise(() => ocs.setProfile({ iccid, status: "Enable" }))
      const { history } = yield* Context.get(services, Sims.Sims).smdpInfo({ organizationId, iccid })
      expect(history.map(({ state }) => state)).toEqual(["Enable"])
      expect(ocs.books().notifications.map(({ status }) => status)).toEqual(ocs.books().notifications.map(() => 200))
    }
  )
})
