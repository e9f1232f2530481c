/**
 * Whether the telcos of the settings file carry a plan's terms (rule P4): some route takes the plan's SIMs, and the telco of
 * their packages has what it needs for the terms.
 */
import { Effect } from "effect"
import type { TelcoTerms } from "simplan/ports"
import type { Connected } from "./Connected.ts"
import type * as Settings from "./file/Settings.ts"
import * as RoutedTelco from "./RoutedTelco.ts"
import * as Routing from "./Routing.ts"

export const make = (
  routes: ReadonlyArray<Settings.Route>,
  telcos: ReadonlyMap<string, Connected>
): TelcoTerms.TelcoTerms => ({
  check: (of) =>
    Effect.suspend(() => {
      const { organizationId, terms } = of
      const route = Routing.find(routes, { label: terms.label, organizationId })
      const telco = route === undefined ? undefined : telcos.get(route.telcos.packages)
      return telco === undefined ? Effect.fail(RoutedTelco.unrouted(terms.label)) : telco.checkTerms(of)
    })
})
