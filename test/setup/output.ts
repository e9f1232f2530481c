/** For every test file: nothing that was written while its tests ran shows a secret, whoever wrote it. */
import { afterAll, expect } from "vitest"
import * as Leaks from "./Leaks.ts"

let written = ""

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream)
  stream.write = (chunk: string | Uint8Array, ...rest: ReadonlyArray<unknown>) => {
    written += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
    return Reflect.apply(write, stream, [chunk, ...rest])
  }
}

for (const level of ["debug", "error", "info", "log", "warn"] as const) {
  const log = console[level].bind(console)
  console[level] = (...parts: ReadonlyArray<unknown>) => {
    written += `${parts.map(String).join(" ")}\n`
    log(...parts)
  }
}

Leaks.watch({ what: "the tests' own output", text: () => written })

afterAll(() => {
  expect(Leaks.found()).toEqual([])
})
