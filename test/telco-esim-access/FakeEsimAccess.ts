/**
 * A fake of eSIM Access over HTTP, written from its documents alone (https://docs.esimaccess.com,
 * state of April 2026): the envelope with HTTP 200 for failures, both names of the message, orders
 * by transaction id, allocation that takes a while, prices and balance in ten-thousandths, ICCIDs
 * that are sold again.
 *
 * What befalls the next calls of a path is told by `befall`. What comes late comes with `settle`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A bundle of the catalogue, as the documents have it. */
export interface Package {
  readonly packageCode: string
  readonly slug: string
  readonly name: string
  price: number
  readonly currencyCode: string
  readonly volume: number
  readonly smsStatus: number
  readonly dataType: number
  readonly unusedValidTime: number
  readonly duration: number
  readonly durationUnit: string
  readonly location: string
  readonly activeType: number
}

/** An eSIM of the account. */
export interface Profile {
  readonly esimTranNo: string
  readonly orderNo: string
  readonly transactionId: string
  readonly iccid: string
  readonly package: Package
  readonly createTime: string
  readonly charged: number
  esimStatus: string
  smdpStatus: string
  orderUsage: number
  activateTime: string | null
  /** How many more queries say that it is being allocated. */
  allocatesIn: number
}

/** What befalls a call. */
export type Mishap =
  | "request lost"
  | "answer lost"
  | "late"
  | "half body"
  | "too many"
  | "busy"
  | "no JSON"
  | "contradiction"

/** A failure by its code. */
class Refusal {
  readonly code: string
  readonly message: string
  constructor(code: string, message: string) {
    this.code = code
    this.message = message
  }
}

const GB = 1_073_741_824

/** Bundles with the numbers of the documents' examples. */
export const packages = (): Array<Package> => [
  {
    packageCode: "CKH491",
    slug: "NA-3_1_7",
    name: "North America 1GB 7Days",
    price: 57_000,
    currencyCode: "USD",
    volume: GB,
    smsStatus: 1,
    dataType: 1,
    unusedValidTime: 180,
    duration: 7,
    durationUnit: "DAY",
    // A comma at the end occurs.
    location: "MX,US,CA,NA-3,",
    activeType: 2
  },
  {
    packageCode: "PAU001",
    slug: "AU_1_7",
    name: "Australia 1GB 7Days",
    price: 10_000,
    currencyCode: "USD",
    volume: GB,
    smsStatus: 0,
    dataType: 1,
    unusedValidTime: 180,
    duration: 7,
    durationUnit: "DAY",
    location: "AU",
    activeType: 1
  },
  {
    packageCode: "PJP0D5",
    slug: "JP_0.5_Daily",
    name: "Japan 500MB/Day",
    price: 6_000,
    currencyCode: "USD",
    volume: GB / 2,
    smsStatus: 0,
    dataType: 2,
    unusedValidTime: 180,
    duration: 1,
    durationUnit: "DAY",
    location: "JP",
    activeType: 2
  }
]

type Body = Readonly<Record<string, unknown>>

const text = (body: Body, name: string): string => {
  const value = body[name]
  return typeof value === "string" ? value : ""
}

const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => resolve(Buffer.concat(parts).toString("utf8")))
    request.on("error", reject)
  })

const isObject = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value)

