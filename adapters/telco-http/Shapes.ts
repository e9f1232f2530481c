/**
 * Converts the values of the port to the wire and back. The contract's schemas have checked the values of the wire.
 */
import { Time } from "simplan"
import type { Telco } from "simplan/ports"
import type * as Contract from "./Contract.ts"

type Order = typeof Contract.Order.Type
type Package = typeof Contract.Package.Type

const toIso = (instant: Time.Instant | null): string | null => (instant === null ? null : Time.toIso(instant))

const fromIso = (text: string): Time.Instant => Time.fromIso(text) ?? Number.NaN

const optional = (text: string | null | undefined): Time.Instant | null => (text ? fromIso(text) : null)

export const order = ({ iccid, packageId, terms, window }: Telco.PackageOrder): Order => ({
  package_id: packageId,
  iccid,
  window: window === null ? null : { start: Time.toIso(window.start), end: Time.toIso(window.end) },
  terms: {
    name: terms.name,
    coverage_id: terms.coverageId,
    region_code: terms.regionCode,
    label: terms.label,
    data_mega_bytes: terms.dataMegaBytes,
    period_days: terms.periodDays,
    throttling: terms.throttling,
    recurrence: terms.recurrence
  }
})

export const orderFrom = ({ iccid, package_id, terms, window }: Order): Telco.PackageOrder => ({
  packageId: package_id,
  iccid,
  window: window === null ? null : { start: fromIso(window.start), end: fromIso(window.end) },
  terms: {
    name: terms.name,
    coverageId: terms.coverage_id,
    regionCode: terms.region_code,
    label: terms.label,
    dataMegaBytes: terms.data_mega_bytes,
    periodDays: terms.period_days,
    throttling: terms.throttling,
    recurrence: terms.recurrence
  }
})

export const telcoPackage = ({ activationAt, expirationAt, telcoPackageId }: Telco.TelcoPackage): Package => ({
  telco_package_id: telcoPackageId,
  activation_at: toIso(activationAt),
  expiration_at: toIso(expirationAt)
})

export const telcoPackageFrom = (one: Package): Telco.TelcoPackage => ({
  telcoPackageId: one.telco_package_id,
  activationAt: optional(one.activation_at),
  expirationAt: optional(one.expiration_at)
})
