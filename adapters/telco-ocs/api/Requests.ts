/**
 * The requests of the calls, as the documents have them: one object, whose only key is the operation.
 */
import type { DateTime } from "effect"
import type { Time } from "simplan/ports"
import type * as Api from "./Api.ts"
import * as Dates from "./Dates.ts"

export type Request = Readonly<Record<string, unknown>>

/** The history of the IMSI is part of what is left out of the basic information, so all is asked for. */
export const getSingleSubscriber = (iccid: string): Request => ({
  getSingleSubscriber: { iccid, withSimInfo: true, onlySubsInfo: false }
})

export const listSubscriber = (by: Api.ListedBy): Request => ({ listSubscriber: by })

export const listSubscriberPrepaidPackages = (iccid: string): Request => ({ listSubscriberPrepaidPackages: { iccid } })

/**
 * Without a window the OCS activates the package at its first use, for the days that the template says. The documents do
 * not say in which zone it reads a window, so the settings do.
 */
export const affectPackageToSubscriber = (
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
): Request => {
  const date = (instant: Time.Instant): string => Dates.format(instant, zone)
  return {
    affectPackageToSubscriber: {
      packageTemplateId: templateId,
      subscriber: { iccid },
      ...(window === null ? {} : { activePeriod: { start: date(window.start), end: date(window.end) } })
    }
  }
}

export const modifySubscriberPrepaidPackageStatus = (packageId: number, isActive: boolean): Request => ({
  modifySubscriberPrepaidPackageStatus: { subsPrepaidPackageId: packageId, active: isActive }
})

export const deleteSubscriberPackage = (packageId: number): Request => ({ deleteSubscriberPackage: packageId })

/** The documents write the IMSI as a number. One that begins with 0 is no number in JSON. */
export const sendMtSms = ({
  from,
  imsi,
  text
}: {
  readonly imsi: string
  readonly from: string
  readonly text: string
}): Request => ({ sendMtSms: { imsi: /^[1-9]\d{0,14}$/.test(imsi) ? Number(imsi) : imsi, text, senderId: from } })

export const modifySubscriberMobilePlan = (iccid: string, mobilePlanId: number | null): Request => ({
  modifySubscriberMobilePlan: { subscriberId: { iccid }, ...(mobilePlanId === null ? {} : { mobilePlanId }) }
})

export const getSimProviderStatus = (simId: number): Request => ({ getSimProviderStatus: simId })

export const getSubscriberLocation = (iccid: string): Request => ({ getSubscriberLocation: { iccid } })

export const listPrepaidPackageTemplate = (resellerId: number): Request => ({
  listPrepaidPackageTemplate: { resellerId }
})

export const listDetailedLocationZone = (resellerId: number): Request => ({ listDetailedLocationZone: resellerId })

/** A failed throttling request leaves the package in use, without a limit (`throttlingErrorAction` 0). */
export const createPrepaidPackageTemplate = (resellerId: number, template: Api.NewTemplate): Request => ({
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
