/** Packages, pauses and messages on the SIMs that were bought of eSIM Access. */
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Values from "../domain/Values.ts"
import * as Tests from "../setup/Tests.ts"
import * as Opened from "./Opened.ts"

const { failed, order, purchase, repeated } = Opened

/** A SIM that was bought, and its profile at the supplier. */
const bought = Effect.gen(function* () {
  const opened = yield* Opened.open
  const { iccid } = yield* opened.telco.buySim(purchase("pur-1", { load: "CKH491" }))
  const [profile] = opened.fake.profiles
  if (profile === undefined) throw new Error("nothing was sold")
  const { calls } = opened.fake
  return {
    ...opened,
    iccid,
    profile,
    order: (packageId: string) => order(iccid, { packageId, load: "CKH491" }),
    /** The paths that were called since. */
    since: (count: number) => calls.slice(count).map(({ path }) => path)
  }
})

const test = Tests.given(bought, (effect) => Effect.runPromise(Effect.scoped(effect)))

describe("A package of eSIM Access", () => {
  test("claims the load that its SIM was bought with, without a call, and always the same", function* (opened) {
    const { fake, journal, telco } = opened
    const { length } = fake.calls
    const made = yield* telco.createPackage(opened.order("one:0"))
    expect(made).toEqual({ telcoPackageId: "23110111420001", activationAt: null, expirationAt: null, isLoad: true })
    const other = yield* Opened.process(fake, journal)
    expect(yield* other.telco.createPackage(opened.order("one:0"))).toEqual(made)
    expect(yield* telco.listPackages({ iccid: opened.iccid })).toEqual(["one:0"])
    expect(yield* telco.listPackages({ iccid: opened.iccid, onlyAttachments: ["one"] })).toEqual([])
    expect(opened.since(length)).toEqual([])
  })

  test("is refused as a top-up, of a SIM that was not bought here, and for what no bundle can be", function* (opened) {
    const { fake, iccid, telco } = opened
    const { length } = fake.calls
    yield* telco.createPackage(opened.order("one:0"))
    const recurrence = Values.recurring().recurrence
    const limit = "512"
    const throttling = [{ percentage: 50, limit }] as const
    const terms = opened.order("two:0").terms
    const { load: _, ...unsold } = opened.order("two:0")
    const refusals = [
      opened.order("two:0"),
      { ...opened.order("two:0"), load: "AU_1_7" },
      order("8985200000000000099"),
      unsold,
      { ...opened.order("two:0"), window: { start: 1, end: 2 } },
      { ...opened.order("two:0"), terms: { ...terms, recurrence } },
      { ...opened.order("two:0"), terms: { ...terms, throttling } }
    ]
    const messages = new Set<string>()
    for (const refused of refusals) {
      const failure = yield* failed(telco.createPackage(refused))
      expect(failure._tag).toBe("Telco.Refused")
      expect((yield* failed(telco.createPackage(refused))).message).toBe(failure.message)
      messages.add(failure.message)
    }
    expect(messages.size).toBe(refusals.length - 1)
    expect(opened.since(length)).toEqual([])
    // Nothing of them is remembered, so the SIM is nobody else's.
    expect(yield* telco.listPackages({ iccid })).toEqual(["one:0"])
  })

  test("is refused on a SIM that was free, and names who is there", function* (opened) {
    const { telco } = opened
    yield* telco.createPackage(opened.order("one:0"))
    const first = { ...opened.order("two:0"), onlyAttachments: ["two"] }
    expect(yield* failed(telco.createPackage(first))).toMatchObject({ _tag: "Telco.Refused", occupiedBy: ["one:0"] })
  })

  test("that was not used gives its load back when it is cancelled, and its id is spent", function* (opened) {
    const { fake, iccid, telco } = opened
    yield* telco.createPackage(opened.order("one:0"))
    // A paused one may be new.
    yield* telco.setService({ key: "pause", iccid, active: false })
    fake.befall("/esim/query", "answer lost")
    expect((yield* failed(telco.cancelPackage({ packageId: "one:0", iccid })))._tag).toBe("Telco.Unavailable")
    yield* telco.cancelPackage({ packageId: "one:0", iccid })
    yield* telco.cancelPackage({ packageId: "one:0", iccid })
    expect(yield* failed(telco.createPackage(opened.order("one:0")))).toMatchObject({
      _tag: "Telco.Refused",
      message: "The package one:0 was cancelled"
    })
    yield* telco.cancelPackage({ packageId: "never:0", iccid })
    expect((yield* failed(telco.createPackage(opened.order("never:0"))))._tag).toBe("Telco.Refused")
    yield* telco.createPackage(opened.order("two:0"))
    yield* telco.cancelPackage({ packageId: "one:0", iccid })
    expect(yield* telco.listPackages({ iccid })).toEqual(["two:0"])
    // What was not bought here has nothing to cancel.
    yield* telco.cancelPackage({ packageId: "one:0", iccid: "8985200000000000099" })
  })

  test("that was used is kept, unless an operator has said that it goes", function* (opened) {
    const { fake, iccid, profile, telco } = opened
    yield* telco.createPackage(opened.order("one:0"))
    profile.esimStatus = "IN_USE"
    profile.activateTime = "2026-11-30T03:10:00+0000"
    profile.orderUsage = 12_345
    expect((yield* failed(telco.cancelPackage({ packageId: "one:0", iccid }))).message).toContain("12345 bytes")
    expect((yield* failed(telco.cancelPackage({ packageId: "one:0", iccid, isUndone: true })))._tag).toBe(
      "Telco.Refused"
    )
    expect(yield* telco.readUsage({ iccid, stopped: [] })).toEqual([{ packageId: "one:0", usedBytes: 12_345 }])
    fake.befall("/esim/revoke", "answer lost")
    yield* repeated(telco.cancelPackage({ packageId: "one:0", iccid, isConfirmed: true }))
    expect(profile.esimStatus).toBe("REVOKE")
    expect(yield* telco.cancelPackage({ packageId: "one:0", iccid })).toEqual({ isLoadUsed: true })
    expect(yield* telco.listPackages({ iccid })).toEqual([])
    // The load is gone.
    expect((yield* failed(telco.createPackage(opened.order("two:0"))))._tag).toBe("Telco.Refused")
  })

  test("that was downloaded is sold to nobody else, and revoked if an operator has said that it goes", function* (opened) {
    const { iccid, profile, telco } = opened
    yield* telco.createPackage(opened.order("one:0"))
    profile.smdpStatus = "DOWNLOAD"
    expect((yield* failed(telco.cancelPackage({ packageId: "one:0", iccid }))).message).toContain("was downloaded")
    expect(yield* telco.cancelPackage({ packageId: "one:0", iccid, isConfirmed: true })).toEqual({ isLoadUsed: true })
    expect(profile.esimStatus).toBe("REVOKE")
    expect((yield* failed(telco.createPackage(opened.order("two:0"))))._tag).toBe("Telco.Refused")
  })

  test("that has expired unused has no load to give back", function* (opened) {
    const { iccid, profile, telco } = opened
    yield* telco.createPackage(opened.order("one:0"))
    profile.esimStatus = "UNUSED_EXPIRED"
    for (let time = 0; time < 2; time++) {
      expect(yield* telco.cancelPackage({ packageId: "one:0", iccid })).toEqual({ isLoadUsed: true })
    }
    expect((yield* failed(telco.createPackage(opened.order("two:0"))))._tag).toBe("Telco.Refused")
  })
})

