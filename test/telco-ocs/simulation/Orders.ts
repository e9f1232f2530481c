/** Orders of packages for the tests: of a throttled plan of 1 GB, with or without a window. */
import type { Telco } from "simplan/ports"

export const terms = {
  name: "Week",
  coverageId: "8a4a4f0e-3f8e-5a58-9a44-2d4d0c3f1f10",
  regionCode: "FR",
  label: "Green",
  dataMegaBytes: 1024,
  periodDays: 30,
  throttling: [
    { percentage: 50, limit: "512" },
    { percentage: 80, limit: "256" },
    { percentage: 95, limit: "128" }
  ],
  recurrence: null
} as const

/** Makes orders for one SIM. */
export const orderOf =
  (iccid: string) =>
  (packageId: string, part: Partial<Telco.PackageOrder> = {}): Telco.PackageOrder => ({
    packageId,
    iccid,
    window: null,
    terms,
    ...part
  })
