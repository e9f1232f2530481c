/**
 * Which telco a SIM's calls go to: that of the first route that fits the SIM's label and its
 * organization, and, if it is to be bought, its load. A SIM that was bought stays with the telco
 * that has sold it.
 */
import type { Label, PurchaseLimits } from "simplan/ports"
import type { FileSettings } from "../telco-calls/index.ts"

/** What a telco can be asked for. */
export type Capability = FileSettings.Capability

/** What a route is chosen by. */
export interface Supplied {
  /** The SIM's supply tier. */
  readonly label: Label.Label
  /** The owner of the SIM. */
  readonly organizationId: string
  /** The load that the SIM is bought with (rule I15). Absent: it is not bought. */
  readonly load?: string
}

/** A route; null fits every label, every organization, or every SIM, bought or not. */
export interface Route {
  /** Null: any. */
  readonly label: Label.Label | null
  /** Null: any. */
  readonly organizationId: string | null
  /** The loads of SIMs that are bought; one that ends in `*` is what loads begin with. */
  readonly loads: ReadonlyArray<string> | null
  /** What purchases are held to (rule I16), each organization by itself. Absent: to nothing. */
  readonly limits?: PurchaseLimits.Limits
  /** The names of the telcos by what they are asked for. */
  readonly telcos: Readonly<Record<Capability, string>>
}

type Rule = Omit<Route, "telcos" | "limits">

/** Whether a load of a route takes a load, or all that another load of a route takes. */
const takes = (rule: string, load: string): boolean =>
  rule.endsWith("*") ? load.startsWith(rule.slice(0, -1)) : rule === load

/** Whether a route takes such SIMs with some load, or with none. */
export const fits = (rule: Rule, { label, organizationId }: Omit<Supplied, "load">): boolean =>
  (rule.label === null || rule.label === label) &&
  (rule.organizationId === null || rule.organizationId === organizationId)

/** The first route that fits; undefined if none does. */
export const find = (routes: ReadonlyArray<Route>, { load, ...of }: Supplied): Route | undefined =>
  routes.find(
    (route) =>
      fits(route, of) && (route.loads === null || (load !== undefined && route.loads.some((rule) => takes(rule, load))))
  )

/**
 * Whether everything that fits the second route fits the first one too, so that the second is never
 * taken.
 */
export const covers = (first: Rule, second: Rule): boolean =>
  (first.label === null || first.label === second.label) &&
  (first.organizationId === null || first.organizationId === second.organizationId) &&
  (first.loads === null || second.loads?.every((load) => first.loads?.some((rule) => takes(rule, load))) === true)
