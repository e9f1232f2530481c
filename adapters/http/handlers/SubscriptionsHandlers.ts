/**
 * Subscriptions, their plan attachments, their last operator, and SMS to them: how they look as
 * JSON, and their handlers.
 */
import { Effect } from "effect"
import { Attachments, History, Messages, Pauses, Replacements, Subscriptions, Time } from "simplan"
import {
  Amount,
  AuditEntry,
  Package,
  type Preview,
  Reason,
  SimHistory,
  type SmsSegments,
  type Subscription
} from "simplan/ports"
import { Bulk, Copy, Webhooks } from "simplan/views"
import type * as AttachmentsApi from "../api/AttachmentsApi.ts"
import { Fields } from "../../fields/index.ts"
import * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import * as Idempotency from "../middleware/Idempotency.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"
import * as Query from "../wire/Query.ts"
import * as Responses from "../wire/Responses.ts"

const attemptOf = Copy.toWire(Webhooks.ShortDeliveryAttempt)
const deliveryOf = Copy.toWire(Webhooks.HistoryDelivery)

/** A subscription with its SIM. */
export const shape = (
  { sim, subscription }: Subscription.SubscriptionWithSim,
  installation: Auth.Installation
): typeof SubscriptionsApi.Subscription.Type => ({
  subscription_id: subscription.subscriptionId,
  created_at: Time.toIso(subscription.createdAt),
  metadata: subscription.metadata,
  paused_at: Responses.instant(sim.service.pausedAt),
  esim: {
    esim_id: sim.simId,
    iccid: sim.iccid,
    lpa_string: installation.lpa(sim),
    label: sim.label,
    ...installation.links(sim)
  }
})

/** The answer to a creation; it has times only if an active period was sent. */
const created = (
  { createdAt, metadata, period, sim, subscriptionId }: Subscription.Created,
  installation: Auth.Installation
): typeof SubscriptionsApi.CreatedSubscription.Type => ({
  subscription_id: subscriptionId,
  created_at: Time.toIso(createdAt),
  ...(period === null
    ? undefined
    : { activation_at: Time.toIso(period.activationAt), expiration_at: Responses.instant(period.expirationAt) }),
  metadata,
  esimdata: {
    esim_id: sim.simId,
    iccid: sim.iccid,
    label: sim.label,
    lpa_string: installation.lpa(sim),
    ...installation.links(sim)
  }
})

const previewedPackage = (one: Preview.PackageTimes) => ({
  package_id: one.packageId,
  activation_at: Responses.instant(one.activationAt),
  expiration_at: Responses.instant(one.expirationAt)
})

const previewed = (packages: ReadonlyArray<Preview.PackageTimes>) => packages.map(previewedPackage)

const purchaseOf = ({ limit, load }: NonNullable<Preview.OfCreation["purchase"]>) => ({
  load,
  price_limit: limit === null ? null : Amount.decimal(limit),
  currency: limit?.currency ?? null
})

const replaced = (of: Subscription.Replaced, installation: Auth.Installation) => ({
  ...Responses.data(shape(of, installation)),
  replaced_iccid: of.replacedIccid
})

const replacementPreview = (
  of: Preview.OfReplacement,
  installation: Auth.Installation
): typeof SubscriptionsApi.ReplacedSubscription.Type => ({
  ...replaced(of.replaced, installation),
  preview: {
    packages: of.ordered.map((one) => ({ ...previewedPackage(one), data_mega_bytes: one.dataMegaBytes })),
    cancelled_packages: previewed(of.cancelled)
  }
})

const deletionPreview = (of: Preview.OfDeletion): typeof SubscriptionsApi.DeletionPreview.Type => ({
  downloaded: of.isDownloaded,
  activated: of.isActivated,
  used: of.isUsed,
  packages: previewed(of.cancelled)
})

const pausePreview = ({ isChanged, pausedAt }: Preview.OfPause) => ({
  changed: isChanged,
  paused_at: Responses.instant(pausedAt)
})

