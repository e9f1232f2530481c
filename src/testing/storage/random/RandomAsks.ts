/**
 * Random imports, claims and reads. What a storage may number in its own way (import sequences) is
 * left out of answers.
 */
import { Effect, Struct } from "effect"
import * as fc from "fast-check"
import type { Sim } from "../../../domain/Sim.ts"
import { DAY, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { StorageError } from "../../../ports/Storage.ts"
import type { Side } from "./RandomCommits.ts"
import * as RandomReads from "./RandomReads.ts"
import { type Ask, idOf, LOADS, pick, type Run, wantedLoad } from "./RandomSteps.ts"
import { items, newSim, of, type World } from "../world/World.ts"

type Answer = Effect.Effect<unknown, StorageError>

/** A value without the serials of SIMs. */
export const withoutImportSequences = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutImportSequences)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) =>
      key === "importSequence" ? [] : [[key, withoutImportSequences(part)]]
    )
  )
}

const purchase = ({ id, now }: World, choice: number): Sim["purchase"] => ({
  purchaseId: id(),
  load: pick(LOADS, choice),
  sellBy: choice % 3 === 0 ? null : now + (choice % 4) * DAY,
  cost: choice % 4 === 0 ? null : { units: choice, scale: 2, currency: "USD" },
  boughtAt: now + choice
})

const importSims = (run: Run, { other, world }: Side, { choice, row }: Ask): Answer => {
  const count = 1 + (choice % 3)
  const sims = Array.from({ length: count }, (_, index) => {
    const which = (choice + index) % 3 === 0 ? other : world
    return newSim(which, {
      simId: world.id(),
      iccid: pick(run.iccids, row + index),
      isEsim: choice % 7 !== 6,
      lpa: choice % 7 === 6 || choice % 3 === 0 ? null : `LPA:1$smdp.example$${choice}`,
      imsi: choice % 4 === 0 ? null : `20893${choice % 2}00000000${index}`,
      msisdn: choice % 3 === 0 ? null : `4477009000${choice % 3}`,
      label: choice % 5 === 4 ? "Blue" : "Green",
      purchase: choice % 5 < 3 ? null : purchase(world, choice)
    })
  })
  return world.storage.sims.import(sims)
}

const claim = (run: Run, { world }: Side, { choice, machineNow, row }: Ask) => ({
  now: world.now + (choice - 8) * MINUTE,
  machineNow,
  until: machineNow + MINUTE,
  token: pick(run.tokens, choice),
  limit: 1 + row
})

const handBack = (run: Run, { world }: Side, { choice, row }: Ask): Answer =>
  Effect.gen(function* () {
    const { organizationId } = world
    const token = pick(run.tokens, choice)
    const held = run.iccids.slice(row).map((iccid) => ({ iccid, token }))
    yield* world.storage.sims.release({ organizationId, reservations: held })
    const logged = yield* items(world.storage.deliveries.page({ organizationId, after: null, limit: 6 }))
    yield* world.jobs.handBack(
      [row, row + 1].map((index) => ({ ...of(world), jobId: `${idOf(run, world, index)}:0`, token }))
    )
    yield* world.outbox.handBack(
      logged.slice(row).map(({ delivery: { deliveryId } }) => ({ organizationId, deliveryId, token }))
    )
  })

/** What is asked, and how often it is drawn. */
const asks = {
  import: { often: 1, answer: importSims },
  "claim SIM": {
    often: 2,
    answer: (run: Run, { world }: Side, { choice, machineNow, row }: Ask) =>
      world.storage.sims.reserve({
        organizationId: world.organizationId,
        label: choice % 9 === 8 ? "Blue" : "Green",
        purpose: row === 5 ? "mobile plan" : "subscription",
        load: wantedLoad(world.now, choice + row),
        token: pick(run.tokens, choice),
        count: 1 + (choice % 3),
        machineNow,
        until: machineNow + (1 + (choice % 10)) * MINUTE
      })
  },
  "adopt purchase": {
    often: 1,
    answer: (_: Run, { world: { organizationId, storage } }: Side, { choice, machineNow }: Ask) => {
      const until = machineNow + (1 + (choice % 10)) * MINUTE
      return Effect.tap(
        storage.adoptPurchase({ organizationId, label: "Green", load: pick(LOADS, choice), machineNow, until }),
        (job) =>
          job === null || choice % 3 > 0
            ? Effect.void
            : storage.leavePurchase({ organizationId, jobId: job.jobId, until })
      )
    }
  },
  "claim jobs": { often: 2, answer: (run: Run, side: Side, ask: Ask) => side.world.jobs.claim(claim(run, side, ask)) },
  "claim deliveries": {
    often: 2,
    answer: (run: Run, side: Side, ask: Ask) => side.world.outbox.claim(claim(run, side, ask))
  },
  release: {
    often: 1,
    answer: (run: Run, side: Side, ask: Ask) =>
      ask.choice <= 4
        ? Effect.andThen(side.world.jobs.release(side.world), side.world.outbox.release(side.world))
        : handBack(run, side, ask)
  },
  purge: {
    often: 1,
    answer: (_: Run, { world: { now, storage } }: Side, { choice, row }: Ask) =>
      choice % 4 === 0
        ? storage.purgeReports({ before: UsageBook.dayOf(now) + (row % 3) * DAY, now })
        : storage.purge({
            idempotencyBefore: now + choice * MINUTE,
            commandsBefore: now + (choice % 3) * MINUTE,
            sessionsBefore: now + (choice % 5) * MINUTE
          })
  },
  read: {
    often: 3,
    answer: (run: Run, side: Side, ask: Ask) => pick(RandomReads.all(run, side, ask), ask.choice + 25 * ask.row)
  }
} satisfies Readonly<
  Record<string, { readonly often: number; readonly answer: (run: Run, side: Side, ask: Ask) => Answer }>
>

/** The name of what is asked. */
export type Name = keyof typeof asks

/** What is asked. */
export const name: fc.Arbitrary<Name> = fc.constantFrom(
  ...Struct.keys(asks).flatMap((name) => Array.from({ length: asks[name].often }, () => name))
)

/** The answer to a question. */
export const answer = (run: Run, side: Side, name: Name, ask: Ask): Answer => asks[name].answer(run, side, ask)
