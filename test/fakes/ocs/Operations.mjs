// What each operation does. A request that the documents do not describe is refused before it does
// anything.
import * as Answers from "./Answers.mjs"
import * as Checks from "./Checks.mjs"
import * as Dates from "./Dates.mjs"
import { invalid, notFound, Refusal } from "./Status.mjs"

const DAY = 86_400_000

const found = (books, name, value) => {
  const subscriber = books.subscriber(name, value)
  if (subscriber === undefined) throw notFound(`No subscriber with this ${name}`)
  return subscriber
}

const subscriberBy = (books, value, where) => found(books, ...ofIdentifier(value, where))

const ofIdentifier = (value, where) => {
  const name = Checks.identifier(value, where)
  return [name, value[name]]
}

const packageBy = (books, id) => {
  const one = books.packages.get(id)
  if (one === undefined || one.deletedAt !== null) throw notFound(`No package ${id}`)
  return one
}

const zoneBy = (books, id) => books.zones.find(({ zoneId }) => zoneId === id)

const reseller = (books, id) => {
  if (id !== books.reseller.id) throw new Refusal(10)
}

const listPackages = (version) => (books, value) => {
  const { subscriberId } = subscriberBy(books, value, "listSubscriberPrepaidPackages")
  const then = books.now() - books.listLag
  const packages = [...books.packages.values()]
    .filter((one) => one.subscriberId === subscriberId && one.assignedAt <= then)
    .filter(({ deletedAt }) => deletedAt === null || deletedAt > then)
    .map((one) => Answers.subscriberPackage(one, books.templates.get(one.templateId)))
  return {
    listSubscriberPrepaidPackages: {
      packages,
      ...(version === 2 ? { recurring: [] } : {}),
      callUseSingleCounter: false
    }
  }
}

/** The shortest prefixes that may be asked for, and what they are compared with. */
const prefixes = {
  imsi: [10, "imsi"],
  imsiPrefix: [10, "imsi"],
  iccid: [13, "iccid"],
  iccidPrefix: [13, "iccid"],
  msisdn: [7, "msisdn"],
  msisdnPrefix: [7, "msisdn"]
}

const listSubscriber = (books, value) => {
  const where = "listSubscriber"
  const keys = [...Object.keys(prefixes), "accountId", "activationCode"]
  const types = Object.fromEntries(keys.map((key) => [`${key}?`, key === "accountId" ? "whole" : "text"]))
  Checks.fields(value, types, where)
  const key = Checks.oneOf(value, keys, where)
  const [shortest, field] = prefixes[key] ?? []
  if (shortest !== undefined && value[key].length < shortest) throw invalid(`${where}.${key} is too short`)
  const all = [...books.subscribers.values()].filter((one) => {
    if (key === "accountId") return one.accountId === value.accountId
    if (key === "activationCode") return one.sim.activationCode === value.activationCode
    return one[field].startsWith(value[key])
  })
  const listed = all.slice(0, books.mostListed)
  return {
    listSubscriber: {
      subscriberList: listed.map((one) => Answers.subscriber(one)),
      hasMore: listed.length < all.length,
      nbFound: all.length
    }
  }
}

const windowOf = (books, { activePeriod, validityPeriod }) => {
  if (activePeriod !== undefined) {
    Checks.fields(activePeriod, { start: "date", end: "date" }, "activePeriod")
    const [start, end] = [activePeriod.start, activePeriod.end].map((date) => Dates.parse(date, books.timeZone))
    const window = { start, end }
    if (window.end <= window.start) throw invalid("activePeriod.end must be after its start")
    return window
  }
  if (validityPeriod === undefined) return null
  const start = books.now() - (books.now() % 1_000)
  return { start, end: start + validityPeriod * DAY }
}