const DELETED = Responses.message("Subscription deleted successfully")
const SUSPENDED = Responses.message("Plan attachment suspended successfully")
const PAUSED = Responses.message("Subscription paused successfully")
const RESUMED = Responses.message("Subscription resumed successfully")

const isPreview = ({ query }: { readonly query: { readonly dry_run?: "true" | "false" } }): boolean =>
  Fields.flag(query.dry_run) === true

interface Located {
  readonly country: string
  readonly countryAlpha2: string
  readonly operator: string
  readonly rat: string
  readonly imei: string
}

/** The last operator; null without activity in the last 7 days. */
const lastOperator = (last: Located | null): typeof SubscriptionsApi.LastOperator.Type => ({
  error: false,
  last_operator:
    last === null
      ? null
      : {
          country: last.country,
          country_alpha_2: last.countryAlpha2,
          operator: last.operator,
          rat: last.rat,
          imei: last.imei
        }
})

const sentSms = ({ segments }: SmsSegments.Sent): typeof SubscriptionsApi.SentSms.Type => ({
  error: false,
  message: "SMS sent successfully",
  segments
})

/** The arguments of a creation; `activePeriod` is null if none was sent. */
const creation = ({
  active_period: period,
  iccid,
  metadata,
  plan_id: planId
}: typeof SubscriptionsApi.CreateSubscription.Type) => ({
  planId,
  metadata,
  iccid: iccid ?? null,
  activePeriod:
    period === null || period === undefined
      ? null
      : { start: Query.instant(period.start), end: Query.instant(period.end) }
})

/** Who did something: operators see everybody. */
const actorFor = ({ actor, operator }: Auth.Tenant, by: string | null): string | null =>
  operator === undefined ? AuditEntry.shownToOrganization(by, actor ?? null) : by

/** Why it gives no service; a field is there if the reason has it. */
const shapeOfReason = (
  tenant: Auth.Tenant,
  reason: Reason.Reason
): NonNullable<(typeof AttachmentsApi.PlanAttachment.Type)["reason"]> => {
  const head = { code: Reason.codes[reason._tag], message: Reason.message(reason) }
  switch (reason._tag) {
    case "WaitsForStart":
    case "Over":
    case "Paused":
      return { ...head, at: Time.toIso(reason.at) }
    case "WaitsForFirstUse":
      return { ...head, ...(reason.pausedAt !== null && { paused_at: Time.toIso(reason.pausedAt) }) }
    case "WaitsForOrder":
      return head
    case "DataUsed":
      return { ...head, ...(reason.nextAt !== null && { at: Time.toIso(reason.nextAt) }) }
    case "TelcoUnavailable": {
      const { nextTryAt, said, since, tries } = reason
      return { ...head, tries, since: Time.toIso(since), next_try_at: Time.toIso(nextTryAt), telco_message: said }
    }
    case "TelcoRefused":
      return { ...head, ...(reason.said !== null && { telco_message: reason.said }) }
    case "Suspended": {
      const by = actorFor(tenant, reason.by)
      return {
        ...head,
        message: Reason.message({ ...reason, by }),
        at: Time.toIso(reason.at),
        ...(by !== null && { by })
      }
    }
  }
}