/** The state of the account, and its calls. */
export const account = (accessCode: string, now: () => number = Date.now) => {
  const catalogue = packages()
  const profiles: Array<Profile> = []
  const messages: Array<{ readonly esimTranNo: string; readonly message: string }> = []
  const free: Array<string> = []
  const state = {
    balance: 1_000_000,
    /** How many queries say that a new order is being allocated. */
    allocatesIn: 0,
    isOutOfStock: false,
    /** Whether it makes another order for a transaction id of an earlier one. */
    forgetsKeys: false,
    /** Whether money and price of an order are checked before its key. */
    refusesFirst: false,
    /** What all prices rise by after the next list. */
    risesBy: 0
  }

  const fail = (code: string, message: string): never => {
    throw new Refusal(code, message)
  }

  const profileOf = (body: Body): Profile =>
    profiles.find(({ esimTranNo }) => esimTranNo === text(body, "esimTranNo")) ??
    fail("310403", "the iccid does not exist in the order")

  const order = (body: Body) => {
    const transactionId = text(body, "transactionId")
    if (transactionId === "") fail("000105", "transactionId is required")
    if (transactionId.length > 50) fail("000107", "transactionId is longer than 50")
    const list = body["packageInfoList"]
    const [wanted] = Array.isArray(list) ? list : []
    if (!isObject(wanted) || wanted["count"] !== 1) return fail("000105", "packageInfoList")
    const same = state.forgetsKeys ? undefined : profiles.find((one) => one.transactionId === transactionId)
    const answer = (orderNo: string) => ({ orderNo, transactionId })
    if (same !== undefined && !state.refusesFirst) return answer(same.orderNo)
    const found =
      catalogue.find((one) => one.slug === wanted["slug"] || one.packageCode === wanted["packageCode"]) ??
      fail("310243", "the package does not exist")
    const days = wanted["periodNum"]
    const price = found.price * (typeof days === "number" ? days : 1)
    if (wanted["price"] !== undefined && wanted["price"] !== found.price) fail("200005", "package price error")
    if (body["amount"] !== undefined && body["amount"] !== price) fail("200006", "amount error")
    if (state.balance < price) fail("200007", "insufficient account balance")
    if (same !== undefined) return answer(same.orderNo)
    if (state.isOutOfStock) fail("200011", "no profiles are in stock")
    state.balance -= price
    const number = profiles.length + 1
    profiles.push({
      esimTranNo: `2311011142000${number}`,
      orderNo: `B2311011142000${number}`,
      transactionId,
      iccid: free.shift() ?? `89852000000000${String(number).padStart(5, "0")}`,
      package: found,
      createTime: `${new Date(now()).toISOString().slice(0, 19)}+0000`,
      charged: price,
      esimStatus: "GOT_RESOURCE",
      smdpStatus: "RELEASED",
      orderUsage: 0,
      activateTime: null,
      allocatesIn: state.allocatesIn
    })
    return answer(profiles.at(-1)?.orderNo ?? "")
  }

  const query = (body: Body) => {
    const pager = body["pager"]
    if (!isObject(pager)) return fail("000105", "pager is required")
    const size = pager["pageSize"]
    const page = pager["pageNum"]
    if (typeof size !== "number" || size < 5 || size > 500) return fail("000106", "pageSize")
    if (typeof page !== "number") return fail("000106", "pageNum")
    const orderNo = text(body, "orderNo")
    const esimTranNo = text(body, "esimTranNo")
    const isByTime = text(body, "startTime") !== "" && text(body, "endTime") !== ""
    const at = (time: string): number => Date.parse(time.replace("+0000", "Z"))
    const found = profiles.filter((one) =>
      isByTime
        ? at(one.createTime) >= at(text(body, "startTime")) && at(one.createTime) <= at(text(body, "endTime"))
        : one.orderNo === orderNo || one.esimTranNo === esimTranNo
    )
    if (found.length === 0 && orderNo !== "") fail("310272", "the order does not exist")
    for (const one of found) {
      if (!isByTime && one.allocatesIn > 0) {
        one.allocatesIn--
        fail("200010", "SM-DP+ is allocating profiles for the order")
      }
    }
    return {
      esimList: found.slice((page - 1) * size, page * size).map((one) => ({
        esimTranNo: one.esimTranNo,
        orderNo: one.orderNo,
        transactionId: one.transactionId,
        imsi: "454006109846571",
        iccid: one.iccid,
        msisdn: "",
        smsStatus: one.package.smsStatus,
        ac: `LPA:1$rsp-eu.redteamobile.com$${one.esimTranNo}`,
        qrCodeUrl: `https://p.qrsim.net/${one.esimTranNo}.png`,
        smdpStatus: one.smdpStatus,
        esimStatus: one.esimStatus,
        orderUsage: one.orderUsage,
        activateTime: one.activateTime,
        expiredTime: null,
        totalVolume: one.package.volume,
        totalDuration: one.package.duration,
        durationUnit: "DAY",
        eid: "",
        packageList: [
          { packageName: one.package.name, packageCode: one.package.packageCode, createTime: one.createTime }
        ]
      })),
      pager: { pageNum: page, pageSize: size, total: found.length }
    }
  }

  const change = (from: ReadonlyArray<string>, to: string, more: (profile: Profile) => void) => (body: Body) => {
    const profile = profileOf(body)
    if (!from.includes(profile.esimStatus)) fail("200002", "the operation is not allowed in this state")
    more(profile)
    profile.esimStatus = to
    return null
  }

  const paths: Readonly<Record<string, (body: Body) => unknown>> = {
    "/package/list": (body) => {
      const found = catalogue.filter(
        (one) =>
          (text(body, "slug") === "" || one.slug === body["slug"]) &&
          (text(body, "packageCode") === "" || one.packageCode === body["packageCode"])
      )
      const packageList = found.map((one) => ({ ...one }))
      for (const one of catalogue) one.price += state.risesBy
      state.risesBy = 0
      return { packageList }
    },
    "/esim/order": order,
    "/esim/query": query,
    "/esim/usage/query": (body) => {
      const list = body["esimTranNoList"]
      const wanted = Array.isArray(list) ? list : []
      if (wanted.length > 10) fail("000107", "at most 10")
      return {
        esimUsageList: profiles
          .filter(({ esimTranNo }) => wanted.includes(esimTranNo))
          .map(({ esimTranNo, orderUsage, package: { volume } }) => ({
            esimTranNo,
            dataUsage: orderUsage,
            totalData: volume,
            lastUpdateTime: "2026-11-30T03:00:00+0000"
          }))
      }
    },
    "/esim/cancel": change(["GOT_RESOURCE"], "CANCEL", (profile) => {
      if (profile.smdpStatus !== "RELEASED") fail("200002", "it was installed")
      state.balance += profile.charged
      free.push(profile.iccid)
    }),
    "/esim/revoke": change(["GOT_RESOURCE", "IN_USE", "SUSPENDED"], "REVOKE", () => undefined),
    "/esim/suspend": change(["GOT_RESOURCE", "IN_USE"], "SUSPENDED", () => undefined),
    "/esim/unsuspend": (body) =>
      change(["SUSPENDED"], profileOf(body).activateTime === null ? "GOT_RESOURCE" : "IN_USE", () => undefined)(body),
    "/esim/sendSms": (body) => {
      const profile = profileOf(body)
      if (profile.package.smsStatus === 0 || profile.smdpStatus === "RELEASED") fail("200002", "no SMS now")
      messages.push({ esimTranNo: profile.esimTranNo, message: text(body, "message") })
      return null
    },
    "/balance/query": () => ({ balance: state.balance })
  }

  let failures = 0
  let successes = 0
  /** The answer of a call, which is one of HTTP 200 in any case. */
  const answer = (path: string, code: string | undefined, body: Body): string => {
    try {
      if (code !== accessCode) fail("101003", `the access code ${code} is wrong`)
      const call = paths[path]
      if (call === undefined) return fail("000103", "no such call")
      const obj = call(body)
      return JSON.stringify({ success: true, errorCode: successes++ % 2 === 0 ? "0" : null, errorMsg: null, obj })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const name = failures++ % 2 === 0 ? "errorMsg" : "errorMessage"
      return JSON.stringify({ success: false, errorCode: error.code, [name]: error.message, obj: null })
    }
  }
  return { catalogue, profiles, messages, state, answer }
}

