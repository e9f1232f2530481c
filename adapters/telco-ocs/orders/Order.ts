/**
 * What the journal keeps of the order of a package, under the kind `package` with the package's id as its key.
 *
 * `Open` was asked for, or was about to be, and its outcome is not known for certain. The others are final: a `Created`
 * order may only become `Cancelled`.
 */
import { Effect, Schema } from "effect"
import type { Telco } from "simplan/ports"
import type { Journal } from "../../telco-calls/index.ts"

export const KIND = "package"

/** Machine time in milliseconds. */
const Millis = Schema.Finite

/** What was asked for, and when. */
export const Asked = Schema.Struct({
  templateId: Schema.Finite,
  templateName: Schema.String,
  /** Null: from the first use. */
  window: Schema.NullOr(Schema.Struct({ start: Millis, end: Millis })),
  /** The ids of the packages that the subscriber had before it was first asked for. */
  before: Schema.Array(Schema.Finite),
  firstAt: Millis,
  /** When it was last asked for, or when the last call without an answer was given up. */
  lastAt: Millis,
  /** How many of the calls have no known outcome. */
  uncertain: Schema.Finite,
  /**
   * The zone that the window was written in, while nothing has proved that the system reads it so: what came of the calls
   * may have other times. Null: proved for each call, or there is no window.
   */
  trialZone: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})

export type Asked = typeof Asked.Type

export const Order = Schema.TaggedUnion({
  Open: { asked: Asked },
  Created: {
    asked: Asked,
    /** The system's id. */
    id: Schema.Finite,
    activationAt: Schema.NullOr(Millis),
    expirationAt: Schema.NullOr(Millis)
  },
  Refused: { asked: Asked, message: Schema.String },
  Cancelled: {
    /** Null: it was never asked for. */
    asked: Schema.NullOr(Asked),
    id: Schema.NullOr(Schema.Finite),
    /** Whether the system has confirmed that what was there is deleted. */
    confirmed: Schema.Boolean
  }
})

export type Order = typeof Order.Type
export type Open = Extract<Order, { readonly _tag: "Open" }>
export type Created = Extract<Order, { readonly _tag: "Created" }>
export type Cancelled = Extract<Order, { readonly _tag: "Cancelled" }>

/** The order in an entry of this kind. */
export const decode = Schema.decodeUnknownEffect(Order)

/** The same for readers that can do without it. */
export const decodeOption = Schema.decodeUnknownOption(Order)

const encode = Schema.encodeSync(Order)

/** The system's id of the order's package, where it has one that is known. */
export const idOf = (order: Order): number | null =>
  order._tag === "Created" || order._tag === "Cancelled" ? order.id : null

/** The parts of an entry that an order makes up. */
export const toEntry = (order: Order): Pick<Journal.Entry, "document" | "externalId"> => {
  const id = idOf(order)
  return { document: encode(order), externalId: id === null ? null : String(id) }
}

export const packageOf = ({ activationAt, expirationAt, id }: Created): Telco.TelcoPackage => ({
  telcoPackageId: String(id),
  activationAt,
  expirationAt
})
