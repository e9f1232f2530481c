/**
 * The model of eSIM Go, from its documents alone: an account with a balance, bundles, eSIMs with
 * what is assigned to them, and orders. `SupplierServer` serves it over HTTP.
 */
import { createHash } from "node:crypto"

const DAY = 86_400_000

/** A bundle in the catalogue; the price in cents. */
export interface Bundle {
  readonly name: string
  readonly cents: number
  /** Decimal, as the catalogue has it. */
  readonly megaBytes: number
  readonly days: number
  /** How many assignments an order makes, as a bundle of a year makes twelve. */
  readonly parts?: number
}

export interface Assignment {
  readonly id: string
  readonly name: string
  readonly reference: string
  readonly initial: number
  readonly days: number
  readonly assignedAt: number
  /** Since when lists have it. */
  readonly listedAt: number
  remaining: number
  startedAt: number | null
  isProcessing: boolean
  isRevoked: boolean
}

export interface Esim {
  readonly iccid: string
  readonly matchingId: string
  assignments: Array<Assignment>
  readonly history: Array<{ readonly name: string; readonly bundle: string; readonly at: number }>
  isSuspended: boolean
  isSuspendedByPolicy: boolean
  isDeactivated: boolean
  installedAt: number | null
}

export interface Order {
  readonly reference: string
  readonly createdAt: number
  readonly item: string
  readonly cents: number
  readonly iccid: string
  /** As it was when the order was made: an ICCID that is sold again has another one. */
  readonly matchingId: string
  readonly isNewEsim: boolean
  readonly type: string
  /** Since when lists have it. */
  readonly listedAt: number
}

/** What is refused, by the status and the text of the answer. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const stateOf = (one: Assignment, now: number): string => {
  if (one.isRevoked) return "revoked"
  if (one.isProcessing) return "processing"
  if (one.startedAt === null) return now >= one.assignedAt + 365 * DAY ? "lapsed" : "queued"
  if (now >= one.startedAt + one.days * DAY) return "expired"
  return one.remaining === 0 ? "depleted" : "active"
}

const uuidOf = (count: number): string => {
  const hex = createHash("sha256").update(`order ${count}`).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** An ICCID of 19 digits, the last of which is the check digit. */
