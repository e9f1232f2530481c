/**
 * What an organization of a simulation begins with: SIMs and a webhook endpoint.
 */
import { Effect, Stream } from "effect"
import { Organizations, Sims, Stock, Webhooks } from "simplan"
import { type Label, WebhookEvent } from "simplan/ports"
import { Invariants } from "../../src/testing/index.ts"

export interface Options {
  /** How many eSIMs of each label an organization begins with: 10 of `Green` unless given. */
  readonly esims?: Readonly<Partial<Record<Label.Label, number>>>
  /** How many physical SIMs of label `Green` it begins with: 2 unless given. */
  readonly physicalSims?: number
  /** Whether a second endpoint takes the events of rule E1: it does not unless this is true. */
  readonly lifecycle?: boolean
}

/** The ICCID of a simulated SIM, with its Luhn digit. */
const iccidOf = (organization: number, serial: number): string => {
  const body = `89330${organization}${String(serial).padStart(12, "0")}`
  const sum = [...body].reverse().reduce((total, character, index) => {
    const digit = Number(character)
    const doubled = index % 2 === 0 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

/** The SIMs of the first organization (0) or the second (1). */
export const rows = (organization: 0 | 1, options: Options): ReadonlyArray<Sims.ImportRow> => {
  const esims = Object.entries(options.esims ?? { Green: 10 }).flatMap(([label, count]) =>
    Array.from({ length: count }, () => ({ label, isEsim: true }))
  )
  const physical = Array.from({ length: options.physicalSims ?? 2 }, () => ({ label: "Green", isEsim: false }))
  return [...esims, ...physical].map((sim, index) => {
    const iccid = iccidOf(organization, index + 1)
    return { ...sim, iccid, lpa: sim.isEsim ? `LPA:1$smdp.example$${iccid}` : null }
  })
}

export const iccids = (inventory: ReadonlyArray<Sims.ImportRow>): ReadonlyArray<string> =>
  inventory.map(({ iccid }) => iccid ?? "")

/** Creates the organization with its inventory, and endpoints for its events; its id. */
export const furnish = Effect.fnUntraced(function* (
  name: string,
  inventory: ReadonlyArray<Sims.ImportRow>,
  { lifecycle = false }: Options
) {
  const { organizationId } = yield* Organizations.Organizations.use((of) => of.create({ name }))
  yield* Sims.Sims.use((of) => of.importRows({ organizationId, rows: Stream.fromIterable(inventory) }))
  const url = `https://receiver.example/${organizationId}`
  const endpoint = { organizationId, url, description: name }
  yield* Webhooks.Webhooks.use((of) => of.create({ ...endpoint, events: null }))
  if (lifecycle) {
    yield* Webhooks.Webhooks.use((of) => of.create({ ...endpoint, events: WebhookEvent.optInTypes }))
    const green = inventory.filter((row) => "isEsim" in row && row.isEsim && row.label === "Green").length
    const levels = [{ label: "Green", level: Invariants.levelOf(green) }]
    yield* Stock.Stock.use((of) => of.setLevels({ organizationId, levels }))
  }
  return organizationId
})
