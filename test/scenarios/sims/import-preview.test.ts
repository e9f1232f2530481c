/**
 * The preview of an import (rules I7 and S9): its report is that of the import, and nothing is
 * written.
 */
import { Stream } from "effect"
import * as fc from "fast-check"
import { Organizations, Sims } from "simplan"
import { Storage } from "simplan/ports"
import { expect, it } from "vitest"
import { make } from "../World.ts"

const iccids = ["8944500000000000014", "8944500000000000022", "8944500000000000030", "894450000000000004"]
const labels = ["Green", "Blue", "no label"]
const codes = [null, "LPA:1$smdp.example$ONE", "LPA:1$smdp.example$TWO", "none"]

/**
 * Rows of few SIMs, so that many are there already, are named twice, or are another organization's.
 */
const row = fc.record({
  iccid: fc.constantFrom(...iccids),
  label: fc.constantFrom(...labels),
  isEsim: fc.boolean(),
  lpa: fc.constantFrom(...codes),
  imsi: fc.constantFrom(null, "240080000000001", "240080000000002"),
  subscriberId: fc.constantFrom(null, "7")
})

const imports = fc.array(fc.record({ isOthers: fc.boolean(), rows: fc.array(row, { minLength: 1, maxLength: 6 }) }), {
  minLength: 1,
  maxLength: 4
})

it("reports what the import then does, and writes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(imports, async (all) => {
      const world = await make()
      const other = await world.run(Organizations.Organizations.use((of) => of.create({ name: "Other" })))
      const stored = async (organizationId: string) => ({
        sims: await world.run(
          Storage.Storage.use((of) =>
            of.sims.page({ organizationId, after: null, limit: 100, isEsim: null, label: null })
          )
        ),
        audit: await world.run(
          Storage.Storage.use((of) =>
            of.auditEntries.page({
              ...{ organizationId, from: null, to: null, actor: null, action: null, resourceId: null },
              ...{ after: null, limit: 100 }
            })
          )
        )
      })
      for (const { isOthers, rows } of all) {
        const organizationId = isOthers ? other.organizationId : world.organizationId
        const report = (dryRun: boolean) =>
          world.run(Sims.Sims.use((of) => of.importRows({ organizationId, rows: Stream.fromIterable(rows), dryRun })))
        const before = await stored(organizationId)
        const foreseen = await report(true)
        expect(await stored(organizationId)).toEqual(before)
        expect(await report(false)).toEqual(foreseen)
      }
    }),
    { numRuns: 60 }
  )
})
