import { randomBytes } from "node:crypto"
import { Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Secrets from "../../adapters/postgres/encryption/Secrets.ts"
import * as SecretKeys from "../../adapters/postgres/encryption/SecretKeys.ts"

const keysOf = (text: string) => Result.getOrThrow(SecretKeys.parse(Redacted.make(text)))
const [newKey, oldKey] = [randomBytes(32).toString("base64"), randomBytes(32).toString("hex")]
const place: Secrets.Place = ["activation code", "acme", "8988000000000000001"]
const text = "LPA:1$smdp.example$MATCHING-ID-Ü"

describe("secret keys", () => {
  it("are 32 bytes in base64, base64url or hexadecimal, the new one first", () => {
    const bytes = randomBytes(32)
    const forms = ["hex", "base64", "base64url"] as const
    expect(new Set(forms.map((form) => keysOf(` ${bytes.toString(form)} `)[0]?.id)).size).toBe(1)
    const both = keysOf(`${newKey},${oldKey}`)
    expect(both.map(({ id }) => id)).toEqual([keysOf(newKey)[0]?.id, keysOf(oldKey)[0]?.id])
    expect(both.map(({ key }) => key.export().length)).toEqual([32, 32])
  })

  it("of another length or form are refused, without being shown", () => {
    const wrong = [
      "",
      "short",
      newKey.slice(4),
      `${oldKey}00`,
      `${newKey},`,
      `${newKey},nope`,
      `${newKey},${oldKey},${newKey}`
    ]
    for (const one of wrong) {
      const problem = SecretKeys.parse(Redacted.make(one))
      expect(problem).toEqual(Result.fail(`must be ${SecretKeys.allowed}`))
    }
  })
})

describe("a cipher", () => {
  const cipher = Secrets.makeCipher(keysOf(newKey))
  const stored = cipher.encrypt(text, place)

  it("gives a text back at its place, and never stores it twice alike", () => {
    expect(stored).toMatch(/^aes256gcm:[0-9a-f]{16}:[A-Za-z0-9_-]+$/)
    expect(cipher.decrypt(stored, place)).toBe(text)
    expect(cipher.encrypt(text, place)).not.toBe(stored)
    for (const one of ["", "aes256gcm:0123456789abcdef:AAAA", stored]) {
      expect(cipher.decrypt(cipher.encrypt(one, place), place)).toBe(one)
    }
  })

  it("refuses a text in which any byte was changed, and one that was cut", () => {
    const [head, payload = ""] = [stored.slice(0, 27), stored.slice(27)]
    const bytes = Buffer.from(payload, "base64url")
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => cipher.decrypt(`${head}${changed.toString("base64url")}`, place)).toThrow(Secrets.Undecryptable)
    }
    for (const length of [1, 12, 27, bytes.length - 1]) {
      const cut = bytes.subarray(0, length).toString("base64url")
      expect(() => cipher.decrypt(`${head}${cut}`, place)).toThrow("was changed, or moved here from another row")
    }
  })

  it("refuses a text at the place of another row, organization or kind, and names the place alone", () => {
    const others: ReadonlyArray<Secrets.Place> = [
      ["activation code", "acme", "8988000000000000002"],
      ["activation code", "other", place[2]],
      ["signing key", "acme", place[2]]
    ]
    for (const other of others) expect(() => cipher.decrypt(stored, other)).toThrow(Secrets.Undecryptable)
    expect(() => cipher.decrypt(stored, ["activation code", "acme", "2"])).toThrow(
      /^The activation code of 2 \(organization acme\) was changed, or moved here from another row$/
    )
  })

  it("refuses a text of a key that it does not have", () => {
    const id = keysOf(newKey)[0]?.id
    for (const keys of [[], keysOf(oldKey)]) {
      expect(() => Secrets.makeCipher(keys).decrypt(stored, place)).toThrow(
        `is encrypted with the key ${id}, which is not there`
      )
    }
  })

  it("reads plain texts and those of the old key, and encrypts with the new one", () => {
    const before = Secrets.makeCipher(keysOf(oldKey)).encrypt(text, place)
    const rotating = Secrets.makeCipher(keysOf(`${newKey},${oldKey}`))
    expect([text, before, stored].map((one) => rotating.decrypt(one, place))).toEqual([text, text, text])
    expect([text, before, stored].map(rotating.isCurrent)).toEqual([false, false, true])
    expect(cipher.decrypt(rotating.encrypt(text, place), place)).toBe(text)
  })

  it("without a key stores texts as they are", () => {
    const none = Secrets.makeCipher([])
    expect([none.encrypt(text, place), none.decrypt(text, place)]).toEqual([text, text])
    expect([text, stored].map(none.isCurrent)).toEqual([true, false])
  })
})

describe("a cipher that remembers", () => {
  const inner = Secrets.makeCipher(keysOf(newKey))
  const opened: Array<string> = []
  const remembering = (decrypts: Secrets.Cipher["decrypt"]) => {
    opened.length = 0
    const decrypt: Secrets.Cipher["decrypt"] = (stored, at) => {
      opened.push(stored)
      return decrypts(stored, at)
    }
    return Secrets.remembering({ ...inner, decrypt })
  }
  const at = (row: number): Secrets.Place => ["signing key", "acme", String(row)]

  it("opens a text once, and still refuses it at another place", () => {
    const cipher = remembering(inner.decrypt)
    const stored = cipher.encrypt("whsec_secret", at(1))
    for (let times = 0; times < 3; times++) expect(cipher.decrypt(stored, at(1))).toBe("whsec_secret")
    expect(opened).toEqual([stored])
    const others: ReadonlyArray<Secrets.Place> = [
      at(2),
      ["signing key", "other", "1"],
      ["activation code", "acme", "1"]
    ]
    for (const other of others) expect(() => cipher.decrypt(stored, other)).toThrow(Secrets.Undecryptable)
    expect(cipher.decrypt(stored, at(1))).toBe("whsec_secret")
    expect(opened).toHaveLength(4)
  })

  it("forgets what was not read for long, and nothing that is read again and again", () => {
    const cipher = remembering((stored) => `of ${stored}`)
    for (let row = 0; row < 9_000; row++) {
      expect(cipher.decrypt(`${row}`, at(row))).toBe(`of ${row}`)
      expect(cipher.decrypt("0", at(0))).toBe("of 0")
    }
    expect(opened).toHaveLength(9_000)
    expect(cipher.decrypt("1", at(1))).toBe("of 1")
    expect(opened).toHaveLength(9_001)
  })
})
