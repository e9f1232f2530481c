/**
 * Plan attachments and their packages as JSON.
 */
import { Time } from "simplan"
import { type Attachment, Package } from "simplan/ports"
import type * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Instants from "./Instants.ts"

export const attachment = (view: Attachment.View): typeof SubscriptionsApi.PlanAttachment.Type => {
  const { attachmentId, createdAt, planId, terms } = view.attachment
  return {
    plan_attachment_id: attachmentId,
    created_at: Time.toIso(createdAt),
    activation_at: Instants.toWire(view.activationAt),
    expiration_at: Instants.toWire(view.expirationAt),
    used_allowance: { dataBytes: view.usedBytes },
    state: view.state,
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
    packages: view.packages.map((one) => ({
      package_id: Package.packageId(one.attachmentId, one.occurrence),
      activation_at: Instants.toWire(one.activationAt),
      expiration_at: Instants.toWire(one.expirationAt),
      used_allowance: { dataBytes: one.usedBytes }
    }))
  }
}
