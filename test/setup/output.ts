/**
 * For every test file: nothing that was written while its tests ran shows a secret, whoever wrote
 * it. This file runs before each test file of a worker; the modules that it imports are loaded once
 * for all of them.
 */
import { afterAll, expect } from "vitest"
import * as Leaks from "./Leaks.ts"
import * as Written from "./Written.ts"

Leaks.clear()
Written.clear()
Leaks.watch({ what: "the tests' own output", text: Written.text })

afterAll(() => {
  expect(Leaks.found()).toEqual([])
})
