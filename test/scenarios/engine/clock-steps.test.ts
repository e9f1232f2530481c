/**
 * A machine's clock that is set while work is under way: no lease and no cache gets longer or
 * shorter by it (rule W13).
 */
import { Effect } from "effect"
import { ApiKeys, Time, Worker } from "simplan"
import { Jobs, Clocks } from "simplan/ports"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as SteppedClock from "../../setup/SteppedClock.ts"
import * as Shop from "../../setup/Shop.ts"
import * as Processes from "../Processes.ts"

const iccid = "8933010000000000018"
const LEASE = 15 * Time.SECOND

let world: Awaited<ReturnType<typeof Processes.make>>
let holder: ReturnType<typeof world.process>
let other: ReturnType<typeof world.process>
let organizationId: string

beforeEach(async () => {
  world = await Processes.make()
  holder = world.process()
  other = world.process()
  organizationId = await other.run(Shop.open())
})
afterEach(() => world.close())

/** A creation that waits for the telco, under a lease of the holder. */
const beginCreation = async () => {
  await other.run(Shop.importEsims(organizationId, [iccid]))
  const { planId } = await other.run(Shop.createPlan(organizationId))
  const call = world.holdNext("before")
  const creation = holder.run(Effect.result(Shop.subscribe({ organizationId, planId })))
  await call.begun()
  return { call, creation }
}

/** How many jobs a process may claim, which it hands back. */
const claimable = (process: typeof other) =>
  process.run(
    Effect.gen(function* () {
      const jobs = yield* Jobs.Jobs
      const machineNow = yield* Clocks.monotonicNow
      const token = "token-of-the-test"
      const terms = { now: Processes.START + Time.DAY, machineNow, until: machineNow + LEASE, token, limit: 10 }
      const claimed = yield* jobs.claim(terms)
      yield* jobs.handBack(claimed.map(({ jobId, organizationId }) => ({ organizationId, jobId, token })))
      return claimed.length
    })
  )

for (const step of SteppedClock.steps) {
  describe(`A step of a machine's clock by ${step / Time.MINUTE} minutes`, () => {
    it.each(["holder", "other"] as const)("ends no lease, and makes none longer: that of the %s", async (whose) => {
      const { call, creation } = await beginCreation()
      const stepping = whose === "holder" ? holder : other
      stepping.setClock(step)
      for (let n = 0; n < 3; n++) {
        // The holder renews its lease.
        await holder.move(LEASE / 3)
        await other.move(LEASE / 3)
        expect(await claimable(other)).toBe(0)
      }
      // From now on the holder stands still.
      await other.move(LEASE + Time.SECOND)
      expect(await claimable(other)).toBe(1)
      await other.run(Worker.Worker.use((of) => of.drain))
      await call.goOn()
      expect(await creation).toMatchObject({ _tag: "Failure" })
      expect(await world.telco()).toHaveLength(1)
    })

    it("lets no key live on in a cache", async () => {
      const deaf = world.process({ isDeaf: true })
      const { apiKey, key } = await other.run(
        ApiKeys.ApiKeys.use((of) => of.create({ organizationId, name: "key", scope: "full", expiresAt: null }))
      )
      const use = () => deaf.run(Effect.result(ApiKeys.ApiKeys.use((of) => of.authenticate(key))))
      expect(await use()).toMatchObject({ _tag: "Success" })
      await other.run(ApiKeys.ApiKeys.use((of) => of.revoke(apiKey)))
      deaf.setClock(step)
      expect(await use()).toMatchObject({ _tag: "Success" })
      await deaf.move(5 * Time.SECOND)
      expect(await use()).toMatchObject({ _tag: "Failure" })
    })
  })
}
