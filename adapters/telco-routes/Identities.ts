/**
 * By what a SIM can be addressed (rule I7): what the inventory has, else what the telco of the SIM's packages knows. An
 * import may change it at any time, so it is read for each call.
 */
import { Effect } from "effect"
import { SimIdentities, type Storage, Telco } from "simplan/ports"
import type { Connected } from "./Connected.ts"
import type * as Settings from "./file/Settings.ts"
import type * as RoutedTelco from "./RoutedTelco.ts"
import * as Routing from "./Routing.ts"

type Asked<A> = Effect.Effect<A, Telco.Refused | Telco.Unavailable>

export interface Identities {
  /** Those of the inventory. */
  readonly known: (iccid: string) => Asked<SimIdentities.SimIdentities>
  /** The IMSI of the inventory, else the one that the telco of the SIM's packages knows; null where neither has one. */
  readonly imsi: (iccid: string) => Asked<string | null>
  /** The name of the telco that takes the packages of such SIMs now; undefined where none does. */
  readonly supplier: (of: Routing.Supplied) => string | undefined
}

/** `telcos` may be filled in afterwards. */
export const make = ({
  ownerOf,
  routes,
  storage,
  telcos
}: {
  readonly ownerOf: ReturnType<typeof RoutedTelco.makeOwners>
  readonly routes: ReadonlyArray<Settings.Route>
  readonly storage: Storage.Storage["Service"]
  readonly telcos: ReadonlyMap<string, Connected>
}): Identities => {
  const known = Effect.fnUntraced(function* (iccid: string) {
    const { organizationId } = yield* ownerOf(iccid)
    const found = yield* Effect.mapError(
      storage.sims.identities({ organizationId, iccid }),
      ({ message }) => new Telco.Unavailable({ message })
    )
    return found ?? SimIdentities.none
  })
  return {
    known,
    supplier: (of) => Routing.find(routes, of)?.telcos.packages,
    imsi: Effect.fnUntraced(function* (iccid: string) {
      const { imsi } = yield* known(iccid)
      if (imsi !== null) return imsi
      const route = Routing.find(routes, yield* ownerOf(iccid))
      const telco = route === undefined ? undefined : telcos.get(route.telcos.packages)
      return telco === undefined || telco.imsiOf === null ? null : yield* telco.imsiOf(iccid)
    })
  }
}
