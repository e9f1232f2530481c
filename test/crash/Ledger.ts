/**
 * What the clients of a server that keeps being killed asked for, and what it acknowledged: what it acknowledged must
 * be there afterwards, and what it did not acknowledge is asked for again, with the same key or id.
 */

export interface Created {
  readonly subscription_id: string
  readonly created_at: string
  readonly esimdata: { readonly iccid: string }
}

export interface Order {
  readonly idempotencyKey: string
  /** The answer, once there was one. */
  created: Created | null
}

export interface Report {
  readonly id: string
  readonly iccid: string
  readonly occurredAt: string
  readonly bytes: number
  isAcknowledged: boolean
}

export const MEGABYTE = 1024 * 1024

/** The allowance of the plan, and what the reports of one subscription add up to: they cross 50, 80 and 100 %. */
export const ALLOWANCE = 100
const PORTIONS = [30, 30, 30, 30]
export const USED = PORTIONS.reduce((sum, portion) => sum + portion, 0) * MEGABYTE
export const THRESHOLDS = [50, 80, 100]

export class Ledger {
  readonly orders: Array<Order> = []
  readonly reports: Array<Report> = []
  private readonly waitingOrders: Array<Order> = []
  private readonly waitingReports: Array<Report> = []

  /** A subscription that was asked for and not acknowledged. */
  openOrder(): Order | undefined {
    return this.waitingOrders.shift()
  }

  /** A subscription that nobody has asked for yet. */
  newOrder(): Order {
    const order = { idempotencyKey: `order-${this.orders.length + 1}`, created: null }
    this.orders.push(order)
    return order
  }

  /** The server answered; its usage is to be reported now. */
  acknowledge(order: Order, created: Created): void {
    order.created = created
    const { iccid } = created.esimdata
    const reports = PORTIONS.map((portion, index) => ({
      id: `${order.idempotencyKey}-${index + 1}`,
      iccid,
      occurredAt: created.created_at,
      bytes: portion * MEGABYTE,
      isAcknowledged: false
    }))
    this.reports.push(...reports)
    this.waitingReports.push(...reports)
  }

  /** Nobody knows what became of it. */
  putBack(order: Order): void {
    this.waitingOrders.push(order)
  }

  /** The next reports to send, few enough that a kill leaves some of them out. */
  nextReports(): ReadonlyArray<Report> {
    return this.waitingReports.splice(0, 3)
  }

  /** Nobody knows what became of them. */
  putBackReports(reports: ReadonlyArray<Report>): void {
    this.waitingReports.push(...reports)
  }
}
