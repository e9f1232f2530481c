/**
 * A soak for the time given, on the storage given. `run.mjs` says how to start it.
 */
import { expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Keeper from "../setup/databases/keeper.ts"
import * as Sample from "./Sample.ts"
import * as Soak from "./Soak.ts"

const minutes = Number(process.env["SOAK_MINUTES"])
const storage = process.env["SOAK_STORAGE"]
const isHostile = process.env["SOAK_HOSTILE"] === "true"

it(`a server on ${storage} holds no more after ${minutes} minutes than at the start`, async () => {
  const { main } = await BuiltCopy.shared()
  const postgres = storage === "postgres" ? await Keeper.start() : null
  try {
    const databaseUrl = storage === "memory" ? "memory:" : (postgres?.url ?? null)
    const onSample = (samples: ReadonlyArray<Sample.Sample>) =>
      console.log([Sample.summary(samples), ...(samples.length < 4 ? [] : Sample.problems(samples))].join("\n  "))
    const { problems, samples } = await Soak.run({
      main,
      databaseUrl,
      isHostile,
      millis: minutes * 60_000,
      ...(isHostile ? { samples: Math.max(8, Math.min(24, Math.round(minutes / 2.5))), onSample } : {})
    })
    console.log(`${storage}, ${minutes} minutes: ${Sample.summary(samples)}`)
    expect([...problems, ...Sample.problems(samples)]).toEqual([])
  } finally {
    await postgres?.stop()
  }
})
