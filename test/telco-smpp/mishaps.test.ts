/**
 * Messages through two processes to an SMSC where everything goes wrong at random: none is shown
 * twice, one that was answered is shown, and one that was refused by the SMSC is not.
 */
import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import type { Behaviour } from "../fakes/smsc/FakeSmsc.ts"
import { played, sms } from "./Smsc.ts"

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Behaviour>("accept") },
  { weight: 2, arbitrary: fc.constant<Behaviour>("double") },
  { weight: 2, arbitrary: fc.record({ late: fc.integer({ min: 1, max: 80 }) }) },
  { weight: 3, arbitrary: fc.constantFrom<Behaviour>("lose", "drop", "cut", "unbind") },
  { weight: 3, arbitrary: fc.constantFrom<Behaviour>(0x58, 0x14, 0x08, 0x0b) }
)

/** A text of its own for each message, whose segments are all different. */
const textOf = (message: number, words: number): string =>
  Array.from({ length: words }, (_, word) => `<${message}.${word}>`).join(" ")

const messages = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 40, maxLength: 40 })
const behaviours = fc.array(behaviour, { minLength: 120, maxLength: 120 })

it.each([1, 2, 3])("A message is shown once or not at all, whatever the SMSC does (seed %i)", (seed) => {
  const [[lengths, mishaps] = [[], []]] = fc.sample(fc.tuple(messages, behaviours), { seed, numRuns: 1 })
  return played(
    ({ another, smpp, smsc }) =>
      Effect.gen(function* () {
        smsc.next(...mishaps)
        const processes = [smpp, yield* another()]
        const outcomes = yield* Effect.forEach(
          lengths.map((words, index) =>
            sms(`m-${index}`, textOf(index, words), { iccid: `89883030000000${1_000 + index}` })
          ),
          (message, index) =>
            Effect.gen(function* () {
              let outcome = "Telco.Unavailable"
              for (let attempt = 0; attempt < 8 && outcome === "Telco.Unavailable"; attempt++) {
                const process = processes[(index + attempt) % 2] ?? smpp
                outcome = yield* Effect.match(process.sendSms(message), {
                  onSuccess: () => "sent",
                  onFailure: ({ _tag, message }) => (/the SMSC refuses/.test(message) ? "refused" : _tag)
                })
              }
              return { outcome, text: message.text }
            }),
          { concurrency: 10 }
        )
        const shown = smsc.shown()
        for (const { outcome, text } of outcomes) {
          const times = shown.filter((one) => one === text).length
          if (outcome === "sent") expect(times).toBe(1)
          else if (outcome === "refused") expect(times).toBe(0)
          else expect(times).toBeLessThanOrEqual(1)
        }
        const segments = smsc.taken.map(({ destination, text }) => `${destination} ${text}`)
        expect(new Set(segments).size).toBe(segments.length)
        // The run has seen each kind of outcome.
        expect(new Set(outcomes.map(({ outcome }) => outcome)).size).toBeGreaterThanOrEqual(2)
      }),
    { answerMillis: 50, waitMillis: 400, reconnectMillis: 5, longestReconnectMillis: 20, pauseMillis: 2 }
  )
})
