/**
 * Random API keys, ids and ICCIDs (rules W3 and I1): the errors that their checksums detect, and
 * their order.
 */
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Machine from "../../adapters/simulation/Machine.ts"
import * as Ids from "../../src/app/commit/Ids.ts"
import * as ApiKey from "../../src/domain/ApiKey.ts"
import * as Iccid from "../../src/domain/Iccid.ts"
import * as Id from "../../src/domain/Id.ts"
import { canonicalId, packageId } from "../../src/domain/Package.ts"

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(ApiKey.fromRandom)
const character = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")

/** The positions of the secret in a key. */
const SECRET = { min: 8, max: 8 + 43 - 1 }

describe("An API key (W3)", () => {
  it("has only letters, digits and the prefix's underscore, and always the same length", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(key).toMatch(/^simplan_[0-9A-Za-z]{49}$/)
        expect(ApiKey.isWellFormed(key)).toBe(true)
      })
    )
  })

  it("differs for other random bytes", () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(ApiKey.fromRandom(one) === ApiKey.fromRandom(other)).toBe(one.join() === other.join())
      })
    )
  })

  it("is refused if one character was mistyped", () => {
    fc.assert(
      fc.property(keys, fc.nat(56), character, (key, at, typed) => {
        fc.pre(key.charAt(at) !== typed)
        expect(ApiKey.isWellFormed(key.slice(0, at) + typed + key.slice(at + 1))).toBe(false)
      }),
      { numRuns: 2_000 }
    )
  })

  it("is refused if two characters of the secret, at most three apart, were swapped", () => {
    // CRC-32 finds every error within 32 bits.
    fc.assert(
      fc.property(keys, fc.integer(SECRET), fc.integer({ min: 1, max: 3 }), (key, at, apart) => {
        const [left, right] = [key.charAt(at), key.charAt(at + apart)]
        fc.pre(at + apart <= SECRET.max && left !== right)
        const swapped = key.slice(0, at) + right + key.slice(at + 1, at + apart) + left + key.slice(at + apart + 1)
        expect(ApiKey.isWellFormed(swapped)).toBe(false)
      }),
      { numRuns: 2_000 }
    )
  })

  it("is never some other text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `simplan_${text}`)
        ),
        (text) => {
          expect(ApiKey.isWellFormed(text)).toBe(false)
        }
      )
    )
  })
})

