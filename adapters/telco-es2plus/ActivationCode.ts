/**
 * Activation codes (SGP.22 section 4.1): `LPA:1$<SM-DP+ address>$<matching id>$…`.
 */

/** The matching id of an activation code; null where it has none. */
export const matchingId = (lpa: string): string | null => {
  const [version, address, matching] = lpa.trim().replace(/^LPA:/i, "").split("$")
  return version === "1" && address !== undefined && matching !== undefined && matching !== "" ? matching : null
}
