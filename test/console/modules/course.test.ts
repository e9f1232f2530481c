/**
 * What is drawn of a plan on a SIM.
 */
import { expect, it } from "vitest"
import * as Course from "../../../adapters/console/Course.ts"

const at = (text: string): number => Date.parse(text)
const MB = 1_048_576

const pack = (number: number, from: string | null, to: string | null, bytes: number) => ({
  package_id: `package-${number}`,
  activation_at: from,
  expiration_at: to,
  used_allowance: { dataBytes: bytes }
})

const attachment: Course.Attachment = {
  plan_attachment_id: "one",
  created_at: "2026-01-01T00:00:00.000Z",
  activation_at: "2026-01-02T12:00:00.000Z",
  expiration_at: "2026-01-05T12:00:00.000Z",
  state: "ACTIVE",
  reason: null,
  plan: { name: "Europe", _id: "plan", throttling: true, data_mega_bytes: 100, period_days: 3 },
  packages: [pack(1, "2026-01-02T12:00:00.000Z", "2026-01-05T12:00:00.000Z", 30 * MB)]
}

const day = (of: string | null, bytes: number, id = "one") => ({
  day: of,
  plan_attachment_id: id,
  used_bytes: bytes * MB
})

const now = at("2026-01-04T00:00:00.000Z")

const of = (one: Course.Attachment, days: ReadonlyArray<Course.Day>, plans: Course.Beside["plans"] = new Map()) =>
  Course.of(one, { days, plans, now })

it("says which states are known, and when it ends", () => {
  expect(of(attachment, []).states).toEqual([
    { state: "ACTIVE", from: at("2026-01-02T12:00:00.000Z") },
    { state: "EXPIRED", from: at("2026-01-05T12:00:00.000Z") }
  ])
  const waiting = { ...attachment, state: "PENDING_FOR_FIRST_USE", activation_at: null, expiration_at: null }
  expect(of(waiting, []).states).toEqual([{ state: "PENDING_FOR_FIRST_USE", from: at(attachment.created_at) }])
  const ahead = { ...attachment, state: "CREATED" }
  expect(of(ahead, []).states.map(({ state }) => state)).toEqual(["CREATED", "ACTIVE", "EXPIRED"])
})

it("ends with a suspension", () => {
  const reason = { code: "suspended", at: "2026-01-03T00:00:00.000Z" }
  const { states, suspendedAt } = of({ ...attachment, state: "SUSPENDED", reason }, [])
  expect(suspendedAt).toBe(at(reason.at))
  expect(states.map(({ state }) => state)).toEqual(["ACTIVE", "SUSPENDED"])
})

it("draws usage by day, within the package and before now", () => {
  const days = [day("2026-01-02", 10), day("2026-01-02", 99, "other"), day("2026-01-04", 20)]
  expect(of(attachment, days).packages[0]?.used).toEqual([
    { at: at("2026-01-03T00:00:00.000Z"), bytes: 10 * MB },
    { at: now, bytes: 30 * MB }
  ])
})

it("draws what was used before the days that are known at the beginning", () => {
  expect(of(attachment, [day("2026-01-03", 10)]).packages[0]?.used).toEqual([
    { at: at("2026-01-02T12:00:00.000Z"), bytes: 20 * MB },
    { at: now, bytes: 30 * MB }
  ])
})

it("shares days among packages, oldest first, as much as each has used", () => {
  const packages = [
    pack(1, "2026-01-02T12:00:00.000Z", "2026-01-03T12:00:00.000Z", 15 * MB),
    pack(2, "2026-01-03T12:00:00.000Z", "2026-01-04T12:00:00.000Z", 5 * MB)
  ]
  const drawn = of({ ...attachment, packages }, [day("2026-01-02", 10), day("2026-01-03", 10)])
  expect(drawn.packages.map(({ used }) => used.map(({ bytes }) => bytes / MB))).toEqual([[10, 15], [5]])
})

it("says when a package was created only where it waits for its first use", () => {
  const waits = { ...attachment, activation_at: null, expiration_at: null, packages: [pack(1, null, null, 0)] }
  expect(of(waits, []).packages[0]).toMatchObject({ createdAt: at(attachment.created_at), waited: true })
  expect(of(attachment, []).packages[0]).toMatchObject({ createdAt: null, waited: false })
})

it("shortens long names", () => {
  const plan = { ...attachment.plan, name: "x".repeat(200) }
  expect(of({ ...attachment, plan }, []).name).toBe(`${"x".repeat(60)}…`)
})

it("begins with the oldest plan and ends now", () => {
  expect(Course.drawn("8944", [attachment], { days: [], plans: new Map(), now })).toMatchObject({
    start: at(attachment.created_at),
    end: now,
    now
  })
})

it("draws from where on the speed is limited, as far as the plan is there and has such speeds", () => {
  const plan = {
    throttling_threshold1_perc: 50,
    throttling_threshold1_limit: "1024",
    throttling_threshold2_perc: 80,
    throttling_threshold2_limit: "1",
    throttling_threshold3_perc: 100
  }
  expect(of(attachment, [], new Map([["plan", plan]])).terms.throttling).toEqual([{ percentage: 50, limit: "1024" }])
  expect(of(attachment, []).terms.throttling).toEqual([])
})
