import { expect, jest, test } from "@jest/globals"
import { check, tooLate } from "../property.js"

jest.setTimeout(60_000)

test("a traveller is told while the package is active", () => check())

test("a rule that is too late is found", () => expect(check(tooLate)).rejects.toThrow("Property failed"))
