/**
 * The demonstration in a new embedded store: an organization, an API key and a few SIMs for the
 * first requests.
 *
 * Each start completes what a crash left unfinished. A store whose oldest organization is not the
 * demonstration's, by the kept id or by its name, gets none. The API key is kept, and replaced if
 * it is lost or no longer valid.
 *
 * A real telco does not know the demonstration's SIMs and would refuse each order for one. So there
 * are none of a label that a real telco takes: a creation without an ICCID would choose them before
 * those that were imported.
 */
import { ApiKeys, Organizations, Sims } from "simplan"
import { Iccid, type Label } from "simplan/ports"
import { Effect, Stream } from "effect"
import type { Demo } from "../settings/Credentials.ts"

const NAME = "Demo"

const ESIMS_PER_LABEL = 10
const demoLabels = ["Green", "Aqua", "Blue"] as const satisfies ReadonlyArray<Label.Label>

// 89 is telecommunication; the country code 999 is not assigned.
const iccid = (serial: number): string => {
  const digits = `8999900${String(serial).padStart(11, "0")}`
  return [..."0123456789"].map((digit) => digits + digit).find(Iccid.hasLuhnDigit) ?? digits
}

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

const organization = Effect.fnUntraced(function* (kept: Demo | undefined) {
  const organizations = yield* Organizations.Organizations
  const [oldest] = (yield* organizations.page({ after: null, limit: 1 })).items
  if (oldest === undefined) return yield* organizations.create({ name: NAME })
  return oldest.name === NAME || oldest.organizationId === kept?.organizationId ? oldest : undefined
})

/** Whether SIMs of a label of an organization are at a simulated telco. */
export type IsSimulated = (of: { readonly organizationId: string; readonly label: Label.Label }) => boolean

const stock = Effect.fnUntraced(function* (organizationId: string, isSimulated: IsSimulated) {
  const inventory = yield* Sims.Sims
  const { items } = yield* inventory.page({ organizationId, isEsim: null, label: null, limit: 1, after: null })
  if (items.length > 0) return
  const rows = sims.filter(({ label }) => isSimulated({ organizationId, label }))
  yield* inventory.importRows({ organizationId, rows: Stream.fromIterable(rows) })
})

const key = Effect.fnUntraced(function* (organizationId: string, kept: Demo | undefined) {
  const apiKeys = yield* ApiKeys.ApiKeys
  if (kept !== undefined) {
    const owner = yield* apiKeys
      .authenticate(kept.apiKey)
      // Failure: another key is created.
      .pipe(Effect.catchTag("KeyRefused", () => Effect.succeed(undefined)))
    if (owner?.organizationId === organizationId) return kept.apiKey
  }
  const created = yield* apiKeys.create({ organizationId, name: "demo", scope: "full", expiresAt: null })
  return created.key
})

/** Completes the demonstration of this store, and returns it; null if the store has none. */
export const ensure = Effect.fnUntraced(function* (kept: Demo | undefined, isSimulated: IsSimulated) {
  const found = yield* organization(kept)
  if (found === undefined) return null
  const { organizationId } = found
  yield* stock(organizationId, isSimulated)
  const demo: Demo = { organizationId, apiKey: yield* key(organizationId, kept) }
  return demo
})
