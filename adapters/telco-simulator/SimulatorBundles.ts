/**
 * What the simulator sells as a supplier: a few bundles, as a wholesaler's catalogue has them.
 */
import type { Amount, TelcoBundles } from "simplan/ports"

const MB = 1_048_576
const GB = 1_024 * MB

const usd = (cents: number): Amount.Amount => ({ units: cents, scale: 2, currency: "USD" })

const NORDIC = ["DK", "FI", "IS", "NO", "SE"]
const EUROPE = ["AT", "BE", "CH", "DE", "DK", "ES", "FI", "FR", "GB", "IE", "IT", "NL", "NO", "PL", "PT", "SE"]
const ASIA = ["HK", "ID", "JP", "KR", "MY", "SG", "TH", "VN"]

const bundle = (
  code: string,
  name: string,
  countries: ReadonlyArray<string>,
  dataBytes: number | null,
  days: number,
  cents: number,
  kind: TelcoBundles.Bundle["kind"] = "any"
): TelcoBundles.Bundle => ({ code, name, kind, countries, dataBytes, days, price: usd(cents) })

/** The bundles, in the order of the catalogue. */
export const all: ReadonlyArray<TelcoBundles.Bundle> = [
  bundle("sim_1GB_7D_FR", "France, 1 GB, 7 days", ["FR"], GB, 7, 180),
  bundle("sim_5GB_30D_FR", "France, 5 GB, 30 days", ["FR"], 5 * GB, 30, 620),
  bundle("sim_1GB_7D_GB", "United Kingdom, 1 GB, 7 days", ["GB"], GB, 7, 190),
  // As wholesalers count them: a gigabyte of 10^9 bytes.
  bundle("sim_3GB_30D_US", "United States, 3 GB, 30 days", ["US"], 3e9, 30, 540),
  bundle("sim_2GB_15D_NORDIC", "Nordic countries, 2 GB, 15 days", NORDIC, 2 * GB, 15, 410),
  bundle("sim_5GB_30D_EU", "Europe, 5 GB, 30 days", EUROPE, 5 * GB, 30, 890, "sim"),
  bundle("sim_5GB_30D_EU_TOPUP", "Europe, 5 GB more, 30 days", EUROPE, 5 * GB, 30, 840, "topUp"),
  bundle("sim_3GB_15D_ASIA", "Asia, 3 GB, 15 days", ASIA, 3 * GB, 15, 760),
  bundle("sim_500MB_1D_JP", "Japan, 500 MB, 1 day", ["JP"], 500 * MB, 1, 95),
  bundle("sim_UNLIMITED_7D_JP", "Japan, unlimited, 7 days", ["JP"], null, 7, 1_990)
]
