/**
 * What is put around a port's operations changes nothing of what they are asked.
 */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { around } from "../../adapters/simulation/Processes.ts"

it("an operation gets each argument of its caller, in a group too", async () => {
  const asked: Array<unknown> = []
  const keep = (...given: ReadonlyArray<unknown>) => Effect.sync(() => void asked.push(given))
  const run: Array<string> = []
  const decorated = around(
    { import: keep, group: { import: keep } },
    {
      ask: (_, argument) => argument,
      run: (name, operation) =>
        Effect.andThen(
          Effect.sync(() => void run.push(name)),
          operation
        )
    }
  )
  await Effect.runPromise(Effect.andThen(decorated.import(1, 2), decorated.group.import(3, 4)))
  expect(asked).toEqual([
    [1, 2],
    [3, 4]
  ])
  expect(run).toEqual(["import", "group.import"])
})