describe("A SIM of eSIM Access", () => {
  test("is paused and resumed, also if answers are lost", function* (opened) {
    const { fake, iccid, profile, telco } = opened
    fake.befall("/esim/suspend", "answer lost")
    expect((yield* failed(telco.setService({ key: "1", iccid, active: false })))._tag).toBe("Telco.Unavailable")
    yield* telco.setService({ key: "1", iccid, active: false })
    expect(profile.esimStatus).toBe("SUSPENDED")
    const { length } = fake.calls
    yield* telco.setService({ key: "1", iccid, active: false })
    expect(opened.since(length)).toEqual([])
    const quick = (yield* Opened.process(fake, opened.journal, { lateMillis: 0 })).telco
    yield* quick.setService({ key: "2", iccid, active: true })
    expect(profile.esimStatus).toBe("GOT_RESOURCE")
    profile.esimStatus = "REVOKE"
    for (const active of [true, false]) {
      expect((yield* failed(quick.setService({ key: `late ${active}`, iccid, active })))._tag).toBe("Telco.Refused")
    }
    const unknown = { key: "3", iccid: "8985200000000000099", active: false }
    expect((yield* failed(telco.setService(unknown)))._tag).toBe("Telco.Refused")
  })

  test("takes messages if its bundle does and it is installed, each once", function* (opened) {
    const { fake, iccid, profile, telco } = opened
    const sms = (messageId: string, text: string) => telco.sendSms({ messageId, iccid, from: "Shop", text })
    expect((yield* failed(sms("1", "hello")))._tag).toBe("Telco.Refused")
    profile.smdpStatus = "INSTALLATION"
    yield* sms("2", "hello")
    yield* sms("2", "hello")
    expect(fake.messages).toEqual([{ esimTranNo: profile.esimTranNo, message: "hello" }])
    yield* sms("3", "é".repeat(500))
    expect((yield* failed(sms("4", "é".repeat(501))))._tag).toBe("Telco.Refused")
    fake.befall("/esim/sendSms", "answer lost")
    expect((yield* failed(sms("5", "lost")))._tag).toBe("Telco.Unavailable")
    expect((yield* failed(sms("5", "lost")))._tag).toBe("Telco.Refused")
    expect(fake.messages).toHaveLength(3)
    const silent = yield* telco.buySim(purchase("pur-2"))
    const failure = yield* failed(telco.sendSms({ messageId: "6", iccid: silent.iccid, from: "Shop", text: "hello" }))
    expect(failure.message).toContain("takes no messages")
  })

  test("can be downloaded again only if it never was", function* (opened) {
    const { iccid, profile, telco } = opened
    yield* telco.releaseProfile({ key: "1", iccid })
    profile.smdpStatus = "ENABLED"
    expect((yield* failed(telco.releaseProfile({ key: "1", iccid })))._tag).toBe("Telco.Refused")
  })

  test("has no mobile plan and no package to be stopped", function* (opened) {
    const { iccid, telco } = opened
    yield* telco.setMobilePlan({ key: "1", iccid, applied: false })
    expect((yield* failed(telco.setMobilePlan({ key: "2", iccid, applied: true })))._tag).toBe("Telco.Refused")
    expect((yield* failed(telco.suspendPackage({ packageId: "one:0", iccid })))._tag).toBe("Telco.Refused")
    expect(yield* telco.readUsage({ iccid, stopped: [] })).toEqual([])
    expect(yield* telco.listPackages({ iccid: "8985200000000000099" })).toEqual([])
  })
})

describe("The account at eSIM Access", () => {
  test("shows its bundles in whole units, and its balance", function* ({ balance, bundles, fake }) {
    const [american, , daily] = yield* bundles
    expect(american).toEqual({
      code: "NA-3_1_7",
      name: "North America 1GB 7Days",
      kind: "sim",
      countries: ["MX", "US", "CA"],
      // The documents' GB is 1,024 MB of 1,048,576 bytes.
      dataBytes: 1_024 * 1_048_576,
      days: 7,
      price: { units: 57_000, scale: 4, currency: "USD" }
    })
    expect(daily).toMatchObject({ code: "JP_0.5_Daily:1", dataBytes: 512 * 1_048_576, days: 1 })
    fake.state.balance = 1
    expect(yield* balance).toEqual({ units: 1, scale: 4, currency: "USD" })
  })
})
