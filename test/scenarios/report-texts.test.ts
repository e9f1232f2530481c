/**
 * Telco reports with texts that no storage can keep (rule W9), as a host of the Effect API gives
 * them: each is rejected alone, before the storage is asked.
 */
import { Effect, Layer, Redacted } from "effect"
import { Reports, Services } from "simplan"
import type { TelcoReport } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { Clocks } from "simplan/ports"
import * as Ports from "./Ports.ts"
import { expect, it } from "vitest"
import * as Databases from "../setup/databases/Databases.ts"
import * as Shop from "../setup/Shop.ts"

const NOW = Date.UTC(2026, 0, 31, 12)

const location = { _tag: "Location", countryAlpha2: "FR", operator: "Orange", rat: "4G", imei: "1" } as const
const firstUse = { _tag: "FirstUse", packageId: null } as const

const report = (changes: Partial<TelcoReport.Report>): TelcoReport.Report => ({
  reportId: "report",
  iccid: "8933010000000000001",
  occurredAt: NOW,
  fact: location,
  ...changes
})

const BAD = ["a\0b", "a\ud83d", "\ude00"]

const bad: ReadonlyArray<readonly [field: string, of: (text: string) => Partial<TelcoReport.Report>]> = [
  ["id", (reportId) => ({ reportId })],
  ["iccid", (iccid) => ({ iccid })],
  ["packageId", (packageId) => ({ fact: { ...firstUse, packageId } })],
  ["countryAlpha2", (countryAlpha2) => ({ fact: { ...location, countryAlpha2 } })],
  ["operator", (operator) => ({ fact: { ...location, operator } })],
  ["rat", (rat) => ({ fact: { ...location, rat } })],
  ["imei", (imei) => ({ fact: { ...location, imei } })],
  [
    "modificationResult",
    (modificationResult) => ({ fact: { _tag: "SmdpState", state: "Enable", modificationResult } as const })
  ]
]

const verdicts = Effect.gen(function* () {
  yield* Shop.open(["8933010000000000001"])
  const wrong = bad.flatMap(([field, of]) => BAD.map((text) => ({ field, report: report(of(text)) })))
  const sound = report({ reportId: "sound" })
  const reports = [sound, ...wrong.map((one) => one.report), sound]
  const found = yield* (yield* Reports.Reports).take({ reports })
  expect(found).toEqual([
    { _tag: "Accepted" },
    ...wrong.map(({ field }) => ({
      _tag: "Rejected",
      field,
      message: "must not contain NUL characters or lone surrogates"
    })),
    { _tag: "Duplicate" }
  ])
})

const services = Services.layer.pipe(Layer.provideMerge(Ports.make(Clocks.virtual(NOW))))

it("are rejected alone, in memory", () =>
  Effect.runPromise(Effect.provide(verdicts, services.pipe(Layer.provideMerge(Memory.layer)))))

it("are rejected alone, on PostgreSQL", async () => {
  const { drop, url } = await Databases.create()
  const storage = Postgres.layer({ url: Redacted.make(url) })
  await Effect.runPromise(Effect.provide(verdicts, services.pipe(Layer.provideMerge(storage))))
  await drop()
})
