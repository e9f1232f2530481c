/** Words for what the API names for programs. */
import { AuditEntry, Job } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Words from "../../../adapters/console/Words.ts"

/** No name of a program: words with spaces between them, and no capital inside a word. */
const WORDS = /^(?:[A-Z]?[a-z']+|SIMs?|SMS|API|eSIMs?)(?: (?:[a-z']+|SIMs?|SMS|API|eSIMs?))*$/

describe("words", () => {
  it.each(Job.kinds)("of the work %s", (kind) => {
    expect(Words.work(kind)).toMatch(WORDS)
  })

  it.each(AuditEntry.actions)("of the action %s", (action) => {
    expect(Words.action(action)).toMatch(WORDS)
  })

  it("tell all actions apart, which one chooses among", () => {
    expect(new Set(AuditEntry.actions.map(Words.action)).size).toBe(AuditEntry.actions.length)
  })

  it("write numbers, countries and months in one way", () => {
    expect(Words.megabytes(1_280 * 1_048_576 + 524_288)).toBe("1,280.5 MB")
    expect(Words.megabytes(0)).toBe("0.0 MB")
    expect(Words.allowance(12_000)).toBe("12,000 MB")
    expect(Words.country("FR")).toBe("France (FR)")
    expect(Words.country("unknown")).toBe("unknown")
    expect(Words.month(Date.parse("2026-01"))).toBe("January 2026")
  })

  it("are whole sentences of some", () => {
    expect(Words.work("SetService")).toBe("Pause or resume the service")
    expect(Words.work("CancelPackages")).toBe("Cancel packages")
    expect(Words.action("subscription.create")).toBe("Subscription created")
    expect(Words.action("webhook_endpoint.rotate_key")).toBe("Endpoint key rotated")
    expect(Words.state("PENDING_FOR_FIRST_USE").words).toBe("waits for first use")
    expect(Words.standing("data_used")).toEqual({ words: "data used", tone: "bad" })
  })
})
