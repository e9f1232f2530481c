/** Printed from the views by `npm run print`: what hosts see and send. */

/** A subscription that has moved from one SIM to another (rule S8). */
export interface SimMove {
  /** The ICCID of the other SIM. */
  readonly iccid: string
  /** The subscription that has moved. */
  readonly subscriptionId: string
  /** When it moved. */
  readonly at: Date
}

/** The SIM that another one has replaced, and the one that replaces it. */
export interface SimMoves {
  /**
   * The SIM that a subscription has come from, the last one; it stays for good. Null: none has come.
   */
  readonly replaces: SimMove | null
  /**
   * The SIM that a subscription has left for, the last one; it stays for good, also once the SIM is
   * sold again. Null: none has left.
   */
  readonly replacedBy: SimMove | null
}