const affectPackageToSubscriber = (books, value) => {
  const where = "affectPackageToSubscriber"
  Checks.fields(
    value,
    {
      packageTemplateId: "whole",
      "subscriber?": "object",
      "accountForSubs?": "whole",
      "activePeriod?": "object",
      "validityPeriod?": "count"
    },
    where
  )
  const key = Checks.oneOf(value, ["subscriber", "accountForSubs"], where)
  if (value.activePeriod !== undefined && value.validityPeriod !== undefined) {
    throw invalid(`${where} has both activePeriod and validityPeriod`)
  }
  if (key === "subscriber") Checks.identifier(value.subscriber, `${where}.subscriber`)
  const window = windowOf(books, value)
  const template = books.templates.get(value.packageTemplateId)
  if (template === undefined || template.deleted) throw notFound(`No template ${value.packageTemplateId}`)
  const isFree = ({ accountId, sim }) => accountId === value.accountForSubs && sim.status === "FREE"
  const subscriber =
    key === "subscriber"
      ? subscriberBy(books, value.subscriber, `${where}.subscriber`)
      : [...books.subscribers.values()].find(isFree)
  if (subscriber === undefined) throw notFound("No free eSIM in this account")
  if (subscriber.status === "END_OF_LIFE") throw new Refusal(17)
  const { activationCode, id: esimId, smdpServer } = subscriber.sim
  const { id } = books.addPackage(subscriber, template, window)
  return {
    affectPackageToSubscriber: {
      iccid: subscriber.iccid,
      smdpServer,
      activationCode,
      urlQrCode: `LPA:1$${smdpServer}$${activationCode}`,
      subscriberId: subscriber.subscriberId,
      esimId,
      subsPackageId: id,
      userSimName: `Sim_${subscriber.subscriberId}`
    }
  }
}

const sendMtSms = (books, value) => {
  Checks.fields(value, { "imsi?": "digits", "msisdn?": "digits", text: "text", senderId: "text" }, "sendMtSms")
  const key = Checks.oneOf(value, ["imsi", "msisdn"], "sendMtSms")
  const text = Checks.message(value.text, "sendMtSms.text")
  const subscriber = found(books, key, String(value[key]))
  if (subscriber.status === "END_OF_LIFE") throw new Refusal(17)
  books.messages.push({ iccid: subscriber.iccid, from: value.senderId, text, at: books.now() })
  return {}
}

const searchKeys = {
  templateId: "prepaidpackagetemplateid",
  resellerId: "resellerid",
  locationZoneId: "locationzoneid",
  destinationListId: "destinationzoneid",
  sponsorId: "esimSponsor"
}

