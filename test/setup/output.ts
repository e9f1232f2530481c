/**
 * For every test file: nothing that was written while its tests ran shows a secret, whoever wrote
 * it, and no earlier file has left faked timers in the worker. This file runs before each test file
 * of a worker; the modules that it imports are loaded once for all of them.
 */
import * as timers from "node:timers"
import { afterAll, expect } from "vitest"
import * as Leaks from "./Leaks.ts"
import * as Written from "./Written.ts"

const isReal = globalThis.setTimeout === timers.setTimeout && globalThis.clearTimeout === timers.clearTimeout
if (!isReal) throw new Error("An earlier test file of this worker has left faked timers: nothing here would end")

Leaks.clear()
Written.clear()
Leaks.watch({ what: "the tests' own output", text: Written.text })

afterAll(() => {
  expect(Leaks.found()).toEqual([])
})
