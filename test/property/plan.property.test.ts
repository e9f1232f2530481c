/**
 * Random terms (rules P1 and U2): granted exactly if every field obeys the rules, and stored as
 * requested.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Plan from "../../src/domain/Plan.ts"
import * as Recurrence from "../../src/domain/Recurrence.ts"
import { NOW } from "../domain/Values.ts"

const around = (...values: ReadonlyArray<number>) =>
  fc.constantFrom(...values.flatMap((one) => [one - 1, one, one + 1]))
const odd = fc.constantFrom(1.5, Number.NaN)

const alerts = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }), around(1, 100), odd),
  {
    maxLength: 11
  }
)

const terms = fc.record({
  name: fc.constantFrom("Plan", "Plan", " "),
  coverageId: fc.constant("coverage"),
  dataMegaBytes: fc.oneof(around(1, 2 ** 31 - 1), fc.integer({ min: 1, max: 9_999 })),
  periodDays: fc.oneof(around(1, 3_660), fc.integer({ min: 1, max: 400 })),
  throttling: fc.oneof(
    fc.constant([]),
    fc.array(
      fc.record({
        percentage: fc.oneof(around(1, 50, 100), fc.integer({ min: 1, max: 100 }), odd),
        limit: fc.constantFrom(...Plan.throttlingLimits)
      }),
      { minLength: 2, maxLength: 4 }
    )
  ),
  recurrence: fc.option(
    fc.record({
      periodicity: fc.constantFrom(...Recurrence.periodicities),
      frequency: fc.oneof(around(1), fc.integer({ min: 1, max: 7 }), odd),
      occurrences: fc.oneof(around(1, 1_000), fc.integer({ min: 1, max: 12 }), odd)
    })
  )
})

const requests: fc.Arbitrary<Plan.TermsRequest> = fc
  .record({ terms, alerts: fc.option(alerts) })
  .map((of) => ({ ...of.terms, ...(of.alerts && { alertThresholds: of.alerts }) }))

const whole = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most

/** Rule P1, a condition each. */
const throttled = ({ throttling }: Plan.TermsRequest): boolean =>
  throttling.length === 3 &&
  throttling.every(({ percentage }) => whole(percentage, 100)) &&
  throttling.every(({ percentage }, index) => index === 0 || percentage > Number(throttling[index - 1]?.percentage))

const recurs = ({ frequency, occurrences }: Recurrence.Recurrence): boolean =>
  whole(occurrences, 1_000) && whole(frequency, 2 ** 53)

const right = (request: Plan.TermsRequest): boolean =>
  request.name.trim() !== "" &&
  whole(request.dataMegaBytes, 2 ** 31 - 1) &&
  whole(request.periodDays, 3_660) &&
  (request.throttling.length === 0 || throttled(request)) &&
  (request.recurrence === null || recurs(request.recurrence)) &&
  (request.alertThresholds ?? []).length <= 10 &&
  (request.alertThresholds ?? []).every((percentage) => whole(percentage, 100))

/** Rule U2: each once, rising. */
const stored = ({ alertThresholds }: Plan.TermsRequest) =>
  alertThresholds && {
    alertThresholds: Array.from({ length: 100 }, (_, index) => index + 1).filter((one) => alertThresholds.includes(one))
  }

describe("Terms (P1)", () => {
  it("are granted if all fields are right, and otherwise refused by a field", () => {
    fc.assert(
      fc.property(requests, (request) => {
        const result = Plan.terms(request, { regionCode: "EUROPE", label: "Green" }, NOW)
        expect(Result.isSuccess(result)).toBe(right(request))
        if (Result.isFailure(result)) {
          expect(result.failure).toMatchObject({ _tag: "InvalidField", field: expect.stringMatching(/^\w+$/) })
          return
        }
        expect(result.success).toEqual({ ...request, ...stored(request), regionCode: "EUROPE", label: "Green" })
      }),
      { numRuns: 3_000 }
    )
  })
})
