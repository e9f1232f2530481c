/**
 * A model of the OCS in memory, with what the tests of reports change: packages with their use, the
 * network that a SIM was seen in, the history of a profile, and calls that fail.
 */
import { Clock, Effect } from "effect"
import { Time } from "simplan/ports"
import { CallFailure } from "../../../adapters/telco-calls/index.ts"
import type {
  Api,
  Network,
  ProfileState,
  SubscriberPackage,
  Template,
  Used
} from "../../../adapters/telco-ocs/api/Api.ts"

/** The OCS as the tests set it. */
export class Model {
  packages: Array<SubscriberPackage & { readonly iccid: string }> = []
  /** The id of the package that was made last: the OCS gives none twice. */
  lastId = 0
  network: Network | null = null
  status: string | null = "ACTIVE"
  mobilePlanId: number | null = null
  lastSeen: number | null = null
  /** How much the zone is ahead of UTC in which it reads the windows of orders, in milliseconds. */
  ahead = 0
  history: ReadonlyArray<ProfileState> = []
  /** Its book of usage; null: it is not asked for it. */
  usage: ReadonlyArray<Used & { readonly iccid: string }> | null = null
  /** The first instant of which that book has anything: earlier days are refused. */
  usageFrom = 0
  readonly templates: Array<Template & { readonly allowanceBytes: number }> = []
  /** The names of the calls, in order. */
  readonly calls: Array<string> = []
  /** The calls that are never answered. */
  hanging: ReadonlySet<string> = new Set()
  /** The SIMs whose packages are never listed. */
  unanswered: ReadonlySet<string> = new Set()
  /** The SIMs that it does not know. */
  unknownSims: ReadonlySet<string> = new Set()
  /** The calls that fail. */
  failing: ReadonlySet<string> = new Set()
  /** The calls that do not know the SIM. */
  unknown: ReadonlySet<string> = new Set()
  /** The calls that are refused. */
  refusing: ReadonlySet<string> = new Set()
  /** The call that is done while its answer is lost, with which an outage begins. */
  outageAfter: string | null = null
  /** All calls fail. */
  isOut = false

  change(id: number, to: Partial<SubscriberPackage>): void {
    this.packages = this.packages.map((one) => (one.id === id ? { ...one, ...to } : one))
  }
}

const NO_TEMPLATE = { name: "", allowanceBytes: 0 }

const subscriberOf = (model: Model, iccid: string) => ({
  subscriberId: 4,
  iccid,
  imsi: "240010000000001",
  msisdn: null,
  simId: 77,
  isEsim: true,
  smdpServer: "smdp.example",
  activationCode: "ABC",
  network: model.network,
  status: model.status,
  mobilePlanId: model.mobilePlanId
})

const refusal = (name: string) =>
  Effect.fail(new CallFailure.CallFailure({ outcome: "Refused", message: `${name} is refused` }))

/** The calls of the OCS over the model. */
export const apiOf = (model: Model): Api["Service"] => {
  const call = <A>(name: string, answer: () => A, iccid = "") =>
    Effect.suspend(() => {
      model.calls.push(name)
      if (model.hanging.has(name)) return Effect.never
      if (model.refusing.has(name)) {
        return refusal(name)
      }
      if (model.unknown.has(name) || model.unknownSims.has(iccid))
        return Effect.fail(new CallFailure.CallFailure({ outcome: "NotFound", message: `${name} knows no such SIM` }))
      const failure = Effect.fail(new CallFailure.CallFailure({ outcome: "Unknown", message: `${name} timed out` }))
      if (model.isOut || model.failing.has(name)) return failure
      if (model.outageAfter !== name) return Effect.sync(answer)
      model.isOut = true
      return Effect.andThen(Effect.sync(answer), failure)
    })
  const unused = () => Effect.die(new Error("not asked for in these tests"))
  return {
    subscriber: (iccid) => call("subscriber", () => subscriberOf(model, iccid), iccid),
    subscribersBy: unused,
    setSubscriberStatus: ({ isActive }) =>
      call("setSubscriberStatus", () => {
        model.status = isActive ? "ACTIVE" : "SUSPENDED"
      }),
    packages: (iccid) =>
      model.unanswered.has(iccid)
        ? Effect.fail(new CallFailure.CallFailure({ outcome: "Unknown", message: `no answer for ${iccid}` }))
        : call("packages", () => model.packages.filter((one) => one.iccid === iccid), iccid),
    affectPackage: ({ iccid, templateId, window }) =>
      Effect.andThen(Clock.currentTimeMillis, (now) =>
        call("affectPackage", () => {
          const template = model.templates.find((one) => one.id === templateId) ?? NO_TEMPLATE
          const id = model.packages.reduce((highest, one) => Math.max(highest, one.id), model.lastId) + 1
          model.lastId = id
          model.packages.push({
            id,
            iccid,
            templateId,
            templateName: template.name,
            assignedAt: now,
            activationAt: window === null ? null : window.start - model.ahead,
            expirationAt: window === null ? null : window.end - model.ahead,
            allowanceBytes: template.allowanceBytes,
            usedBytes: 0,
            isActive: true,
            isRecurring: false
          })
          return id
        })
      ),
    setPackageStatus: (id, isActive) => call("setPackageStatus", () => model.change(id, { isActive })),
    deletePackage: (id) =>
      call("deletePackage", () => {
        model.packages = model.packages.filter((one) => one.id !== id)
      }),
    sendSms: unused,
    setMobilePlan: ({ mobilePlanId }) =>
      call("setMobilePlan", () => {
        model.mobilePlanId = mobilePlanId
      }),
    profileHistory: () => call("profileHistory", () => model.history),
    lastSeen: () => call("lastSeen", () => model.lastSeen),
    get usage() {
      return model.usage === null
        ? null
        : ({ from, iccid, to }: { readonly iccid: string; readonly from: number; readonly to: number }) =>
            Effect.suspend(() => {
              const day = (instant: number) => Math.floor(instant / Time.DAY)
              const isRefused = day(to) - day(from) >= 6 || from < model.usageFrom
              const answer = call("usage", () =>
                // With the days beside them, as where the zone of the OCS is another one.
                (model.usage ?? []).filter(
                  (one) => one.iccid === iccid && day(one.at) >= day(from) - 1 && day(one.at) <= day(to) + 1
                )
              )
              return isRefused ? Effect.andThen(answer, refusal("usage")) : answer
            })
    },
    templates: call("templates", () => model.templates),
    createTemplate: ({ allowanceBytes, name }) =>
      call("createTemplate", () => {
        const template = { id: model.templates.length + 1, name, allowanceBytes, isDeleted: false }
        model.templates.push(template)
        return template
      }),
    zones: unused()
  }
}
