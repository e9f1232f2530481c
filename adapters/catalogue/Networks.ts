/**
 * The mobile network operators of the world (rule I3).
 *
 * An operator combines a country's operational networks of the same brand, or of the same company without a brand, whose
 * bands name a known technology.
 */
import type { Catalogue, Label } from "simplan/ports"
import * as Data from "./Data.ts"
import * as Ids from "./Ids.ts"
import * as Rats from "./Rats.ts"

const labelsOf = (rats: ReadonlyArray<Rats.Rat>): ReadonlyArray<Label.Label> => [
  "Green",
  ...(rats.includes("4G") || rats.includes("5G") ? (["Aqua"] as const) : []),
  ...(rats.includes("5G") ? (["Blue"] as const) : [])
]

const operator = (line: string): Catalogue.Operator => {
  const [countryIso2 = "", technologies = "", codes = "", ...words] = line.split(" ")
  const name = words.join(" ")
  const supportedRats = technologies.split(",").filter(Rats.isRat)
  return {
    operatorId: Ids.operatorId(countryIso2, name),
    name,
    countryIso2,
    supportedRats,
    mccMnc: codes.split(","),
    labels: labelsOf(supportedRats)
  }
}

/** The operators, by country and name. */
export const operators = (): ReadonlyArray<Catalogue.Operator> => Data.networks.trim().split("\n").map(operator)
