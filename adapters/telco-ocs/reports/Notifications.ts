/**
 * The OCS's notifications, from a body to the answer that the OCS expects.
 *
 * Each is counted once: the ids of its reports follow from its content. The answer's code is 0
 * if simplan needs nothing more of the OCS, and else says why not; the OCS writes that to its
 * log. Who may send a notification is decided before this (a secret in the path, or mutual TLS).
 */
import { Option, Schema, Clock, Effect } from "effect"
import { Iccid, type Storage, type TelcoReport, Time } from "simplan/ports"
import { Whole } from "../api/Shapes.ts"
import { Reports } from "simplan"
import { Journal } from "../../telco-calls/index.ts"
import { Api } from "../api/Api.ts"
import * as OrderJournal from "../orders/OrderJournal.ts"
import * as Subscribers from "../Subscribers.ts"
import * as Facts from "./Facts.ts"
import * as SimState from "./SimState.ts"
import type * as Polling from "../Polling.ts"
import * as NotifiedThresholds from "../NotifiedThresholds.ts"

export type Notification =
  /** `usedBytes`: what has been used of the package in all. */
  | {
      readonly _tag: "PackageUsage"
      readonly externalId: string
      readonly usedBytes: number
      /** The threshold that it is about, in percent; null if it is not given. */
      readonly threshold: number | null
      readonly subscriberId: number
    }
  /** Use of a package by calls or SMS, which simplan does not sell. */
  | { readonly _tag: "OtherUsage" }
  | { readonly _tag: "ProfileStatus"; readonly iccid: string; readonly status: string }

const Count = Whole.check(Schema.isGreaterThanOrEqualTo(0))

const PackageUsage = Schema.Struct({
  subscriberPrepaidPackage: Schema.Struct({
    unitsBefore: Count,
    unitsAfter: Count,
    totalUnits: Count,
    thresholdPercentage: Schema.optionalKey(Schema.Unknown),
    subscriberPackageId: Count,
    subscriberId: Count,
    usageType: Schema.String
  })
})

const ProfileStatus = Schema.Struct({ iccid: Schema.String, status: Schema.NonEmptyString })

const decodeCount = Schema.decodeUnknownOption(Count)
const decodePackageUsage = Schema.decodeUnknownOption(PackageUsage)
const decodeProfileStatus = Schema.decodeUnknownOption(ProfileStatus)

const ofPackage = ({ subscriberPrepaidPackage: usage }: typeof PackageUsage.Type): Notification => {
  const { subscriberId, subscriberPackageId, thresholdPercentage, totalUnits, unitsAfter, unitsBefore, usageType } =
    usage
  if (usageType !== "DATA") return { _tag: "OtherUsage" }
  // The documents call the units "present on the package", and their example shows units that rise
  // towards the total. So units that rise are what has been used; units that fall are what is left.
  const usedBytes = unitsAfter < unitsBefore ? Math.max(0, totalUnits - unitsAfter) : unitsAfter
  const threshold = Option.getOrNull(decodeCount(thresholdPercentage))
  return { _tag: "PackageUsage", externalId: String(subscriberPackageId), usedBytes, threshold, subscriberId }
}

const ofProfile = ({ iccid, status }: typeof ProfileStatus.Type): Notification | undefined => {
  const parsed = Iccid.parse(iccid)
  return parsed === undefined ? undefined : { _tag: "ProfileStatus", iccid: parsed, status }
}

/** What the body says; undefined if it is none of the two notifications. */
const decodeBody = (body: unknown): Notification | undefined =>
  Option.match(decodePackageUsage(body), {
    onSome: ofPackage,
    onNone: () => Option.getOrUndefined(Option.map(decodeProfileStatus(body), ofProfile))
  })

export interface Answer {
  readonly result: { readonly code: number; readonly msg: string }
}

export interface Notifications {
  readonly take: (body: unknown) => Effect.Effect<Answer>
}

const OK: Answer = { result: { code: 0, msg: "OK" } }

/** How long the history is given to have a state that was notified, in milliseconds. */
const LAG = 30 * Time.SECOND

/** 1: the body is no notification. 2: what it is about is not known here. 3: not now. */
const refused = (code: 1 | 2 | 3, msg: string): Answer => ({ result: { code, msg } })

export interface Options {
  readonly telco: string
  readonly poll: Polling.Polling["pollBeside"]
  /** Whether the OCS may notify the states of a SIM's profile; always unless given. */
  readonly mayReport?: ((iccid: string) => Effect.Effect<boolean, Storage.StorageError>) | undefined
}

