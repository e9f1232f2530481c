/**
 * An organization that does not exist makes nothing, also where a host calls the services
 * themselves.
 */
import { Effect, Result } from "effect"
import { Coverage, Organizations, Plans } from "simplan"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Processes from "./Processes.ts"

let world: Awaited<ReturnType<typeof Processes.make>>
beforeEach(async () => {
  world = await Processes.make()
})
afterEach(() => world.close())

const terms = {
  name: "Plan",
  coverageId: "none",
  dataMegaBytes: 1,
  periodDays: 1,
  throttling: [],
  recurrence: null
}

describe("an organization that does not exist", () => {
  it.each([
    ["plan", Plans.Plans.use((plans) => plans.create({ organizationId: "acme", terms }))],
    [
      "region",
      Coverage.Coverage.use((coverage) =>
        coverage.createRegion({ organizationId: "acme", regionName: "R", label: "Green", iso2List: ["FR"] })
      )
    ]
  ] as const)("makes no %s", async (_, create) => {
    const process = world.process()
    const refused = await process.run(Effect.result<unknown, unknown, Plans.Plans | Coverage.Coverage>(create))
    expect(Result.isFailure(refused) ? refused.failure : refused).toMatchObject({
      _tag: "NotFound",
      resource: "organization",
      id: "acme"
    })
  })

  it("is read again when it was not there the first time", async () => {
    const process = world.process()
    const check = (organizationId: string) =>
      process.run(
        Effect.result(Organizations.Organizations.use((organizations) => organizations.check({ organizationId })))
      )
    expect(await check("acme")).toMatchObject({ _tag: "Failure" })
    const { organizationId } = await process.run(
      Organizations.Organizations.use((organizations) => organizations.create({ name: "Acme" }))
    )
    expect(await check(organizationId)).toMatchObject({ _tag: "Success" })
    expect(await check(organizationId)).toMatchObject({ _tag: "Success" })
  })
})
