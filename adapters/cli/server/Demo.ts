/**
 * The demonstration that an embedded store starts with: an organization, an API key and a few SIMs, so that the first
 * requests can be tried at once.
 *
 * Each start brings it to completion, whatever a crash left of it; a store that anybody else began gets none.
 * The organization is the oldest one, known by the kept id, or by its name where that is lost; its key is kept, and made anew where
 * it is lost or no longer good.
 */
import { type Label, Organizations, Sims } from "simplan"
import { Effect, Stream } from "effect"
import type { Demo } from "../settings/Credentials.ts"

const NAME = "Demo"

const ESIMS_PER_LABEL = 10
const demoLabels = ["Green", "Aqua", "Blue"] as const satisfies ReadonlyArray<Label.Label>

/** The digits with the check digit of ISO/IEC 7812-1 (Luhn) behind them. */
const withCheckDigit = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return digits + String((10 - (sum % 10)) % 10)
}

// 89 is telecommunication, 999 a country code that is nobody's.
const iccid = (serial: number): string => withCheckDigit(`8999900${String(serial).padStart(11, "0")}`)

/** The inventory: eSIMs of three labels, and two physical SIMs. */
export const sims: ReadonlyArray<{
  readonly iccid: string
  readonly label: Label.Label
  readonly isEsim: boolean
  readonly lpa?: string
}> = [
  ...demoLabels.flatMap((label, tier) =>
    Array.from({ length: ESIMS_PER_LABEL }, (_, index) => {
      const serial = (tier + 1) * 1_000 + index + 1
      const code = `DEMO-${label.toUpperCase()}-${String(index + 1).padStart(2, "0")}`
      return { iccid: iccid(serial), label, isEsim: true, lpa: `LPA:1$smdp.example.com$${code}` }
    })
  ),
  ...[1, 2].map((index) => ({ iccid: iccid(9_000 + index), label: "Green" as const, isEsim: false }))
]

const organization = (kept: Demo | undefined) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations.Organizations
    const all = yield* organizations.list
    const [oldest] = all
    if (oldest === undefined) return yield* organizations.create({ name: NAME })
    const isOurs = oldest.name === NAME || oldest.organizationId === kept?.organizationId
    return isOurs ? oldest : undefined
  })

const stock = (organizationId: string) =>
  Effect.gen(function* () {
    const inventory = yield* Sims.Sims
    const { items } = yield* inventory.page({ organizationId, isEsim: null, label: null, limit: 1, after: null })
    if (items.length === 0) yield* inventory.importRows({ organizationId, rows: Stream.fromIterable(sims) })
  })

const key = (organizationId: string, kept: Demo | undefined) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations.Organizations
    if (kept !== undefined) {
      const owner = yield* organizations
        .authenticate(kept.apiKey)
        .pipe(Effect.catchTag("KeyRefused", () => Effect.succeed(undefined)))
      if (owner?.organizationId === organizationId) return kept.apiKey
    }
    const made = yield* organizations.createKey({ organizationId, name: "demo", scope: "full", expiresAt: null })
    return made.key
  })

/** The demonstration of this store, completed; null where the store began without one. */
export const ensure = (kept: Demo | undefined) =>
  Effect.gen(function* () {
    const found = yield* organization(kept)
    if (found === undefined) return null
    const { organizationId } = found
    yield* stock(organizationId)
    const demo: Demo = { organizationId, apiKey: yield* key(organizationId, kept) }
    return demo
  })