describe("An id", () => {
  const random = fc.uint8Array({ minLength: 10, maxLength: 10 })
  const times = fc.nat(2 ** 48 - 1)

  it("is a UUID of version 7, whose first 48 bits are the time", () => {
    fc.assert(
      fc.property(times, random, (at, bytes) => {
        const id = Id.uuid7(at, bytes)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(at)
      })
    )
  })

  it("sorts by time, whatever the random bytes are", () => {
    fc.assert(
      fc.property(times, times, random, random, (left, right, some, others) => {
        fc.pre(left !== right)
        expect(Id.uuid7(left, some) < Id.uuid7(right, others)).toBe(left < right)
      })
    )
  })

  it("sorts by its counter within one instant, whatever the random bytes are", () => {
    const counters = fc.nat(Id.COUNTER_SIZE - 1)
    fc.assert(
      fc.property(times, counters, counters, random, random, (at, left, right, some, others) => {
        fc.pre(left !== right)
        const id = (counter: number, bytes: Uint8Array) => Id.uuid7(at, Id.withCounter(counter, bytes))
        expect(id(left, some) < id(right, others)).toBe(left < right)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is the same for the same random bytes, and differs if one of the 74 bits does", () => {
    fc.assert(
      fc.property(random, fc.nat(79), (bytes, bit) => {
        const other = bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (128 >> (bit & 7)) : byte))
        // Four bits are the version and two the variant; the rest is random.
        const unused = bit < 4 || (bit >= 16 && bit < 18)
        expect(Id.uuid7(5, bytes)).toBe(Id.uuid7(5, Uint8Array.from(bytes)))
        expect(Id.uuid7(5, bytes) === Id.uuid7(5, other)).toBe(unused)
      }),
      { numRuns: 500 }
    )
  })
})

describe("The ids that a process makes for one instant", () => {
  /** The organizations that get an id, in turn. */
  const asked = fc.array(fc.constantFrom("one", "other", null), { minLength: 2, maxLength: 50 })

  const made = (seed: number, organizations: ReadonlyArray<string | null>) =>
    Effect.gen(function* () {
      const ids = yield* Ids.Ids
      // Other work of the process makes ids of other instants meanwhile.
      return yield* Effect.forEach(organizations, (of, index) =>
        Effect.tap(ids.next(5, of), () => ids.next(6 + (index % 7), of))
      )
    }).pipe(Effect.provide(Ids.layer.pipe(Layer.provide(Machine.crypto(seed)))), Effect.runSync)

  const counterOf = (id: string): number => {
    const [, , version = "", variant = ""] = id.split("-")
    const [high, low] = [version, variant].map((part) => Number.parseInt(part, 16))
    return ((high ?? 0) & 0xfff) * 2 ** 14 + ((low ?? 0) & 0x3fff)
  }

  it("sort in the order they were made, for each organization", () => {
    fc.assert(
      fc.property(fc.nat(), asked, (seed, organizations) => {
        const ids = made(seed, organizations)
        expect(new Set(ids).size).toBe(ids.length)
        for (const organization of new Set(organizations)) {
          const own = ids.filter((_, index) => organizations[index] === organization)
          expect(own.toSorted()).toEqual(own)
        }
      })
    )
  })

  it("do not reveal to an organization how many were made for others", () => {
    fc.assert(
      fc.property(fc.nat(), asked, (seed, organizations) => {
        const own = made(seed, organizations).filter((_, index) => organizations[index] === "one")
        const [first = 0, ...counters] = own.map(counterOf)
        expect(counters).toEqual(counters.map((_, index) => first + index + 1))
      })
    )
  })
})

describe("An ICCID's check digit (I1)", () => {
  const digits = fc.array(fc.nat(9), { minLength: 17, maxLength: 19 })

  /**
   * The digit that makes the sum end in 0: from the right, every other digit doubled and its own
   * digits added.
   */
  const checkDigit = (of: ReadonlyArray<number>): number => {
    const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
    const sum = of
      .toReversed()
      .reduce((all, digit, index) => all + (index % 2 === 0 ? (doubled[digit] ?? 0) : digit), 0)
    return (10 - (sum % 10)) % 10
  }

  it("is one of the ten digits, and no other is right", () => {
    fc.assert(
      fc.property(digits, (of) => {
        const right = Array.from({ length: 10 }, (_, digit) => digit).filter((digit) =>
          Iccid.hasLuhnDigit(of.join("") + digit)
        )
        expect(right).toEqual([checkDigit(of)])
      })
    )
  })

  it("may be wrong when an ICCID is read", () => {
    fc.assert(
      fc.property(digits, fc.nat(9), fc.constantFrom("", "F", "f"), (of, last, pad) => {
        const iccid = of.join("") + last
        expect(Iccid.parse(iccid + pad)).toBe(iccid)
      })
    )
  })

  it("of an ICCID is read from every way to write it, and what is read is read the same again (I1)", () => {
    const spaces = fc.constantFrom("", " ", "\t", "\r\n")
    fc.assert(
      fc.property(digits, fc.nat(9), fc.constantFrom("", "F", "f", "FF", "fF"), spaces, (of, last, pad, space) => {
        const iccid = of.join("") + last
        const written = `${space}${iccid}${iccid.length === 18 ? pad : pad.slice(0, 1)}${space}`
        expect(Iccid.canonical(written)).toBe(iccid)
        expect(Iccid.canonical(iccid)).toBe(iccid)
      })
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Iccid.canonical(Iccid.canonical(text))).toBe(Iccid.canonical(text))
      })
    )
  })

  it("is of no account to a UUID, which is read from any letters (I13)", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.infiniteStream(fc.boolean()), fc.nat(9_999), (id, large, occurrence) => {
        const written = [...id].map((letter) => (large.next().value ? letter.toUpperCase() : letter)).join("")
        expect(Id.canonical(written)).toBe(id)
        expect(Id.canonical(`${written}:${id.toUpperCase()}`)).toBe(`${id}:${id}`)
        expect(canonicalId(`${written}:${occurrence}`)).toBe(packageId(id, occurrence))
      })
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Id.canonical(Id.canonical(text))).toBe(Id.canonical(text))
      })
    )
  })
})
