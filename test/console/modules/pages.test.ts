/** Lists that the console reads whole, however many pages they have. */
import { expect, it } from "vitest"
import * as Pages from "../../../adapters/console/Pages.ts"
import * as World from "../../http/World.ts"

it("what comes after the first hundred is there", async () => {
  const world = await World.forTest({})
  const made: Array<string> = []
  for (let number = 0; number < 101; number += 1) {
    made.push((await world.admin("POST", "/organizations", { name: `Acme ${number}` })).body.data.organization_id)
  }
  const found = await Pages.all<{ readonly organization_id: string }>(
    async (query) => (await world.admin("GET", `/organizations?${query}`)).body
  )
  expect(found.map(({ organization_id }) => organization_id)).toEqual(made)
})