const version1 = {
  getSingleSubscriber: (books, value) => {
    const flags = { "withSimInfo?": "flag", "onlySubsInfo?": "flag", "withGzCounter?": "flag" }
    const name = Checks.identifier(value, "getSingleSubscriber", flags)
    return { getSingleSubscriber: Answers.subscriber(found(books, name, value[name]), value) }
  },
  listSubscriber,
  affectPackageToSubscriber,
  listSubscriberPrepaidPackages: listPackages(1),
  modifySubscriberPrepaidPackageStatus: (books, value) => {
    Checks.fields(value, { subsPrepaidPackageId: "whole", active: "flag" }, "modifySubscriberPrepaidPackageStatus")
    packageBy(books, value.subsPrepaidPackageId).isActive = value.active
    return {}
  },
  deleteSubscriberPackage: (books, value) => {
    packageBy(books, Checks.whole(value, "deleteSubscriberPackage")).deletedAt = books.now()
    return {}
  },
  modifySubscriberMobilePlan: (books, value) => {
    const where = "modifySubscriberMobilePlan"
    Checks.fields(value, { subscriberId: "object", "mobilePlanId?": "whole" }, where)
    const subscriber = subscriberBy(books, value.subscriberId, `${where}.subscriberId`)
    if (value.mobilePlanId !== undefined && !books.mobilePlans.includes(value.mobilePlanId)) {
      throw notFound(`No mobile plan ${value.mobilePlanId}`)
    }
    subscriber.mobilePlanId = value.mobilePlanId ?? null
    return {}
  },
  modifySubscriberStatus: (books, value) => {
    const where = "modifySubscriberStatus"
    Checks.fields(value, { subscriber: "object", newStatus: "text" }, where)
    const subscriber = subscriberBy(books, value.subscriber, `${where}.subscriber`)
    if (!["ACTIVE", "SUSPENDED"].includes(value.newStatus)) throw invalid(`${where}.newStatus is ${value.newStatus}`)
    subscriber.status = value.newStatus === "ACTIVE" ? "Active" : "Suspended"
    return {}
  },
  getSimProviderStatus: (books, value) => {
    Checks.whole(value, "getSimProviderStatus")
    const subscriber = [...books.subscribers.values()].find(({ sim }) => sim.id === value && sim.esim)
    if (subscriber === undefined) throw notFound(`No eSIM ${value}`)
    return { getSimProviderStatus: subscriber.history }
  },
  getSubscriberLocation: (books, value) => {
    const { network } = subscriberBy(books, value, "getSubscriberLocation")
    // The documents do not say what the answer is where there is no location.
    if (network === null) return { subscriberLocation: null }
    const dateTime = Dates.micros(network.at)
    return { subscriberLocation: { latitude: 48.85, longitude: 2.35, accuracy: 250, dateTime } }
  },
  listPrepaidPackageTemplate: (books, value) => {
    const where = "listPrepaidPackageTemplate"
    const keys = Object.keys(searchKeys)
    Checks.fields(value, Object.fromEntries(keys.map((key) => [`${key}?`, "whole"])), where)
    const [key, ...others] = Object.keys(value)
    if (others.length > 0) throw invalid(`${where} must have one search key`)
    const listed = [...books.templates.values()].filter(
      (one) => key === undefined || one[searchKeys[key]] === value[key]
    )
    return {
      listPrepaidPackageTemplate: {
        template: listed.map((one) => Answers.template(one, zoneBy(books, one.locationzoneid)))
      }
    }
  },
  createPrepaidPackageTemplate: (books, value) => {
    Checks.template(value, "createPrepaidPackageTemplate")
    reseller(books, value.resellerid)
    const zone = zoneBy(books, value.locationzoneid)
    if (zone === undefined) throw notFound(`No location zone ${value.locationzoneid}`)
    return { createPrepaidPackageTemplate: Answers.template(books.addTemplate(value), zone) }
  },
  listDetailedLocationZone: (books, value) => {
    reseller(books, Checks.whole(value, "listDetailedLocationZone"))
    return { listDetailedLocationZone: books.zones.length === 0 ? null : books.zones }
  },
  sendMtSms
}

const version2 = { listSubscriberPrepaidPackages: listPackages(2) }

/** The longest period that may be asked for, in days. */
const PERIOD = 7

const usage = {
  subscriberUsageOverPeriod: (books, value) => {
    const where = "subscriberUsageOverPeriod"
    Checks.fields(value, { subscriber: "object", period: "object" }, where)
    const subscriber = subscriberBy(books, value.subscriber, `${where}.subscriber`)
    Checks.fields(value.period, { start: "day", end: "day" }, `${where}.period`)
    const [start, end] = [value.period.start, value.period.end].map((day) => Dates.parse(`${day}T00:00:00`))
    if (end < start) throw invalid(`${where}.period.end must not be before its start`)
    if (end - start >= PERIOD * DAY) throw invalid(`${where}.period must not be longer than a week`)
    const all = books.usages.filter(
      ({ at, subscriberId }) => subscriberId === subscriber.subscriberId && at >= start && at < end + DAY
    )
    return { subscriberUsageOverPeriod: Answers.usageOverPeriod(all, subscriber, books.networkOf) }
  }
}

const byVersion = { 1: version1, 2: version2, as: usage }

/** Does a request. Gives the answer, and throws a `Refusal` for what is not done. */
export const run = (books, version, operation, value) => {
  const operations = byVersion[version]
  if (!Object.hasOwn(operations, operation)) throw new Refusal(1)
  return operations[operation](books, value)
}