const shapeOfAttachment = (tenant: Auth.Tenant, view: Attachments.Shown): typeof AttachmentsApi.PlanAttachment.Type => {
  const { attachmentId, createdAt, metadata, planId, terms } = view.attachment
  return {
    plan_attachment_id: attachmentId,
    created_at: Time.toIso(createdAt),
    activation_at: Responses.instant(view.activationAt),
    expiration_at: Responses.instant(view.expirationAt),
    used_allowance: { dataBytes: view.usedBytes },
    metadata,
    state: view.state,
    reason: view.reason === null ? null : shapeOfReason(tenant, view.reason),
    plan: {
      name: terms.name,
      _id: planId,
      coverage_id: terms.coverageId,
      region_code: terms.regionCode,
      label: terms.label,
      throttling: terms.throttling.length > 0,
      recurring: terms.recurrence !== null,
      data_mega_bytes: terms.dataMegaBytes,
      period_days: terms.periodDays
    },
    packages: view.packages.map((one) => {
      const assumed = Package.assumedUsedBytes(one)
      const packageId = Package.idOf(one)
      const asOf = view.usageAsOf?.get(packageId)
      const shape = {
        package_id: packageId,
        activation_at: Responses.instant(one.activationAt),
        expiration_at: Responses.instant(one.expirationAt),
        used_allowance: { dataBytes: one.usedBytes }
      }
      return asOf === undefined && assumed === null
        ? shape
        : {
            ...shape,
            ...(asOf !== undefined && { usage_as_of: Time.toIso(asOf) }),
            ...(assumed !== null && { assumed_used_allowance: { dataBytes: assumed } })
          }
    })
  }
}

/**
 * Why an operator changed something is for operators, and so is what the last try of a job met,
 * which may name machines: the organization is not shown it. It is shown why a package has ended.
 */
const detailFor = ({ operator }: Auth.Tenant, fact: SimHistory.Fact, detail: string | null): string | null => {
  if (operator !== undefined) return detail
  if (fact._tag === "Job") return SimHistory.waitOf(fact.job)
  return fact._tag === "Change" && fact.entry.action !== "sim.report" ? null : detail
}

const shapeOfHistory =
  (tenant: Auth.Tenant) =>
  ({ fact, iccid, position }: SimHistory.Located): typeof SubscriptionsApi.HistoryEntry.Type => {
    const { by, detail, resourceId, ...summary } = SimHistory.summary(fact)
    return {
      iccid,
      at: Time.toIso(position.createdAt),
      ...summary,
      detail: detailFor(tenant, fact, detail),
      by: actorFor(tenant, by),
      resource_id: resourceId,
      ...(fact._tag === "Event" && {
        deliveries: Webhooks.historyDeliveriesOf(fact).map(deliveryOf),
        attempts: SimHistory.attemptsOf(fact).map(attemptOf)
      })
    }
  }

const HISTORY_PAGE = 25

const decodeCreation = Body.decoder(SubscriptionsApi.CreateSubscription)
const decodeSms = Body.decoder(SubscriptionsApi.SendSms)

interface OfSim {
  readonly caller: Auth.Tenant
  readonly params: { readonly iccid: string }
}

const simOf = ({ caller, params }: OfSim) => ({ organizationId: caller.organizationId, iccid: params.iccid })

/** The attachment that a path names. In the management API, `id` is the organization's. */
const attachmentOf = (params: { readonly id: string; readonly attachment_id?: string }) =>
  params.attachment_id ?? params.id

const filterOf = Copy.fromWire(Bulk.SubscriptionFilter.own)

