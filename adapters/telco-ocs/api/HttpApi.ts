/**
 * Makes the calls of `Api` over HTTP, by the documents of the OCS: each request is one object,
 * whose only key is the operation.
 *
 * A failure says whether the OCS may have done the work (see `CallFailure`). The OCS gets only so
 * many calls per second and at once, and none for a while when it does not answer (see
 * `CallGate`). Each call has a time limit and a limit on the size of its answer. The token is in
 * no message, log, span or metric.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, type Redacted, Schema } from "effect"
import type { Time } from "simplan/ports"
import * as Api from "./Api.ts"
import { FetchHttpClient } from "effect/http"
import { CallGate, CallFailure } from "../../telco-calls/index.ts"
import * as Post from "./Post.ts"
import * as Shapes from "./Shapes.ts"

/**
 * Without a window the OCS activates the package at its first use, for the days that the template
 * says. The documents do not say in which zone it reads a window, so the settings do.
 */
const affectPackageToSubscriber = (
  {
    iccid,
    templateId,
    window
  }: {
    readonly iccid: string
    readonly templateId: number
    readonly window: Api.Window | null
  },
  zone: DateTime.TimeZone
): Post.Request => {
  const date = (instant: Time.Instant): string => Shapes.formatDate(instant, zone)
  return {
    affectPackageToSubscriber: {
      packageTemplateId: templateId,
      subscriber: { iccid },
      ...(window === null ? {} : { activePeriod: { start: date(window.start), end: date(window.end) } })
    }
  }
}

/** The documents write the IMSI as a number. One that begins with 0 is no number in JSON. */
const sendMtSms = ({
  from,
  imsi,
  text
}: {
  readonly imsi: string
  readonly from: string
  readonly text: string
}): Post.Request => ({ sendMtSms: { imsi: /^[1-9]\d{0,14}$/.test(imsi) ? Number(imsi) : imsi, text, senderId: from } })

/**
 * A failed throttling request leaves the package in use, without a limit (`throttlingErrorAction`
 * 0).
 */
const createPrepaidPackageTemplate = (resellerId: number, template: Api.NewTemplate): Post.Request => ({
  createPrepaidPackageTemplate: {
    prepaidpackagetemplatename: template.name,
    resellerid: resellerId,
    locationzoneid: template.zoneId,
    databyte: template.allowanceBytes,
    perioddays: template.periodDays,
    throttlingActive: template.throttling.length > 0,
    ...Object.fromEntries(
      template.throttling.flatMap(({ limit, percentage }, index) => [
        [`throttlingThreshold${index + 1}Perc`, percentage],
        [`throttlingThreshold${index + 1}Limit`, limit]
      ])
    ),
    ...(template.throttling.length > 0 ? { throttlingErrorAction: 0 } : {}),
    recurring: false
  }
})

/**
 * The documents do not say in which zone the days are. So the days of UTC are asked for and those
 * of the zone of the settings; what was used has its instant.
 */
const subscriberUsageOverPeriod = (
  { from, iccid, to }: { readonly iccid: string; readonly from: Time.Instant; readonly to: Time.Instant },
  zone: DateTime.TimeZone
): Post.Request => {
  const days = [from, to]
    .flatMap((instant) => [Shapes.formatDate(instant), Shapes.formatDate(instant, zone)])
    .map((date) => date.slice(0, 10))
    .toSorted()
  return { subscriberUsageOverPeriod: { subscriber: { iccid }, period: { start: days[0], end: days.at(-1) } } }
}

/** Where the OCS is, and how often it may be asked. */
export interface Options extends Omit<CallGate.Options, "telco"> {
  /** The telco's name in metrics and messages; `ocs` by default. */
  readonly telco?: string
  /** The address of version 1, such as `http://127.0.0.1:9000/ocs-custo/main/v1`. */
  readonly url: string
  /** The address of version 2, which lists the packages of a subscriber. */
  readonly urlV2: string
  /**
   * The address of its book of usage, such as `http://127.0.0.1:9000/ocs-custo/as/v1`; null, the
   * default: none is asked for.
   */
  readonly urlUsage?: string | null
  /** In every call, and in no error or log. */
  readonly token: Redacted.Redacted
  /** Whose templates and location zones are used. */
  readonly resellerId: number
  /** The IANA name of the zone in which the OCS reads the periods of orders; UTC by default. */
  readonly timeZone?: string
  /** The time limit of a call, without its wait for a turn; 10 s by default. */
  readonly timeout?: Duration.Input
}

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** The longest list of packages, templates or zones, in bytes: some thousands of them. */
const LISTS = 8 * 1024 * 1024

/** The OCS says that it has done the call, but what it says of it cannot be read. */
const unreadable = (operation: string) =>
  new CallFailure.CallFailure({
    outcome: "Unknown",
    isAnswered: true,
    message: `The OCS answers ${operation}, but not as its documents say`
  })

