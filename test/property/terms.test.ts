/**
 * Random terms (rule P1): granted exactly if every field obeys the rule, and stored as requested.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Plan from "../../src/domain/Plan.ts"
import { NOW } from "../domain/Values.ts"

const around = (...values: ReadonlyArray<number>) =>
  fc.constantFrom(...values.flatMap((one) => [one - 1, one, one + 1]))
const limits = ["128", "256", "384", "512", "1024", "3072", "5120", "7680", "10240", "20480"]
const odd = fc.constantFrom(null, undefined, "1", 1.5, Number.NaN)

const requests: fc.Arbitrary<Plan.TermsRequest> = fc.record({
  name: fc.constantFrom("Plan", "Plan", " "),
  coverageId: fc.constant("coverage"),
  dataMegaBytes: fc.oneof(around(1, 2 ** 31 - 1), fc.integer({ min: 1, max: 9_999 })),
  periodDays: fc.oneof(around(1, 3_660), fc.integer({ min: 1, max: 400 })),
  throttling: fc.boolean(),
  recurring: fc.boolean(),
  thresholds: fc.array(
    fc.record({
      percentage: fc.oneof(around(1, 50, 100), fc.integer({ min: 1, max: 100 }), odd),
      limit: fc.constantFrom(...limits, ...limits, "64", 128)
    }),
    { minLength: 2, maxLength: 3 }
  ),
  occurrences: fc.oneof(around(1, 1_000), fc.integer({ min: 1, max: 12 }), odd),
  periodicity: fc.constantFrom("0", "1", "2", "0", "1", "2", "3", 0),
  frequency: fc.oneof(around(1), fc.integer({ min: 1, max: 7 }), odd)
})

const whole = (value: unknown, most: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most

/** Rule P1, a condition each. */
const throttled = ({ thresholds = [] }: Plan.TermsRequest): boolean =>
  thresholds.length === 3 &&
  thresholds.every(({ limit, percentage }) => whole(percentage, 100) && limits.some((one) => one === limit)) &&
  thresholds.every(
    ({ percentage }, index) => index === 0 || Number(percentage) > Number(thresholds[index - 1]?.percentage)
  )

const recurs = ({ frequency, occurrences, periodicity }: Plan.TermsRequest): boolean =>
  whole(occurrences, 1_000) && whole(frequency, 2 ** 53) && ["0", "1", "2"].some((one) => one === periodicity)

const right = (request: Plan.TermsRequest): boolean =>
  request.name.trim() !== "" &&
  whole(request.dataMegaBytes, 2 ** 31 - 1) &&
  whole(request.periodDays, 3_660) &&
  (!request.throttling || throttled(request)) &&
  (!request.recurring || recurs(request))

describe("Terms (P1)", () => {
  it("are granted where all fields are right, and else refused by a field", () => {
    fc.assert(
      fc.property(requests, (request) => {
        const result = Plan.terms(request, { regionCode: "EUROPE", label: "Green" }, NOW)
        expect(Result.isSuccess(result)).toBe(right(request))
        if (Result.isFailure(result)) {
          expect(result.failure).toMatchObject({ _tag: "InvalidField", field: expect.stringMatching(/^\w+$/) })
          return
        }
        const { recurrence, throttling, ...rest } = result.success
        expect(rest).toMatchObject({ dataMegaBytes: request.dataMegaBytes, periodDays: request.periodDays })
        expect(throttling).toEqual(request.throttling ? request.thresholds : [])
        if (!request.recurring) expect(recurrence).toBeNull()
        else expect(recurrence).toMatchObject({ frequency: request.frequency, occurrences: request.occurrences })
      }),
      { numRuns: 3_000 }
    )
  })
})
