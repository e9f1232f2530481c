/**
 * Where a SIM is, by the network that it was last seen in: the country and the operator of its MCC and MNC in the
 * catalogue, and the radio access technology by the name that the catalogue gives it.
 */
import type { Catalogue } from "simplan/ports"
import type { Network } from "../api/Api.ts"

export interface Place {
  readonly countryAlpha2: string
  readonly operator: string
  readonly rat: string
  readonly imei: string
}

interface Codes {
  readonly byNetwork: ReadonlyMap<string, Catalogue.Operator>
  /** The country that most operators of a mobile country code belong to. */
  readonly countryOf: ReadonlyMap<number, string>
}

const made = new WeakMap<Catalogue.Catalogue, Codes>()

// The OCS drops leading zeros, so "01" and "001" are one code here; the operator that is listed first has it.
const key = (mcc: number, mnc: number): string => `${mcc}-${mnc}`

const build = ({ operators }: Catalogue.Catalogue): Codes => {
  const byNetwork = new Map<string, Catalogue.Operator>()
  const counts = new Map<number, Map<string, number>>()
  for (const operator of operators) {
    for (const code of operator.mccMnc) {
      const [mcc = Number.NaN, mnc = Number.NaN] = code.split("-").map(Number)
      if (!byNetwork.has(key(mcc, mnc))) byNetwork.set(key(mcc, mnc), operator)
      const count = counts.get(mcc) ?? new Map<string, number>()
      counts.set(mcc, count.set(operator.countryIso2, (count.get(operator.countryIso2) ?? 0) + 1))
    }
  }
  const most = (count: ReadonlyMap<string, number>): string =>
    [...count].reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0] as const)[0]
  return { byNetwork, countryOf: new Map([...counts].map(([mcc, count]) => [mcc, most(count)])) }
}

const codesOf = (catalogue: Catalogue.Catalogue): Codes => {
  const codes = made.get(catalogue) ?? build(catalogue)
  made.set(catalogue, codes)
  return codes
}

const technologies: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bNR\b|NG-?RAN/i, "5G"],
  [/E-?UTRAN|LTE/i, "4G"],
  [/UTRAN|UMTS|HSPA|WCDMA/i, "3G"],
  [/GERAN|GSM|GPRS|EDGE/i, "2G"]
]

/** `4G - LTE` is 4G, `3G - UTRAN` is 3G; a name without a generation is told by its technology, any other one stays. */
export const ratOf = (name: string): string =>
  /\b([2-5])G/i.exec(name)?.[0].toUpperCase() ??
  technologies.find(([pattern]) => pattern.test(name))?.[1] ??
  name.trim().slice(0, 255)

/** The place; undefined if the catalogue knows no country of that MCC. An unknown operator is called by its code. */
export const placeOf = (catalogue: Catalogue.Catalogue, { imei, mcc, mnc, rat }: Network): Place | undefined => {
  const { byNetwork, countryOf } = codesOf(catalogue)
  const operator = byNetwork.get(key(mcc, mnc))
  const countryAlpha2 = operator?.countryIso2 ?? countryOf.get(mcc)
  if (countryAlpha2 === undefined || countryAlpha2 === "") return undefined
  return {
    countryAlpha2,
    operator: operator?.name ?? `${mcc}-${String(mnc).padStart(2, "0")}`,
    rat: rat === null ? "" : ratOf(rat),
    imei: imei?.slice(0, 255) ?? ""
  }
}
