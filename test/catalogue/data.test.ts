/**
 * The data of the standard catalogue, against the packages that they come from (rule I3).
 */
import { expect, it } from "vitest"
import * as Data from "./data/Data.ts"

it("The catalogue's data are those of the packages; `npm run catalogue` writes them anew", async () => {
  await expect(Data.text()).toMatchFileSnapshot("../../adapters/catalogue/Data.ts")
})