const iccidOf = (count: number): string => {
  const body = `894450026${String(count).padStart(9, "0")}`
  const sum = [...body]
    .map(Number)
    .toReversed()
    .map((digit, place) => (place % 2 === 0 ? digit * 2 : digit))
    .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

export interface Options {
  readonly now: () => number
  /** In cents. */
  readonly balance?: number
  readonly bundles?: ReadonlyArray<Bundle>
  /** Whether the account manager has enabled refunds. */
  readonly hasRefunds?: boolean
  /** Whether an eSIM that was never installed goes back with its last bundle, to be sold again. */
  readonly returnsEsims?: boolean
  /** Whether one that went back is sold again now; all are unless given. */
  readonly isSoldAgain?: (iccid: string) => boolean
  readonly currency?: string
}

const week: Bundle = { name: "esim_1GB_7D_GB_V2", cents: 228, megaBytes: 1_000, days: 7 }
export const month: Bundle = { name: "esim_20GB_30D_EU_U", cents: 2_999, megaBytes: 20_000, days: 30 }
export { week }

export class Supplier {
  readonly currency: string
  readonly bundles: Map<string, Bundle>
  readonly esims = new Map<string, Esim>()
  readonly orders: Array<Order> = []
  readonly messages: Array<{ readonly iccid: string; readonly message: string; readonly from: string }> = []
  /** In cents. */
  balance: number
  /** How long lists of orders, and of an eSIM's bundles, do not have what is made from now on. */
  lag = 0
  /** Whether bundles that are assigned from now on are processed first. */
  isSlow = false
  readonly #options: Options
  readonly #now: () => number
  readonly #returned: Array<Esim> = []
  #count = 0

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now
    this.balance = options.balance ?? 1_000_000
    this.currency = options.currency ?? "USD"
    this.bundles = new Map((options.bundles ?? [week, month]).map((bundle) => [bundle.name, bundle]))
  }

  get now(): number {
    return this.#now()
  }

  bundle(name: string): Bundle {
    const bundle = this.bundles.get(name)
    if (bundle === undefined) throw new Refusal(400, `bundle ${name} is not available`)
    return bundle
  }

  esim(iccid: string): Esim {
    const esim = this.esims.get(iccid)
    if (esim === undefined) throw new Refusal(403, "access denied")
    return esim
  }

  /** What an order would be refused for; nothing if it would be made. */
  check(item: string, iccid: string | null): Bundle {
    const bundle = this.bundle(item)
    if (iccid !== null) {
      const esim = this.esim(iccid)
      if (esim.isDeactivated) throw new Refusal(400, "esim has been deactivated")
      const queued = esim.assignments.filter((one) => ["queued", "processing"].includes(stateOf(one, this.now)))
      if (queued.length >= 30) throw new Refusal(400, "too many bundles are queued")
    }
    if (this.balance < bundle.cents) throw new Refusal(400, "insufficient balance to complete the order")
    return bundle
  }

  order(item: string, iccid: string | null, type = "bundle"): Order {
    const bundle = this.check(item, iccid)
    this.balance -= bundle.cents
    const esim = iccid === null ? this.#newEsim() : this.esim(iccid)
    const order: Order = {
      reference: uuidOf(++this.#count),
      createdAt: this.now,
      item,
      cents: bundle.cents,
      iccid: esim.iccid,
      matchingId: esim.matchingId,
      isNewEsim: iccid === null,
      type,
      listedAt: this.now + this.lag
    }
    this.orders.push(order)
    const parts = bundle.parts ?? 1
    for (let index = 0; index < parts; index++) {
      const initial = (bundle.megaBytes / parts) * 1_000_000
      const assignment: Assignment = {
        id: String(215_009_266 + this.#count * 100 + index),
        name: item,
        reference: `${order.reference}-${index}`,
        initial,
        days: bundle.days,
        assignedAt: this.now,
        listedAt: this.now + this.lag,
        remaining: initial,
        startedAt: null,
        isProcessing: this.isSlow,
        isRevoked: false
      }
      esim.assignments.push(assignment)
    }
    esim.history.push({ name: "Bundle Applied", bundle: item, at: this.now })
    return order
  }

  #newEsim(): Esim {
    const { isSoldAgain = () => true } = this.#options
    const place = this.#returned.findIndex(({ iccid }) => isSoldAgain(iccid))
    const again = place === -1 ? undefined : this.#returned.splice(place, 1)[0]
    const iccid = again?.iccid ?? iccidOf(this.#count + 1)
    const esim: Esim = {
      iccid,
      matchingId: `JQ-${String(this.#count + 1).padStart(6, "0")}-ABCDEPFX`,
      assignments: [],
      history: again?.history ?? [],
      isSuspended: false,
      isSuspendedByPolicy: false,
      isDeactivated: false,
      installedAt: null
    }
    this.esims.set(iccid, esim)
    return esim
  }

  /** The orders that a list has now. */
  listed(): ReadonlyArray<Order> {
    return this.orders.filter(({ listedAt }) => listedAt <= this.now).toReversed()
  }

  /** The bundles that a list of an eSIM has now. */
  assignments(iccid: string): ReadonlyArray<Assignment> {
    return this.esim(iccid).assignments.filter(({ listedAt }) => listedAt <= this.now)
  }

  /** What the customer of an eSIM uses, of the first bundle that has some left. */
  use(iccid: string, bytes: number): void {
    const esim = this.esim(iccid)
    esim.installedAt ??= this.now
    const one = esim.assignments.find((one) => ["active", "queued"].includes(stateOf(one, this.now)))
    if (one === undefined) throw new Error("there is nothing to be used")
    one.startedAt ??= this.now
    one.remaining = Math.max(0, one.remaining - bytes)
  }

  revoke(iccid: string, name: string, id: string, isRefunded: boolean): string {
    const esim = this.esim(iccid)
    const one = esim.assignments.find((one) => one.name === name && one.id === id)
    if (one === undefined) throw new Refusal(400, "assignment not found")
    if (one.isRevoked) throw new Refusal(400, "bundle has already been revoked")
    one.isRevoked = true
    const order = this.orders.find(({ reference }) => one.reference.startsWith(reference))
    const isUnused = one.startedAt === null && this.now <= one.assignedAt + 60 * DAY
    const toBalance = isUnused && isRefunded && this.#options.hasRefunds === true
    const toInventory = isUnused && !isRefunded && this.#options.hasRefunds === true
    if (toBalance) this.balance += order?.cents ?? 0
    const action = toBalance
      ? "Bundle Refunded To Balance"
      : toInventory
        ? "Bundle Refunded to Inventory"
        : "Bundle Revoked"
    esim.history.push({ name: action, bundle: name, at: this.now })
    const isEmpty = esim.assignments.every(({ isRevoked }) => isRevoked)
    if (this.#options.returnsEsims === true && isEmpty && esim.installedAt === null) {
      esim.history.push({ name: "eSIM Returned", bundle: "", at: this.now })
      this.esims.delete(iccid)
      this.#returned.push(esim)
    }
    const where = toBalance ? "balance" : "inventory"
    return toBalance || toInventory
      ? `Successfully Revoked Bundle, bundle has been refunded to ${where}`
      : "Successfully Revoked Bundle"
  }

  suspend(iccid: string, isSuspended: boolean): string {
    const esim = this.esim(iccid)
    if (esim.isSuspended === isSuspended) {
      throw new Refusal(400, isSuspended ? "esim is already suspended" : "esim is not suspended")
    }
    if (esim.isSuspendedByPolicy) throw new Refusal(400, "esim was suspended by policy")
    esim.isSuspended = isSuspended
    return isSuspended ? "eSIM suspended successfully" : "eSIM unsuspended successfully"
  }

  send(iccid: string, message: string, from: string): void {
    this.esim(iccid)
    if (message.length < 1 || message.length > 160) throw new Refusal(400, "message must have 1 to 160 characters")
    if (from !== "eSIM") throw new Refusal(400, "from is not supported")
    this.messages.push({ iccid, message, from })
  }

  /** What was charged, in cents. */
  get charged(): number {
    return this.orders.reduce((sum, { cents }) => sum + cents, 0)
  }
}
