// The objects of answers, as the documents show them.
import * as Dates from "./Dates.mjs"

const optional = (name, value) => (value === null || value === undefined ? {} : { [name]: value })

/** A subscriber, in the answers of getSingleSubscriber and listSubscriber. */
export const subscriber = (one, { onlySubsInfo = false, withSimInfo = true } = {}) => {
  const { imsi, msisdn, subscriberId } = one
  const startDate = one.startDate ?? Dates.seconds(one.createdAt)
  return {
    ...(onlySubsInfo
      ? {}
      : {
          imsiList: [{ id: subscriberId, subscriberId, imsi, startDate, iccid: one.iccid }],
          phoneNumberList: [{ id: subscriberId, subscriberId, phoneNumber: msisdn, startDate }],
          multiImsi: [{ id: subscriberId, subscriberId, imsi, startDate }],
          status: [{ id: subscriberId, subscriberId, startDate, status: one.status }]
        }),
    ...(withSimInfo
      ? {
          sim: {
            id: one.sim.id,
            subscriberId,
            esim: one.sim.esim,
            status: one.sim.status,
            pin1: "0000",
            puk1: "00000000",
            ...(one.sim.esim ? { smdpServer: one.sim.smdpServer, activationCode: one.sim.activationCode } : {})
          }
        }
      : {}),
    networkInfo:
      one.network === null
        ? null
        : {
            subscriberid: subscriberId,
            time: Dates.micros(one.network.at),
            lastMcc: one.network.mcc,
            lastMnc: one.network.mnc,
            lastCellId: 123456,
            lastLac: 456,
            lastImei: one.network.imei,
            lastRat: one.network.rat
          },
    subscriberId,
    accountId: one.accountId,
    prepaid: true,
    balance: 0,
    activationDate: startDate,
    allowedData: true,
    account: `Account ${one.accountId}`,
    ...optional("mobilePlanId", one.mobilePlanId)
  }
}

/** A subscriber's package, as OcsObjects.md has it. */
export const subscriberPackage = (one, template) => ({
  rdbLocationZones: { locationzoneid: template.locationzoneid, locationzonename: `Zone ${template.locationzoneid}` },
  packageTemplate: {
    prepaidpackagetemplateid: one.templateId,
    prepaidpackagetemplatename: template.prepaidpackagetemplatename
  },
  subscriberprepaidpackageid: one.id,
  subscriberid: one.subscriberId,
  priority: one.priority,
  locationzoneid: template.locationzoneid,
  pckdatabyte: one.allowanceBytes,
  pckmocsecond: 0,
  pckmtcsecond: 0,
  pckmosmsnumber: 0,
  pckmtsmsnumber: 0,
  tsassigned: Dates.seconds(one.assignedAt),
  ...(one.activationAt === null ? {} : { tsactivationutc: Dates.seconds(one.activationAt) }),
  ...(one.expirationAt === null ? {} : { tsexpirationutc: Dates.seconds(one.expirationAt) }),
  useddatabyte: one.usedBytes,
  usedmocsecond: 0,
  usedmtcsecond: 0,
  usedmosmsnumber: 0,
  usedmtsmsnumber: 0,
  perioddays: one.periodDays,
  templateId: one.templateId,
  active: one.isActive
})

/** A template, in the answers of listPrepaidPackageTemplate and createPrepaidPackageTemplate. */
export const template = (one, zone) => ({
  ...one,
  rdbLocationZones: { locationzoneid: one.locationzoneid, locationzonename: zone?.zoneName ?? "" },
  priority: 1,
  uiVisible: false
})

const grouped = (all, keyOf) => {
  const groups = new Map()
  for (const one of all) {
    const key = keyOf(one)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}

const sum = (all) => all.reduce((total, { bytes }) => total + bytes, 0)

/** What was used in all, by type, country and operator. */
const usageTotal = (all, networkOf) => ({
  resellerCost: 0,
  subscriberCost: 0,
  quantityPerType: all.length === 0 ? {} : { 33: sum(all) },
  quantityPerCountry: grouped(all, ({ mcc }) => mcc).map((ofCountry) => {
    const [{ mcc, mnc }] = ofCountry
    return {
      mcc,
      name: networkOf(mcc, mnc)?.countryName ?? "N/A",
      alpha2: networkOf(mcc, mnc)?.countryIso2 ?? "N/A",
      qty: sum(ofCountry),
      quantityPerOperator: grouped(ofCountry, ({ mnc: one }) => one).map((ofOperator) => ({
        mnc: ofOperator[0].mnc,
        name: networkOf(mcc, ofOperator[0].mnc)?.operatorName ?? "N/A",
        qty: sum(ofOperator)
      }))
    }
  })
})

/**
 * What a subscriber has used, in the answer of subscriberUsageOverPeriod: by days, the latest
 * first.
 */
export const usageOverPeriod = (all, { accountId, subscriberId }, networkOf) => {
  const days = grouped(all.toReversed(), ({ at }) => Dates.seconds(at).slice(0, 10))
  const total = usageTotal(all, networkOf)
  const subsPeriodUsages = days.map((ofDay) => ({
    day: Dates.seconds(ofDay[0].at).slice(0, 10),
    total: usageTotal(ofDay, networkOf),
    subsDailyUsages: ofDay.map(({ at, bytes, imei, mcc, mnc, rat }) => ({
      subscriberId,
      sessionId: `pgw;${at}`,
      usageDateUtc: Dates.seconds(at),
      usageType: 33,
      accountId,
      mcc,
      country: networkOf(mcc, mnc)?.countryName ?? "N/A",
      countryAlpha2: networkOf(mcc, mnc)?.countryIso2 ?? "N/A",
      operator: networkOf(mcc, mnc)?.operatorName ?? "N/A",
      mnc,
      quantity: bytes,
      resellerCost: 0,
      subscriberCost: 0,
      rat,
      imei
    }))
  }))
  return { total, usages: all.length === 0 ? [] : [{ subscriberId, total, subsPeriodUsages }] }
}
