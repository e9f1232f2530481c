/**
 * Identifiers: UUIDs of version 7 (RFC 9562), made from a given instant and given random bytes.
 */
import { describe, expect, it } from "vitest"
import * as Id from "../../src/domain/Id.ts"
import { canonicalId, packageId } from "../../src/domain/Package.ts"

const zeros = new Uint8Array(10)
const ones = new Uint8Array(10).fill(255)

describe("An id", () => {
  it("is that of RFC 9562's example", () => {
    // Appendix A.6: unix_ts_ms 0x017F22E279B0, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    const random = Uint8Array.of(0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f)
    expect(Id.uuid7(0x017f22e279b0, random)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  })

  it("keeps version and variant whatever the random bytes are", () => {
    expect(Id.uuid7(0, zeros)).toBe("00000000-0000-7000-8000-000000000000")
    expect(Id.uuid7(2 ** 48 - 1, ones)).toBe("ffffffff-ffff-7fff-bfff-ffffffffffff")
  })

  it("has the time 0 for an instant before the epoch", () => {
    expect(Id.uuid7(-1, ones)).toBe(Id.uuid7(0, ones))
  })

  it("of a digest has version 8 and depends on nothing but the digest", () => {
    expect(Id.uuid8("0".repeat(64))).toBe("00000000-0000-8000-8000-000000000000")
    expect(Id.uuid8("f".repeat(64))).toBe("ffffffff-ffff-8fff-bfff-ffffffffffff")
    const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    expect(Id.uuid8(digest)).toBe("2cf24dba-5fb0-830e-a6e8-3b2ac5b9e29e")
  })

  it("sorts by its counter within one instant", () => {
    const counters = [0, 1, 255, 256, 4_095, 65_535, 2 ** 20, Id.COUNTER_SIZE - 1]
    const ids = counters.map((counter) => Id.uuid7(5, Id.withCounter(counter, ones)))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(counters.length)
  })
})

describe("Ids of one instant", () => {
  const counted = (counter: number, random = zeros) => Id.uuid7(5, Id.withCounter(counter, random))

  it("have a counter in the first 26 random bits", () => {
    expect(counted(0, ones)).toBe("00000000-0005-7000-8000-ffffffffffff")
    expect(counted(1)).toBe("00000000-0005-7000-8001-000000000000")
    expect(counted(2 ** 8)).toBe("00000000-0005-7000-8100-000000000000")
    expect(counted(2 ** 14)).toBe("00000000-0005-7001-8000-000000000000")
    expect(counted(2 ** 22)).toBe("00000000-0005-7100-8000-000000000000")
    expect(counted(Id.COUNTER_SIZE - 1)).toBe("00000000-0005-7fff-bfff-000000000000")
  })

  it("do not change the given random bytes", () => {
    counted(7, ones)
    expect(ones).toEqual(new Uint8Array(10).fill(255))
  })
})

describe("An id in other letters (I13)", () => {
  const [one, other] = ["019bab1c-0b80-7000-8000-0000000000a1", "019bab1c-0b80-7000-8000-0000000000f2"]

  it.each([one, `${one}:${other}`])("is %s in small ones", (id) => {
    expect(Id.canonical(id.toUpperCase())).toBe(id)
    expect(Id.canonical(id)).toBe(id)
  })

  it.each([
    "Release:019BAB1C-0B80-7000-8000-0000000000A1",
    "019BAB1C-0B80-7000-8000-0000000000A1:Green",
    "{019BAB1C-0B80-7000-8000-0000000000A1}",
    "019BAB1C0B80700080000000000000A1",
    "019BAB1C-0B80-7000-8000-0000000000A",
    "Telco/Package/A",
    ""
  ])("is read where it is a UUID, and %j is none", (text) => {
    expect(Id.canonical(text)).toBe(text)
  })
})

describe("A package's id in other letters (I13)", () => {
  const id = "019bab1c-0b80-7000-8000-0000000000a1"

  it("is that of its attachment in small ones", () => {
    for (const package_ of [packageId(id, 0), packageId(id, 12), packageId(id, 3, 2)]) {
      expect(canonicalId(package_.toUpperCase())).toBe(package_)
    }
  })

  it.each([id.toUpperCase(), "PKG-1", `${id.toUpperCase()}:X`])("is not %s, which a telco may call its own", (text) => {
    expect(canonicalId(text)).toBe(text)
  })
})

describe("A package's id (R1)", () => {
  it("joins the attachment's id and the occurrence", () => {
    expect(packageId("017f22e2", 12)).toBe("017f22e2:12")
  })
})
