/**
 * A short soak on an embedded database. `npm run test:soak` runs longer ones, on each storage.
 */
import { expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Sample from "./Sample.ts"
import * as Soak from "./Soak.ts"

it("a server on PGlite holds no more after 30 seconds of requests than at the start", {
  timeout: 300_000
}, async () => {
  const { main } = await BuiltCopy.shared()
  const { problems, samples } = await Soak.run({ main, databaseUrl: null, millis: 30_000, samples: 8 })
  console.log(Sample.summary(samples))
  expect([...problems, ...Sample.problems(samples)]).toEqual([])
})