/** The account behind a server at a port of its own, until the scope is closed. */
export const make = Effect.gen(function* () {
  const accessCode = "11111111222222223333333344444444"
  const own = account(accessCode)
  const mishaps: Array<{ readonly path: string; readonly mishap: Mishap }> = []
  const late: Array<() => void> = []
  const calls: Array<{ readonly path: string; readonly body: Body }> = []

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "").replace(/^\/open/, "")
    const parsed: unknown = JSON.parse((await bodyOf(request)) || "{}")
    const body = isObject(parsed) ? parsed : {}
    calls.push({ path, body })
    const index = mishaps.findIndex((one) => one.path === path)
    const [found] = index === -1 ? [] : mishaps.splice(index, 1)
    const header = request.headers["rt-accesscode"]
    const answer = () => own.answer(path, typeof header === "string" ? header : undefined, body)
    const json = { "content-type": "application/json" }
    switch (found?.mishap) {
      case "request lost":
        return void request.socket.destroy()
      case "late":
        late.push(() => void answer())
        return void request.socket.destroy()
      case "answer lost":
        answer()
        return void request.socket.destroy()
      case "half body": {
        const whole = answer()
        response.writeHead(200, { ...json, "content-length": Buffer.byteLength(whole) })
        return void response.write(whole.slice(0, whole.length / 2), () => request.socket.destroy())
      }
      case "too many":
        return void response.writeHead(429, { "retry-after": "2" }).end()
      case "busy":
        return void response.writeHead(200, json).end('{"success":false,"errorCode":"900001","errorMsg":"busy"}')
      case "no JSON":
        answer()
        return void response.writeHead(502, { "content-type": "text/html" }).end("<html>Bad Gateway</html>")
      case "contradiction":
        answer()
        return void response.writeHead(200, json).end('{"success":true,"errorCode":"200002","errorMsg":"what?"}')
      default:
        return void response.writeHead(200, json).end(answer())
    }
  }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => void handle(request, response))
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.callback<void>((resume) => {
        made.closeAllConnections()
        made.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  const port = isAddress(address) ? address.port : 0
  return {
    ...own,
    accessCode,
    url: `http://127.0.0.1:${port}/open`,
    calls,
    /** What befalls the next calls of a path, one each. */
    befall: (path: string, ...next: ReadonlyArray<Mishap>) => {
      for (const mishap of next) mishaps.push({ path, mishap })
    },
    /** Does what was late. */
    settle: () => {
      for (const effect of late.splice(0)) effect()
    }
  }
})

const isAddress = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === "object" && address !== null

/** A fake of the supplier. */
export type Fake = Effect.Success<typeof make>