export const make = (guard: Auth.Guard<Auth.Tenant>) =>
  Effect.gen(function* () {
    const once = yield* Idempotency.make
    const subscriptions = yield* Subscriptions.Subscriptions
    const attachments = yield* Attachments.Attachments
    const messages = yield* Messages.Messages
    const histories = yield* History.History
    const pauses = yield* Pauses.Pauses
    const replacements = yield* Replacements.Replacements

    return Endpoints.group(SubscriptionsApi.SubscriptionsApi, guard, {
      list: Effect.fnUntraced(function* ({ caller, query }) {
        yield* Query.texts(query)
        const { organizationId } = caller
        const installation = Auth.installation({ caller, query })
        return yield* Responses.list(subscriptions.list({ organizationId, ...filterOf(query) }), (one) =>
          shape(one, installation)
        )
      }),
      create: Effect.fnUntraced(function* (call) {
        const { organizationId } = call.caller
        const sent = yield* Body.read(call.request)
        const installation = Auth.installation(call)
        if (isPreview(call)) {
          const request = { organizationId, ...creation(yield* decodeCreation(sent.value)) }
          const preview = yield* subscriptions.previewCreate(request)
          return {
            ...created(preview.created, installation),
            preview: {
              packages: previewed(preview.ordered),
              next_package_at: Responses.instant(preview.nextPackageAt),
              ...(preview.purchase !== undefined && { purchase: purchaseOf(preview.purchase) })
            }
          }
        }
        const run = Effect.flatMap(decodeCreation(sent.value), (body) =>
          subscriptions.create({ organizationId, ...creation(body) })
        )
        return yield* once("Created", call, sent, run, (answer) => created(answer, installation))
      }),
      get: (call) =>
        Effect.map(subscriptions.get(simOf(call)), (found) => Responses.data(shape(found, Auth.installation(call)))),
      remove: Effect.fnUntraced(function* (call) {
        if (isPreview(call)) {
          const removed = yield* subscriptions.previewRemove(simOf(call))
          const preview = deletionPreview(removed)
          if (removed.refusal === null) return { ...DELETED, preview }
          return Errors.response({ ...Errors.ofRefusal(removed.refusal), additions: { preview } })
        }
        yield* subscriptions.remove(simOf(call))
        return DELETED
      }),
      replace: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.readUnasked(call.request)
        const installation = Auth.installation(call)
        if (isPreview(call)) return replacementPreview(yield* replacements.previewReplace(simOf(call)), installation)
        const run = replacements.replace(simOf(call))
        return yield* once("Replaced", call, sent, run, (answer) => replaced(answer, installation))
      }),
      pause: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.readUnasked(call.request)
        if (isPreview(call)) return { ...PAUSED, preview: pausePreview(yield* pauses.previewPause(simOf(call))) }
        return yield* once("Done", call, sent, Effect.as(pauses.pause(simOf(call)), null), () => PAUSED)
      }),
      resume: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.readUnasked(call.request)
        if (isPreview(call)) return { ...RESUMED, preview: pausePreview(yield* pauses.previewResume(simOf(call))) }
        return yield* once("Done", call, sent, Effect.as(pauses.resume(simOf(call)), null), () => RESUMED)
      }),
      attachments: (call) =>
        Effect.map(attachments.list(simOf(call)), (views) =>
          Responses.data(views.map((view) => shapeOfAttachment(call.caller, view)))
        ),
      attachment: Effect.fnUntraced(function* (call) {
        const view = yield* attachments.get({ ...simOf(call), id: call.params.plan_id })
        return Responses.data(shapeOfAttachment(call.caller, view))
      }),
      history: Effect.fnUntraced(function* (call) {
        yield* Query.texts(call.query)
        const asked = { ...simOf(call), acrossSims: Fields.flag(call.query.across_sims) === true }
        const page = yield* histories.page({ ...asked, ...(yield* Query.keyset(call.query, HISTORY_PAGE)) })
        return Responses.page(page.items.map(shapeOfHistory(call.caller)), Query.createdToken(page.next))
      }),
      suspend: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.readUnasked(call.request)
        const target = { ...simOf(call), attachmentId: attachmentOf(call.params) }
        if (isPreview(call)) {
          const { endedOccurrences, suspended } = yield* attachments.previewSuspend(target)
          return { ...SUSPENDED, preview: { packages: previewed(suspended), ended_occurrences: endedOccurrences } }
        }
        return yield* once("Done", call, sent, Effect.as(attachments.suspend(target), null), () => SUSPENDED)
      }),
      sendSms: Effect.fnUntraced(function* (call) {
        const sent = yield* Body.read(call.request)
        const run = Effect.flatMap(decodeSms(sent.value), ({ from, message }) =>
          messages.send({ ...simOf(call), from, text: message })
        )
        return yield* once("Sms", call, sent, run, sentSms)
      }),
      location: Effect.fnUntraced(function* (call) {
        return lastOperator(yield* subscriptions.lastOperator(simOf(call)))
      })
    })
  })
