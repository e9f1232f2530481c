/**
 * Which route a SIM takes: the first one that fits its label and its organization.
 */
import type { Label } from "simplan/ports"
import type { Route } from "./file/Settings.ts"

/** What a route is chosen by. */
export interface Supplied {
  /** The SIM's supply tier. */
  readonly label: Label.Label
  /** The owner of the SIM. */
  readonly organizationId: string
}

/** The first route that fits; undefined where none does. */
export const find = (routes: ReadonlyArray<Route>, { label, organizationId }: Supplied): Route | undefined =>
  routes.find(
    (route) =>
      (route.label === null || route.label === label) &&
      (route.organizationId === null || route.organizationId === organizationId)
  )

/** Whether everything that fits the second route fits the first one too, so that the second is never taken. */
export const covers = (
  first: Pick<Route, "label" | "organizationId">,
  second: Pick<Route, "label" | "organizationId">
): boolean =>
  (first.label === null || first.label === second.label) &&
  (first.organizationId === null || first.organizationId === second.organizationId)
