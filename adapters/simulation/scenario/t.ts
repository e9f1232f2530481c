import { Effect, Result } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as ScenarioFile from "./ScenarioFile.ts"
import * as Play from "./Play.ts"
import * as Table from "./Table.ts"
import * as Drawing from "./drawing/Drawing.ts"
for (const f of (process.env["FILES"] ?? "").split(",")) {
  const s = ScenarioFile.read(readFileSync(f, "utf8"))
  if (Result.isFailure(s)) {
    console.log(s.failure)
    continue
  }
  const h = await Effect.runPromise(Play.history(s.success))
  console.log(Table.text(h))
  writeFileSync(f.replace(/json$/, "svg"), Drawing.svg(h))
}
