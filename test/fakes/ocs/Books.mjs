// What the system keeps: subscribers with their eSIMs, location zones, templates, packages, and
// messages sent.
import * as Dates from "./Dates.mjs"

const DAY = 86_400_000

const luhn = (digits) => {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return String((10 - (sum % 10)) % 10)
}

/** The ICCID of the nth eSIM. */
export const iccidOf = (n) => {
  const body = `894450${String(n).padStart(12, "0")}`
  return `${body}${luhn(body)}`
}

const operator = (networkId, operatorName, country, mcc, mnc, tadig) => ({
  networkId,
  continent: "Europe",
  countryCode: country.code,
  countryName: country.name,
  countryIso2: country.iso2,
  utcOffset: "+01:00",
  operatorName,
  mccMncs: [{ mcc, mnc }],
  tadigs: [tadig]
})

const france = { code: 33, name: "France", iso2: "fr" }
const orange = operator(101, "Orange", france, "208", "01", "FRAF1")

const firstZones = [
  { zoneId: 27, zoneName: "France", operators: [orange] },
  {
    zoneId: 28,
    zoneName: "Europe",
    operators: [
      orange,
      operator(102, "Telekom", { code: 49, name: "Germany", iso2: "de" }, "262", "01", "DEUD1"),
      operator(103, "Proximus", { code: 32, name: "Belgium", iso2: "be" }, "206", "01", "BELTB"),
      operator(104, "TIM", { code: 39, name: "Italy", iso2: "it" }, "222", "01", "ITASI")
    ]
  }
]

