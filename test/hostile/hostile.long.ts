/**
 * Attacks for the time given, on the storage given. `run.mjs` says how to start it.
 */
import { expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as Keeper from "../setup/databases/keeper.ts"
import * as Run from "./Run.ts"

const env = (name: string): string => process.env[`HOSTILE_${name}`] ?? ""

const storage = env("STORAGE")
const seed = Number(env("SEED"))

it(`a server on ${storage} serves others while it is attacked`, async () => {
  const { main } = await BuiltCopy.shared()
  const postgres = storage === "postgres" ? await Keeper.start() : null
  try {
    const { attacks, problems } = await Run.run({
      main,
      databaseUrl: postgres?.url ?? `${storage}:`,
      seed,
      millis: Number(env("SECONDS")) * 1_000,
      isShort: env("SHORT") === "true",
      isAlone: env("ALONE") === "true",
      only: env("ONLY"),
      withOperators: env("OPERATORS") === "true",
      print: (line) => console.log(line)
    })
    console.log(`${storage}, seed ${seed}: ${attacks} attacks`)
    expect(problems).toEqual([])
  } finally {
    await postgres?.stop()
  }
})
