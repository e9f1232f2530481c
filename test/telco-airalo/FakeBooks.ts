/**
 * What the fake of Airalo has: packages on sale, orders, eSIMs and what is on them, and what it
 * answers of them. The forms are those of the documents' examples, contradictions included: texts
 * for numbers in lists, no `net_price` in lists, dates with and without zones, `api.succes`.
 */
import type { IncomingHttpHeaders } from "node:http"

/** A package that is on sale. Prices are decimals, in the currency of the account. */
export interface Offer {
  readonly id: string
  readonly kind: "sim" | "topup"
  readonly megaBytes: number
  readonly days: number
  netPrice: string
  /** False: it is off sale, and listed for a while yet. */
  isSold: boolean
}

/** An eSIM. */
export interface FakeSim {
  readonly id: number
  readonly iccid: string
  readonly matchingId: string
  isRecycled: boolean
}

/** A package on an eSIM. */
export interface Instance {
  readonly id: number
  /** Since when lists have it. */
  readonly listedFrom: number
  readonly iccid: string
  readonly offer: Offer
  status: "NOT_ACTIVE" | "ACTIVE" | "FINISHED" | "EXPIRED"
  remaining: number
  activatedAt: string | null
  expiredAt: string | null
}

/** An order. */
export interface FakeOrder {
  readonly id: number
  readonly kind: "sim" | "topup"
  readonly packageId: string
  readonly description: string | null
  /** What the account was charged, in units of 1/100. */
  readonly charged: number
  readonly createdAt: number
  readonly sims: ReadonlyArray<FakeSim>
  status: "completed" | "failed" | "refunded"
  /** Since when lists have it. */
  readonly listedFrom: number
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** The fields of a multipart body, or of one in JSON. */
  readonly fields: Readonly<Record<string, unknown>>
}

export interface Options {
  /** Of the account; USD unless given. */
  readonly currency?: string
  /** What the account has, in units of 1/100. */
  readonly balance?: number
  /** How much later an order is in lists, by `now`. */
  readonly listLag?: () => number
  /** What time it is; how many calls there were, unless given. */
  readonly now?: () => number
  /** When an eSIM is used; a fixed time unless given. */
  readonly usedAt?: () => number
  /** Whether answers of orders have `net_price`: half of the examples have none. */
  readonly withNetPrice?: boolean
  /** Whether lists have it too, as the FAQ says of every order, and the example has not. */
  readonly listsNetPrice?: boolean
  /** Whether top-ups keep a description: the example of one has another. */
  readonly keepsTopUpText?: boolean
  /** When an order is made; a fixed time unless given. */
  readonly orderedAt?: () => number
  /** For how many days an eSIM can be installed. */
  readonly installWindowDays?: number | null
  readonly isRechargeable?: boolean
  /** Whether people have agreed by now to a request for money, when its order is looked at. */
  readonly agrees?: () => boolean
}

/** What an account has at Airalo. */
export interface Books {
  readonly orders: Array<FakeOrder>
  readonly sims: Map<string, FakeSim>
  readonly instances: Array<Instance>
  readonly offers: Array<Offer>
  /** The ICCIDs of each request for money. */
  readonly refunds: Array<ReadonlyArray<string>>
  /** The ICCIDs of the next eSIMs; else new ones. */
  readonly nextIccids: Array<string>
  /** What is left, in units of 1/100. */
  balance: number
  currency: string
  /** Uses a package of an eSIM: the last one of a kind, from its first use on. */
  readonly use: (iccid: string, kind: Offer["kind"], megaBytes: number) => void
}

/** The form of dates in most answers. */
const stamp = (millis: number): string => new Date(millis).toISOString().slice(0, 19).replace("T", " ")

