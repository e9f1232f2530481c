/**
 * Rows of a SIM import, from JSON or CSV (rule I1): values of any type become a row, and no row throws.
 */
import { describe, expect, it } from "vitest"
import * as SimImport from "../../adapters/http/shapes/SimImport.ts"

const record = { iccid: "8944500102198304826", label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$CODE" }

describe("A row", () => {
  it("says in several ways whether it is an eSIM", () => {
    for (const yes of [true, "true", " True ", "1", 1, "yes"]) {
      expect(SimImport.toRow({ ...record, is_esim: yes })).toMatchObject({ isEsim: true })
    }
    for (const no of [false, "false", "FALSE", "0", 0, "no"]) {
      expect(SimImport.toRow({ ...record, is_esim: no })).toMatchObject({ isEsim: false })
    }
  })

  it("cannot be read with another is_esim, of whatever type", () => {
    const odd = [undefined, null, "", "maybe", "2", 2, {}, [], ["true"], { toString: 1 }, Object.create(null)]
    for (const is_esim of odd) {
      expect(SimImport.toRow({ ...record, is_esim })).toMatchObject({ problem: "is_esim must be true or false" })
    }
  })

  it("cannot be read with an lpa that is no text", () => {
    for (const lpa of [1, {}, ["LPA:1$a$b"], true]) {
      expect(SimImport.toRow({ ...record, lpa })).toMatchObject({ problem: "lpa must be a string" })
    }
    for (const lpa of [null, undefined]) expect(SimImport.toRow({ ...record, lpa })).toMatchObject({ lpa: null })
  })

  it("has an empty iccid and label where they are no texts", () => {
    for (const other of [undefined, null, 8944500102198304, {}, ["Green"]]) {
      expect(SimImport.toRow({ ...record, iccid: other, label: other })).toMatchObject({ iccid: "", label: "" })
    }
    for (const other of [null, 5, "x", [], undefined]) expect(SimImport.toRow(other)).toMatchObject({ iccid: "" })
  })
})