export const make = ({ now, resellerId }) => {
  const reseller = { id: resellerId, name: "Reseller" }
  const books = {
    now,
    reseller,
    zones: firstZones.map((zone) => ({ ...zone, reseller })),
    subscribers: new Map(),
    templates: new Map(),
    /** Those that were deleted stay, with `deletedAt`. */
    packages: new Map(),
    messages: [],
    /** What was used of data, oldest first. */
    usages: [],
    mobilePlans: [10],
    lastId: { subscriber: 0, template: 500, package: 1000, sim: 36000 }
  }

  const byIccid = new Map()

  /** Adds free eSIMs to an account, with ICCIDs of their own or with these. Gives the ICCIDs. */
  books.addSubscribers = ({ accountId = 1, count = 1, iccids, imsi: ownImsi, isEsim = true, msisdn, startDate }) =>
    Array.from({ length: iccids?.length ?? count }, (_, index) => {
      const subscriberId = ++books.lastId.subscriber
      const iccid = iccids?.[index] ?? iccidOf(subscriberId)
      const imsi = ownImsi ?? `20845${String(subscriberId).padStart(10, "0")}`
      books.subscribers.set(subscriberId, {
        subscriberId,
        iccid,
        imsi,
        msisdn: msisdn ?? `336${String(subscriberId).padStart(8, "0")}`,
        eid: `8904903200400888260000${String(subscriberId).padStart(10, "0")}`,
        accountId,
        status: "Active",
        createdAt: now(),
        startDate,
        sim: {
          id: ++books.lastId.sim,
          esim: isEsim,
          status: "FREE",
          smdpServer: "smdp.example",
          activationCode: `K2-${String(subscriberId).padStart(6, "0")}`
        },
        network: null,
        mobilePlanId: null,
        history: []
      })
      byIccid.set(iccid, books.subscribers.get(subscriberId))
      return iccid
    })

  /** The subscriber with an identifier; undefined if there is none. */
  books.subscriber = (name, value) => {
    if (name === "subscriberId") return books.subscribers.get(value)
    if (name === "iccid") return byIccid.get(value)
    const field = name === "multiImsi" ? "imsi" : name
    return [...books.subscribers.values()].find((one) =>
      name === "activationCode" ? one.sim.activationCode === value : one[field] === value
    )
  }

  books.packagesOf = (subscriberId) =>
    [...books.packages.values()].filter((one) => one.subscriberId === subscriberId && one.deletedAt === null)

  books.addTemplate = (fields) => {
    const id = ++books.lastId.template
    books.templates.set(id, { ...fields, prepaidpackagetemplateid: id, deleted: false })
    return books.templates.get(id)
  }

  /** Gives a subscriber a package of a template, for a window or from its first use on. */
  books.addPackage = (subscriber, template, window) => {
    const id = ++books.lastId.package
    const held = books.packagesOf(subscriber.subscriberId)
    books.packages.set(id, {
      id,
      subscriberId: subscriber.subscriberId,
      iccid: subscriber.iccid,
      templateId: template.prepaidpackagetemplateid,
      priority: 1 + Math.max(0, ...held.map(({ priority }) => priority)),
      allowanceBytes: template.databyte ?? 0,
      usedBytes: 0,
      periodDays: template.perioddays,
      assignedAt: now(),
      activationAt: window?.start ?? null,
      expirationAt: window?.end ?? null,
      isActive: true,
      deletedAt: null
    })
    subscriber.sim.status = "AFFECTED"
    subscriber.status = "Active"
    return books.packages.get(id)
  }

  const canBeUsed = (one, at) =>
    one.isActive &&
    one.usedBytes < one.allowanceBytes &&
    (one.activationAt === null || one.activationAt <= at) &&
    (one.expirationAt === null || at < one.expirationAt)

  /** The country and the operator of a network, as far as they are known. */
  books.networkOf = (mcc, mnc) =>
    books.zones
      .flatMap(({ operators }) => operators)
      .find(({ mccMncs }) => mccMncs.some((one) => Number(one.mcc) === mcc && Number(one.mnc) === mnc))

  /** Writes what was used into the book of usage, whether a package was charged for it or not. */
  books.addUsage = (subscriber, { at = now(), bytes, imei = "490154203237518", mcc = 208, mnc = 1, rat = "4G" }) => {
    books.usages.push({
      subscriberId: subscriber.subscriberId,
      iccid: subscriber.iccid,
      at,
      bytes,
      mcc,
      mnc,
      rat,
      imei
    })
  }

  /**
   * Charges data to the packages that can be used, the lowest priority first, or to one of them.
   * The first use of a package without a window starts its days. Gives what was charged, package by
   * package.
   */
  books.useData = (subscriber, { bytes, packageId, ...network }) => {
    const at = now()
    const charged = []
    let left = bytes
    const usable = books
      .packagesOf(subscriber.subscriberId)
      .filter((one) => (packageId === undefined || one.id === packageId) && canBeUsed(one, at))
      .toSorted((one, other) => one.priority - other.priority)
    for (const one of usable) {
      if (left <= 0) break
      if (one.activationAt === null) {
        one.activationAt = at - (at % 1_000)
        one.expirationAt = one.activationAt + one.periodDays * DAY
      }
      const before = one.usedBytes
      one.usedBytes = Math.min(one.allowanceBytes, before + left)
      left -= one.usedBytes - before
      charged.push({ package: one, before, after: one.usedBytes })
    }
    if (charged.length > 0) {
      const { imei = "490154203237518", mcc = 208, mnc = 1, rat = "4G - E-UTRAN" } = network
      subscriber.network = { at, mcc, mnc, rat, imei }
      const used = charged.reduce((sum, { after, before }) => sum + after - before, 0)
      books.addUsage(subscriber, { at, bytes: used, mcc, mnc, rat, imei })
    }
    return charged
  }

  /** A new state of an eSIM's profile. */
  books.setProfile = (subscriber, status, statusModification = "Executed-Success") => {
    const at = now()
    const [current] = subscriber.history
    if (current !== undefined) current.end = Dates.seconds(at)
    subscriber.history.unshift({
      simId: subscriber.sim.id,
      status,
      start: Dates.seconds(at),
      profileType: "DEFAULT",
      statusModification
    })
  }

  return books
}
