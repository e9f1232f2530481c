/** What answers of the telco say that may be anything: only what is in the port's form. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { Telco, TelcoAnswers } from "simplan/ports"

const amounts = fc.record({ units: fc.maxSafeInteger(), scale: fc.nat({ max: 6 }), currency: fc.string() })

const said = fc.record(
  {
    topUp: fc.record({ load: fc.string(), cost: fc.option(amounts) }),
    credit: amounts,
    purchaseId: fc.string()
  },
  { requiredKeys: [] }
)

const isWell = ({ currency, scale, units }: NonNullable<Telco.Settled["credit"]>): boolean =>
  Number.isSafeInteger(units) && Number.isInteger(scale) && scale >= 0 && scale <= 6 && typeof currency === "string"

it("What is in the port's form is taken as it is, whatever stands beside it", () => {
  fc.assert(
    fc.property(said, fc.boolean(), fc.integer({ min: 1 }), (answer, isLoadUsed, segments) => {
      const all = { ...answer, isLoadUsed, segments, status: 200 }
      expect(TelcoAnswers.settled(all)).toEqual(answer)
      expect(TelcoAnswers.isLoadUsed(all)).toBe(isLoadUsed)
      expect(TelcoAnswers.sentSms(all)).toEqual({ segments })
      const { topUp } = answer
      const refusal = new Telco.Refused({ message: "it is in use", ...(topUp !== undefined && { topUp }) })
      expect(TelcoAnswers.settled(refusal)).toEqual(topUp === undefined ? {} : { topUp })
    })
  )
})

it("What is in another form says nothing", () => {
  const amount = fc.oneof(
    amounts,
    fc.anything(),
    fc.record({ units: fc.float(), scale: fc.integer(), currency: fc.string() })
  )
  const nearly = fc.record(
    {
      topUp: fc.oneof(fc.anything(), fc.record({ load: fc.oneof(fc.string(), fc.anything()), cost: amount })),
      credit: amount,
      purchaseId: fc.anything(),
      isLoadUsed: fc.anything(),
      segments: fc.anything()
    },
    { requiredKeys: [] }
  )
  fc.assert(
    fc.property(fc.oneof(nearly, fc.anything()), (answer) => {
      const { credit, purchaseId, topUp } = TelcoAnswers.settled(answer)
      expect(credit === undefined || isWell(credit)).toBe(true)
      expect(["undefined", "string"]).toContain(typeof purchaseId)
      expect(topUp === undefined || typeof topUp.load === "string").toBe(true)
      expect(topUp === undefined || topUp.cost === null || isWell(topUp.cost)).toBe(true)
      const { segments } = TelcoAnswers.sentSms(answer) ?? { segments: 1 }
      expect(Number.isSafeInteger(segments) && segments >= 1).toBe(true)
      expect(TelcoAnswers.isLoadUsed(answer)).toBe(Object(answer).isLoadUsed === true)
    }),
    { numRuns: 500 }
  )
})

it.each([null, undefined, "topUp", {}, { status: 200 }, { topUp: null }, { topUp: { load: 2 } }, { credit: 5 }])(
  "%j says nothing",
  (answer) => {
    expect(TelcoAnswers.settled(answer)).toEqual({})
    expect([TelcoAnswers.isLoadUsed(answer), TelcoAnswers.sentSms(answer)]).toEqual([false, null])
  }
)