const make = ({
  resellerId,
  telco = "ocs",
  timeZone = "UTC",
  timeout = "10 seconds",
  token,
  url,
  urlUsage = null,
  urlV2,
  ...limits
}: Options) =>
  Effect.gen(function* () {
    const zone = DateTime.zoneMakeNamedUnsafe(timeZone)
    const gate = yield* CallGate.make({ ...limits, telco })
    const options = { token, timeout: Duration.fromInputUnsafe(timeout) }
    const version1 = yield* Post.make(url, options)
    const version2 = yield* Post.make(urlV2, options)
    const book = urlUsage === null ? null : yield* Post.make(urlUsage, options)

    const nameOf = (request: Post.Request): string => Object.keys(request)[0] ?? ""

    const send = (request: Post.Request, post: typeof version1, size?: Post.Size): Call<Post.Answer> => {
      const operation = nameOf(request)
      const call = Effect.withSpan(post(operation, request, size), `ocs.${operation}`, { kind: "client" })
      return gate.run(operation, call)
    }

    const done = (request: Post.Request): Call<void> => Effect.asVoid(send(request, version1))

    /** The part of the answer that has a key, which is the operation's name but for one of them. */
    const ask = <S extends Schema.ConstraintDecoder<unknown>>(
      request: Post.Request,
      schema: S,
      {
        key = nameOf(request),
        post = version1,
        size
      }: { readonly key?: string; readonly post?: typeof version1; readonly size?: Post.Size } = {}
    ): Call<S["Type"]> => {
      const decode = Schema.decodeUnknownOption(schema)
      return Effect.flatMap(send(request, post, size), (answer) =>
        Option.match(decode(answer[key] ?? null), {
          onNone: () => Effect.fail(unreadable(nameOf(request))),
          onSome: Effect.succeed
        })
      )
    }

    /** For what the documents do not say how the OCS answers if it has none. */
    const unlessNone =
      <B>(none: B) =>
      <A>(call: Call<A>): Call<A | B> =>
        Effect.catchIf(
          call,
          ({ outcome }) => outcome === "NotFound",
          () => Effect.succeed(none)
        )

    const api = Api.Api.of({
      subscriber: (iccid) =>
        // The history of the IMSI is part of what is left out of the basic information, so all is
        // asked for.
        Effect.map(
          ask({ getSingleSubscriber: { iccid, withSimInfo: true, onlySubsInfo: false } }, Shapes.Subscriber),
          (found) => ({
            ...Shapes.subscriberFrom(found),
            // The OCS was asked by this ICCID, which it may write in another way.
            iccid
          })
        ),
      subscribersBy: (by) =>
        Effect.suspend(() => {
          const { end, take } = Shapes.subscribers()
          return Effect.map(
            ask({ listSubscriber: by }, Shapes.SubscriberList, { size: { field: Shapes.ROWS, take } }),
            end
          )
        }),
      packages: (iccid) =>
        Effect.map(
          ask({ listSubscriberPrepaidPackages: { iccid } }, Shapes.SubscriberPackages, { post: version2, size: LISTS }),
          Shapes.packagesFrom
        ),
      affectPackage: (order) =>
        Effect.map(
          ask(affectPackageToSubscriber(order, zone), Shapes.AffectedPackage),
          ({ subsPackageId }) => subsPackageId
        ),
      setPackageStatus: (packageId, isActive) =>
        done({ modifySubscriberPrepaidPackageStatus: { subsPrepaidPackageId: packageId, active: isActive } }),
      deletePackage: (packageId) => done({ deleteSubscriberPackage: packageId }),
      sendSms: (sms) => done(sendMtSms(sms)),
      setMobilePlan: ({ iccid, mobilePlanId }) =>
        done({
          modifySubscriberMobilePlan: { subscriberId: { iccid }, ...(mobilePlanId === null ? {} : { mobilePlanId }) }
        }),
      setSubscriberStatus: ({ iccid, isActive }) =>
        done({ modifySubscriberStatus: { subscriber: { iccid }, newStatus: isActive ? "ACTIVE" : "SUSPENDED" } }),
      profileHistory: (simId) =>
        ask({ getSimProviderStatus: simId }, Shapes.ProfileStates).pipe(
          Effect.map(Shapes.profileStatesFrom),
          unlessNone<ReadonlyArray<Api.ProfileState>>([])
        ),
      lastSeen: (iccid) =>
        ask({ getSubscriberLocation: { iccid } }, Shapes.Location, { key: "subscriberLocation" }).pipe(
          Effect.map((location) => location?.dateTime ?? null),
          unlessNone(null)
        ),
      usage:
        book &&
        ((of) => {
          const request = subscriberUsageOverPeriod(of, zone)
          return Effect.flatMap(ask(request, Shapes.Usage, { post: book, size: LISTS }), (answer) => {
            const used = Shapes.usageFrom(answer)
            return used === null ? Effect.fail(unreadable(nameOf(request))) : Effect.succeed(used)
          })
        }),
      templates: ask({ listPrepaidPackageTemplate: { resellerId } }, Shapes.Templates, { size: LISTS }).pipe(
        Effect.map((templates) => (templates?.template ?? []).map(Shapes.templateFrom)),
        unlessNone<ReadonlyArray<Api.Template>>([])
      ),
      createTemplate: (template) =>
        Effect.map(ask(createPrepaidPackageTemplate(resellerId, template), Shapes.Template), Shapes.templateFrom),
      zones: Effect.map(ask({ listDetailedLocationZone: resellerId }, Shapes.Zones, { size: LISTS }), (zones) =>
        (zones ?? []).map(({ zoneId, zoneName }) => ({ id: zoneId, name: zoneName ?? "" }))
      )
    })
    return Context.make(Api.Api, api).pipe(Context.add(CallGate.CallGate, gate))
  })

/** The OCS at the addresses, and the gate that its calls pass. */
export const layer = (options: Options): Layer.Layer<Api.Api | CallGate.CallGate> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(FetchHttpClient.layer))