export const make = ({ mayReport = () => Effect.succeed(true), poll, telco }: Options) =>
  Effect.gen(function* () {
    const api = yield* Api
    const journal = yield* Journal.Journal
    const reports = yield* Reports.Reports
    const thresholds = yield* NotifiedThresholds.make({ telco })

    const simEntry = (iccid: string) => journal.get({ telco, kind: Subscribers.KIND, key: iccid })

    /** Has the SIM polled as soon as a poll is free. */
    const dueNow = Effect.fnUntraced(function* (iccid: string) {
      const entry = yield* simEntry(iccid)
      const now = yield* Clock.currentTimeMillis
      if (entry === null || (entry.dueAt !== null && entry.dueAt <= now)) return
      // Someone who has changed the entry meanwhile is polling the SIM.
      yield* journal.replace({ ...entry, dueAt: now })
    })

    const take = Effect.fnUntraced(function* (batch: ReadonlyArray<TelcoReport.Report>) {
      const verdicts = yield* reports.take({ reports: batch })
      const rejected = verdicts.find((verdict) => verdict._tag === "Rejected")
      return rejected === undefined ? OK : refused(2, rejected.message)
    })

    /**
     * A usage would make its own instant the first use of a package whose times are not known yet
     * (rule T3). The list of packages has the right instant, and the usage with it; if it cannot be
     * read now, the next poll reports both.
     */
    const packageUsage = Effect.fnUntraced(function* ({
      externalId,
      subscriberId,
      threshold,
      usedBytes
    }: Extract<Notification, { _tag: "PackageUsage" }>) {
      const entry = yield* journal.ofExternalId({ telco, kind: OrderJournal.KIND, externalId })
      if (entry === null) return refused(2, `simplan has no package ${externalId}`)
      const { iccid, packageId, window } = SimState.orderedOf(entry)
      const sim = yield* simEntry(iccid)
      const known = sim === null ? null : SimState.subscriberId(sim)
      if (known !== null && known !== subscriberId) {
        return refused(2, `package ${externalId} belongs to another subscriber than ${subscriberId}`)
      }
      // Failure: polls find the threshold until one of its notifications is written.
      if (threshold !== null) yield* Effect.ignore(thresholds.record(threshold))
      if (window === null && sim !== null && !isReported(sim, externalId)) {
        // Failure: the SIM is due to be polled.
        yield* Effect.catchTag(poll(sim), "TelcoCalls.CallFailure", ({ message }) =>
          Effect.logDebug(`The first use of package ${externalId} of ${telco} cannot be read now: ${message}`)
        )
        const polled = yield* simEntry(iccid)
        if (polled === null || !isReported(polled, externalId)) return yield* Effect.as(dueNow(iccid), OK)
      } else yield* dueNow(iccid)
      const now = yield* Clock.currentTimeMillis
      return yield* take([Facts.usage({ telco, iccid, packageId, externalId }, usedBytes, now)])
    })

    const isReported = (sim: Journal.Entry, externalId: string): boolean =>
      typeof SimState.of(sim).packages[externalId]?.reportedActivationAt === "number"

    /** The history; null if it cannot be read now. */
    const historyOf = Effect.fnUntraced(function* (iccid: string, sim: Journal.Entry | null) {
      const simId = (sim === null ? null : SimState.simId(sim)) ?? (yield* api.subscriber(iccid)).simId
      return simId === null ? null : yield* api.profileHistory(simId)
    })

    /**
     * The history has the state with its instant and result. If it has not, or cannot be read,
     * the notification is reported itself, and the history does not report that state again. A
     * state that the history has already is not reported again: the notification has no instant,
     * and may be late or a second one.
     */
    const profileStatus = Effect.fnUntraced(function* ({
      iccid,
      status
    }: Extract<Notification, { _tag: "ProfileStatus" }>) {
      const state = Facts.stateOf(status)
      if (state === undefined) {
        yield* Effect.logDebug(
          `${telco} notifies the profile status ${JSON.stringify(status)}, which simplan does not report.`
        )
        return OK
      }
      // The OCS is not asked, and learns nothing of what others have.
      if (!(yield* mayReport(iccid))) return refused(2, `the subscriber ${iccid} is not known`)
      const sim = yield* simEntry(iccid)
      const before = sim === null ? SimState.initial : SimState.of(sim)
      const now = yield* Clock.currentTimeMillis
      // Failure: the notification is reported itself, and polls read the history.
      const history = yield* Effect.catchTag(historyOf(iccid, sim), "TelcoCalls.CallFailure", ({ message, outcome }) =>
        Effect.as(
          Effect.logDebug(`The profile's history cannot be read from ${telco}: ${message}`),
          outcome === "NotFound" ? undefined : null
        )
      )
      if (history === undefined) return refused(2, `the subscriber ${iccid} is not known`)
      const read = Facts.readHistory(history ?? [], { telco, iccid, now, profile: before.profile })
      const isThere = read.states.includes(state)
      const place = Facts.placeInHistory(state, history === null ? before.profile.latestAt : read.profile.latestAt)
      const itself = isThere ? [] : [Facts.profileState({ telco, iccid }, place, state, null, now)]
      const answer = yield* take([...read.reports, ...itself])
      if (answer === OK && sim !== null) {
        const profile = history === null ? before.profile : read.profile
        const isLatest = read.states.at(-1) === state
        const next = {
          ...profile,
          ahead: isThere || profile.ahead.includes(place) ? profile.ahead : [...profile.ahead, place],
          // Else the history may lack the latest state yet: it is read again soon.
          polledAt: isLatest ? now : null
        }
        const soon = now + (isLatest ? 0 : LAG)
        const document = SimState.within(sim, { ...before, profile: next })
        yield* journal.replace({ ...sim, document, dueAt: Math.min(sim.dueAt ?? soon, soon) })
      }
      return answer
    })

    return {
      take: (body) =>
        Effect.gen(function* () {
          const notification = decodeBody(body)
          switch (notification?._tag) {
            case undefined:
              return refused(1, "the body is no notification of a package's usage or of an eSIM's status")
            case "OtherUsage":
              return OK
            case "PackageUsage":
              return yield* packageUsage(notification)
            case "ProfileStatus":
              return yield* profileStatus(notification)
          }
        }).pipe(
          // Failure: the OCS keeps the answer; polls find what the notification was about.
          Effect.catch((failure) =>
            Effect.as(
              Effect.logWarning(`A notification of ${telco} could not be taken: ${failure.message}`),
              refused(3, "simplan cannot take it now")
            )
          ),
          Effect.withSpan("TelcoOcs.notification")
        )
    } satisfies Notifications
  })
