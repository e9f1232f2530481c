/**
 * Which telco a SIM's calls go to: that of the first route that fits the SIM's label and its
 * organization.
 */
import type { Label } from "simplan/ports"
import type { FileSettings } from "../telco-calls/index.ts"

/** What a telco can be asked for. */
export type Capability = FileSettings.Capability

/** What a route is chosen by. */
export interface Supplied {
  /** The SIM's supply tier. */
  readonly label: Label.Label
  /** The owner of the SIM. */
  readonly organizationId: string
}

/** A route; null fits every label, or every organization. */
export interface Route {
  /** Null: any. */
  readonly label: Label.Label | null
  /** Null: any. */
  readonly organizationId: string | null
  /** The names of the telcos by what they are asked for. */
  readonly telcos: Readonly<Record<Capability, string>>
}

/** The first route that fits; undefined if none does. */
export const find = (routes: ReadonlyArray<Route>, { label, organizationId }: Supplied): Route | undefined =>
  routes.find(
    (route) =>
      (route.label === null || route.label === label) &&
      (route.organizationId === null || route.organizationId === organizationId)
  )

/**
 * Whether everything that fits the second route fits the first one too, so that the second is never
 * taken.
 */
export const covers = (
  first: Pick<Route, "label" | "organizationId">,
  second: Pick<Route, "label" | "organizationId">
): boolean =>
  (first.label === null || first.label === second.label) &&
  (first.organizationId === null || first.organizationId === second.organizationId)