const withZone = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19)}+00:00`

const STARTED = Date.UTC(2026, 8, 1, 12)

/** SQL's LIKE with a `%` at both ends: any case, `_` is one character, `%` any number. */
export const like = (text: string, pattern: string): boolean => {
  const escaped = pattern
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("_", ".")
    .replaceAll("%", ".*")
  return new RegExp(escaped, "is").test(text)
}

/** The units of 1/100 of a decimal with at most two places. */
const cents = (decimal: string): number => {
  const [whole = "0", places = ""] = decimal.split(".")
  return Number(`${whole}${places.padEnd(2, "0")}`)
}

const luhn = (digits: string): string => {
  let sum = 0
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return `${digits}${(10 - (sum % 10)) % 10}`
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

export const ok = (data: unknown, message = "success"): Reply => ({ status: 200, body: { data, meta: { message } } })

export const invalid = (fields: Readonly<Record<string, string>>): Reply => ({
  status: 422,
  body: { data: fields, meta: { message: "the parameter is invalid" } }
})

const coded = (code: number, reason: string): Reply => ({ status: 422, body: { code, reason } })

const missing: Reply = { status: 404, body: { data: [], meta: { message: "messages.resource_not_found" } } }

/** An account with three packages on sale, and what is answered to each call but for tokens. */
export const make = (options: Options): { readonly books: Books; readonly answer: (asked: Asked) => Reply } => {
  const {
    agrees = () => false,
    balance = 100_000,
    currency = "USD",
    installWindowDays = null,
    isRechargeable = true,
    keepsTopUpText = true,
    listLag = () => 0,
    listsNetPrice = false,
    now = () => calls,
    orderedAt = () => STARTED,
    usedAt = () => STARTED,
    withNetPrice = true
  } = options
  let [calls, numbers, given] = [0, 9_000, 0]

  const books: Books = {
    orders: [],
    sims: new Map(),
    instances: [],
    offers: [
      { id: "kallur-digital-7days-1gb", kind: "sim", megaBytes: 1_024, days: 7, netPrice: "4.5", isSold: true },
      { id: "kallur-digital-30days-3gb", kind: "sim", megaBytes: 3_072, days: 30, netPrice: "10.05", isSold: true },
      { id: "kallur-digital-7days-1gb-topup", kind: "topup", megaBytes: 1_024, days: 7, netPrice: "4.1", isSold: true }
    ],
    refunds: [],
    nextIccids: [],
    balance,
    currency,
    use: (iccid, kind, megaBytes) => {
      const own = books.instances.findLast((one) => one.iccid === iccid && one.offer.kind === kind)
      if (own === undefined) throw new Error(`nothing is on ${iccid}`)
      own.status = "ACTIVE"
      own.remaining = Math.max(0, own.remaining - megaBytes)
      own.activatedAt ??= withZone(usedAt())
      own.expiredAt ??= withZone(Date.parse(own.activatedAt) + own.offer.days * 86_400_000)
    }
  }

  const newIccid = (): string => books.nextIccids.shift() ?? luhn(`894446540000${String(++given).padStart(6, "0")}`)

  const newSim = (): FakeSim => {
    const id = ++numbers
    const sim = { id, iccid: newIccid(), matchingId: `MATCH-${id}`, isRecycled: false }
    books.sims.set(sim.iccid, sim)
    return sim
  }

  const addInstance = (iccid: string, offer: Offer, listedFrom: number): void => {
    books.instances.push({
      id: ++numbers,
      listedFrom,
      iccid,
      offer,
      status: "NOT_ACTIVE",
      remaining: offer.megaBytes,
      activatedAt: null,
      expiredAt: null
    })
  }

  const simOf = ({ id, iccid, matchingId }: FakeSim) => ({
    id,
    created_at: stamp(STARTED),
    iccid,
    lpa: "lpa.airalo.com",
    imsis: null,
    matching_id: matchingId,
    qrcode: `LPA:1$lpa.airalo.com$${matchingId}`,
    qrcode_url: `https://sandbox.airalo.com/qr?id=${id}`,
    airalo_code: null,
    apn_type: "automatic",
    apn_value: null,
    is_roaming: true,
    confirmation_code: null,
    msisdn: null
  })

  const shared = ({ createdAt, description, id, kind, packageId }: FakeOrder) => ({
    id,
    code: `20260901-${String(id).padStart(6, "0")}`,
    currency: books.currency,
    package_id: packageId,
    type: kind,
    description,
    esim_type: "Prepaid",
    package: packageId,
    data: "1 GB",
    created_at: stamp(createdAt),
    manual_installation: "",
    qrcode_installation: ""
  })

  /** "Submit order": numbers, but `quantity` is the text of the request. */
  const answered = (order: FakeOrder) => ({
    ...shared(order),
    quantity: "1",
    validity: 7,
    price: 9.5,
    ...(withNetPrice && { net_price: order.charged / 100 }),
    ...(order.kind === "sim" && { sims: order.sims.map(simOf) })
  })

  /** "Get order list": texts, and no `net_price`. */
  const listed = (order: FakeOrder, include: string) => ({
    ...shared(order),
    quantity: 1,
    validity: "7",
    price: "9.50",
    ...(listsNetPrice && { net_price: String(order.charged / 100) }),
    ...(include.includes("sims") && { sims: order.sims.map(simOf) }),
    ...(include.includes("status") && { status: { name: order.status, slug: order.status } })
  })

  /** Charges for an offer and makes its order; a refusal otherwise. */
  const buy = (offer: Offer, description: string | null, sims: ReadonlyArray<FakeSim> | null): FakeOrder | Reply => {
    const charged = cents(offer.netPrice)
    if (charged > books.balance) return coded(11, "Insufficient Airalo Credit: your credit is not enough")
    books.balance -= charged
    const order: FakeOrder = {
      id: ++numbers,
      kind: offer.kind,
      packageId: offer.id,
      description,
      charged,
      createdAt: orderedAt(),
      sims: sims ?? [newSim()],
      status: "completed",
      listedFrom: now() + listLag()
    }
    books.orders.push(order)
    for (const { iccid } of order.sims) addInstance(iccid, offer, order.listedFrom)
    return order
  }

  const text = (fields: Asked["fields"], name: string): string | null => {
    const value = fields[name]
    return typeof value === "string" && value !== "" ? value : null
  }

  const offerOf = (id: string | null, kind: Offer["kind"]): Offer | undefined =>
    books.offers.find((one) => one.id === id && one.kind === kind && one.isSold)

  const order = ({ fields }: Asked): Reply => {
    const offer = offerOf(text(fields, "package_id"), "sim")
    if (offer === undefined) return invalid({ package_id: "The selected package is invalid." })
    if (text(fields, "quantity") !== "1") return invalid({ quantity: "The quantity may not be greater than 50." })
    const made = buy(offer, text(fields, "description"), null)
    return "status" in made && "body" in made ? made : ok(answered(made))
  }

  const topUp = ({ fields }: Asked): Reply => {
    const iccid = text(fields, "iccid")
    const sim = books.sims.get(iccid ?? "")
    const offer = offerOf(text(fields, "package_id"), "topup")
    if (iccid === null || sim === undefined) return invalid({ iccid: "The selected iccid is invalid." })
    if (offer === undefined) return invalid({ package_id: "invalid topup package" })
    if (!isRechargeable) return coded(23, "The requested top-up has been disabled by the operator.")
    if (sim.isRecycled) {
      return coded(73, `The eSIM with iccid ${iccid} has been recycled. It can no longer be used or topped up.`)
    }
    const description = keepsTopUpText ? text(fields, "description") : null
    const made = buy(offer, description ?? `Topup (${iccid})`, [sim])
    return "status" in made && "body" in made ? made : ok(answered(made))
  }

  const list = ({ query }: Asked): Reply => {
    const limit = Number(query.get("limit") ?? "50")
    const page = Number(query.get("page") ?? "1")
    if (!Number.isInteger(limit)) return invalid({ limit: "The limit must be an integer." })
    const pattern = query.get("filter[description]")
    const [from = "", to = ""] = query.get("filter[created_at]")?.split(" - ") ?? []
    const isWithin = ({ createdAt }: FakeOrder): boolean => {
      const day = new Date(createdAt).toISOString().slice(0, 10)
      return from === "" || (day >= from && day <= to)
    }
    const all = books.orders
      .filter((one) => one.listedFrom <= now() && isWithin(one))
      .filter((one) => pattern === null || like(one.description ?? "", pattern))
      .toReversed()
    const rows = all.slice((page - 1) * limit, page * limit)
    return {
      status: 200,
      body: {
        data: rows.map((one) => listed(one, query.get("include") ?? "")),
        links: { first: "…", last: "…", prev: null, next: null },
        meta: {
          message: "success",
          current_page: page,
          last_page: Math.max(1, Math.ceil(all.length / limit)),
          per_page: String(limit),
          total: all.length
        }
      }
    }
  }

  const history = (iccid: string): Reply =>
    books.sims.has(iccid)
      ? ok(
          books.instances
            .filter((one) => one.iccid === iccid && one.listedFrom <= now())
            .toReversed()
            .map(({ activatedAt, expiredAt, id, offer, remaining, status }) => ({
              id,
              status,
              remaining,
              activated_at: activatedAt,
              expired_at: expiredAt,
              finished_at: null,
              package: {
                id: offer.id,
                type: offer.kind,
                price: 10,
                net_price: Number(offer.netPrice),
                amount: offer.megaBytes,
                day: offer.days,
                is_unlimited: offer.megaBytes === 0,
                title: "3 GB - 30 Days",
                data: "3 GB",
                short_info: null
              }
            }))
        )
      : missing

  const usage = (iccid: string): Reply => {
    const sim = books.sims.get(iccid)
    if (sim === undefined) return missing
    const own = books.instances.filter((one) => one.iccid === iccid)
    const sum = (of: (one: Instance) => number): number => own.reduce((all, one) => all + of(one), 0)
    const voice = { remaining_voice: 0, remaining_text: 0, total_voice: 0, total_text: 0 }
    if (sim.isRecycled) {
      const none = { remaining: 0, total: 0, expired_at: null, is_unlimited: null, status: "RECYCLED" }
      return ok({ ...none, ...voice }, "api.succes")
    }
    return ok(
      {
        remaining: sum(({ remaining }) => remaining),
        total: sum(({ offer }) => offer.megaBytes),
        expired_at: null,
        is_unlimited: false,
        status: own.some(({ status }) => status === "ACTIVE") ? "ACTIVE" : "NOT_ACTIVE",
        ...voice
      },
      "api.succes"
    )
  }

  /** Orders for whose money was asked. */
  const requested = new Set<number>()

  const refund = ({ fields }: Asked): Reply => {
    const iccids = fields["iccids"]
    if (!Array.isArray(iccids)) return invalid({ iccids: "The iccids field is required." })
    const unknown = iccids.filter((iccid) => !books.sims.has(iccid))
    if (unknown.length > 0) {
      const message = `The following ICCIDs do not belong to your company: ${unknown.join(", ")}`
      return { status: 422, body: { data: [], meta: { message } } }
    }
    books.refunds.push(iccids.map(String))
    for (const iccid of iccids) {
      const sold = books.orders.findLast(({ kind, sims }) => kind === "sim" && sims.some((sim) => sim.iccid === iccid))
      if (sold !== undefined) requested.add(sold.id)
    }
    const data = { refund_id: String(12_344 + books.refunds.length), created_at: "2024-10-12 09:30" }
    return { status: 202, body: { data, meta: { message: "success" } } }
  }

  const offered = ({ days, id, kind, megaBytes, netPrice }: Offer) => ({
    id,
    type: kind,
    price: 9.5,
    amount: megaBytes,
    day: days,
    is_unlimited: megaBytes === 0,
    title: `${megaBytes / 1_024} GB - ${days} Days`,
    data: `${megaBytes / 1_024} GB`,
    voice: null,
    text: null,
    net_price: Number(netPrice),
    prices: {
      net_price: { [books.currency]: Number(netPrice), JPY: 616.67 },
      recommended_retail_price: { [books.currency]: 9.5 }
    }
  })

  /** "Get packages": each page has one country or region; later ones are objects by index. */
  const packages = ({ query }: Asked): Reply => {
    const page = Number(query.get("page") ?? "1")
    const countries = [
      { slug: "faroe-islands", country_code: "FO", id: 687, offers: books.offers },
      { slug: "europe", country_code: "", id: 686, offers: [] }
    ]
    const rows = countries.slice(page - 1, page).map(({ country_code, id, offers, slug }) => ({
      slug,
      country_code,
      title: slug,
      operators: [
        {
          id,
          type: country_code === "" ? "global" : "local",
          title: "Kallur Digital",
          plan_type: "data",
          activation_policy: "first-usage",
          is_kyc_verify: false,
          rechargeability: isRechargeable,
          coverages: [{ name: "FO", code: "FO", networks: [{ name: "Hey", types: ["4G"] }] }],
          install_window_days: installWindowDays,
          topup_grace_window_days: 180,
          countries: [{ country_code: "FO", title: "Faroe Islands" }],
          packages: offers.map(offered)
        }
      ]
    }))
    const meta = { message: "success", current_page: page, last_page: countries.length, per_page: "25" }
    const data = page === 1 ? rows : Object.fromEntries(rows.map((row, index) => [String(page - 1 + index), row]))
    return { status: 200, body: { data, meta } }
  }

  const balanceOf = (): Reply =>
    ok({ balances: { name: "balance", availableBalance: { amount: books.balance / 100, currency: books.currency } } })

  const answer = (asked: Asked): Reply => {
    const [, , second = ""] = asked.path.split("/")
    calls += 1
    switch (routeOf(asked)) {
      case "GET /packages":
        return packages(asked)
      case "POST /orders":
        return order(asked)
      case "POST /orders/topups":
        return topUp(asked)
      case "GET /orders":
        return list(asked)
      case "GET /orders/*": {
        const found = books.orders.find(({ id }) => String(id) === second)
        if (found !== undefined && requested.has(found.id) && agrees()) {
          requested.delete(found.id)
          found.status = "refunded"
          books.balance += found.charged
        }
        return found === undefined ? missing : ok(listed(found, asked.query.get("include") ?? ""))
      }
      case "GET /sims/*/packages":
        return history(second)
      case "GET /sims/*/usage":
        return usage(second)
      case "POST /refund":
        return refund(asked)
      case "GET /balance":
        return balanceOf()
      default:
        return { status: 404, body: { message: `no route ${asked.path}` } }
    }
  }

  return { books, answer }
}

/** The route of a call: its ids are `*`. */
export const routeOf = ({ method, path }: Pick<Asked, "method" | "path">): string =>
  `${method} ${path.replace(/^\/(sims|orders)\/(?!topups)[^/]+/, "/$1/*")}`
