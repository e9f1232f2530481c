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

  it("are whole sentences of some", () => {
    expect(Words.work("SetService")).toBe("Pause or resume the service")
    expect(Words.work("CancelPackages")).toBe("Cancel packages")
    expect(Words.action("subscription.create")).toBe("Subscription created")
    expect(Words.action("webhook_endpoint.rotate_key")).toBe("Endpoint key rotated")
    expect(Words.state("PENDING_FOR_FIRST_USE").words).toBe("waits for first use")
    expect(Words.standing("data_used")).toEqual({ words: "data used", tone: "bad" })
  })
})
