import assert from "node:assert/strict"
import { test } from "node:test"
import { check, tooLate } from "../property.js"

test("a traveller is told while the package is active", () => check())

test("a rule that is too late is found", () => assert.rejects(check(tooLate), /Property failed/))
