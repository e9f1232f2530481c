import { expect, test } from "vitest"
import { check, tooLate } from "../property.js"

test("a traveller is told while the package is active", { timeout: 60_000 }, () => check())

test("a rule that is too late is found", { timeout: 60_000 }, () =>
  expect(check(tooLate)).rejects.toThrow("Property failed")
)
