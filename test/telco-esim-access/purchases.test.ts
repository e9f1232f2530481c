/** SIMs that are bought of eSIM Access, and given back. */
import { Effect } from "effect"
import { Amount } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { CallFailure } from "../../adapters/telco-calls/index.ts"
import * as Tests from "../setup/Tests.ts"
import * as FakeEsimAccess from "./FakeEsimAccess.ts"
import * as Opened from "./Opened.ts"

const { failed, open, order, purchase, repeated } = Opened

const dollars = (text: string) => Amount.parse(text, "USD") ?? null

describe("A SIM that is bought of eSIM Access", () => {
  Tests.scoped("is one order, has all that a phone needs, and costs what the catalogue says", function* () {
    const { fake, telco } = yield* open
    const bought = yield* telco.buySim(purchase("pur-1", { load: "CKH491" }))
    expect(bought).toEqual({
      iccid: "8985200000000000001",
      lpa: "LPA:1$rsp-eu.redteamobile.com$23110111420001",
      sellBy: expect.any(Number),
      // The documents' example: a price of 10000 is 1.00.
      cost: { units: 57_000, scale: 4, currency: "USD" },
      imsi: "454006109846571",
      msisdn: null,
      subscriberId: "23110111420001"
    })
    expect(bought.cost && Amount.text(bought.cost)).toBe("5.7000 USD")
    expect(yield* telco.buySim(purchase("pur-1", { load: "CKH491" }))).toEqual(bought)
    expect(fake.profiles.map(({ transactionId }) => transactionId)).toEqual(["pur-1"])
    expect(fake.state.balance).toBe(1_000_000 - 57_000)
  })

  Tests.scoped("with a daily bundle costs its days", function* () {
    const { fake, telco } = yield* open
    const bought = yield* telco.buySim(purchase("pur-1", { load: "JP_0.5_Daily:10" }))
    expect(bought.cost && Amount.text(bought.cost)).toBe("6.0000 USD")
    expect(fake.profiles[0]?.charged).toBe(60_000)
    for (const load of ["JP_0.5_Daily", "AU_1_7:3"]) {
      expect((yield* failed(telco.buySim(purchase(load, { load }))))._tag).toBe("Telco.Refused")
    }
    expect(fake.profiles).toHaveLength(1)
  })

  const mishaps: ReadonlyArray<FakeEsimAccess.Mishap> = [
    "request lost",
    "answer lost",
    "late",
    "half body",
    "too many",
    "busy",
    "no JSON",
    "contradiction"
  ]
  for (const path of ["/package/list", "/esim/order", "/esim/query"] as const) {
    for (const mishap of mishaps) {
      Tests.scoped(`is one order although a call of ${path} meets: ${mishap}`, function* () {
        const { fake, journal, telco } = yield* open
        fake.befall(path, mishap, mishap)
        expect((yield* failed(telco.buySim(purchase("pur-1"))))._tag).toBe("Telco.Unavailable")
        // Another process goes on.
        const other = yield* Opened.process(fake, journal)
        const bought = yield* repeated(other.telco.buySim(purchase("pur-1")))
        fake.settle()
        expect(yield* telco.buySim(purchase("pur-1"))).toEqual(bought)
        expect(fake.profiles.map(({ iccid }) => iccid)).toEqual([bought.iccid])
        expect(fake.state.balance).toBe(1_000_000 - (bought.cost?.units ?? 0))
      })
    }
  }

  Tests.scoped("is late while it is being allocated, and no failure", function* () {
    const { fake, telco } = yield* open
    fake.state.allocatesIn = 2
    for (let time = 0; time < 2; time++) {
      expect(yield* failed(telco.buySim(purchase("pur-1")))).toMatchObject({
        _tag: "Telco.Unavailable",
        retryAfterSeconds: 3
      })
    }
    expect((yield* telco.buySim(purchase("pur-1"))).iccid).toBe("8985200000000000001")
    expect(fake.profiles).toHaveLength(1)
  })

  Tests.scoped("is ordered at the price that has moved, within the limit", function* () {
    const { fake, telco } = yield* open
    fake.state.risesBy = 500
    const bought = yield* telco.buySim(purchase("pur-1", { limit: dollars("1.05") }))
    expect(bought.cost && Amount.text(bought.cost)).toBe("1.0500 USD")
    fake.state.risesBy = 500
    expect(yield* failed(telco.buySim(purchase("pur-2", { limit: dollars("1.05") })))).toMatchObject({
      _tag: "Telco.Refused",
      reason: "price",
      message: "AU_1_7 costs 1.1000 USD, and the limit is 1.05 USD"
    })
    fake.state.risesBy = 0
    expect((yield* failed(telco.buySim(purchase("pur-2"))))._tag).toBe("Telco.Refused")
    expect(fake.profiles).toHaveLength(1)
  })

  Tests.scoped("is refused for good, by a reason, if there is no money, no stock or no such bundle", function* () {
    const { fake, telco } = yield* open
    const refusal = (purchaseId: string, load = "AU_1_7") => failed(telco.buySim(purchase(purchaseId, { load })))
    fake.state.balance = 9_999
    expect(yield* refusal("pur-1")).toMatchObject({ _tag: "Telco.Refused", reason: "no_balance" })
    fake.state.balance = 1_000_000
    fake.state.isOutOfStock = true
    expect(yield* refusal("pur-2")).toMatchObject({ _tag: "Telco.Refused", reason: "sold_out" })
    fake.state.isOutOfStock = false
    expect(yield* refusal("pur-3", "FR_1_7")).toMatchObject({ _tag: "Telco.Refused", reason: "sold_out" })
    fake.catalogue.splice(0)
    expect(yield* refusal("pur-4")).toMatchObject({ _tag: "Telco.Refused", reason: "sold_out" })
    expect(yield* refusal("pur-1")).toMatchObject({ reason: "no_balance" })
    expect(fake.profiles).toHaveLength(0)
  })

  Tests.scoped("is found if the order that has spent the money is refused when it is repeated", function* () {
    const { fake, telco } = yield* open
    fake.state.balance = 10_000
    fake.state.refusesFirst = true
    fake.befall("/esim/order", "answer lost")
    expect((yield* failed(telco.buySim(purchase("pur-1"))))._tag).toBe("Telco.Unavailable")
    const bought = yield* telco.buySim(purchase("pur-1"))
    expect(bought.cost?.units).toBe(10_000)
    expect(fake.profiles).toHaveLength(1)
  })

  Tests.scoped("is found before it is ordered again long after, if the supplier has forgotten its id", function* () {
    const { fake, journal, telco } = yield* open
    fake.befall("/esim/order", "answer lost")
    yield* failed(telco.buySim(purchase("pur-1")))
    fake.state.forgetsKeys = true
    const later = yield* Opened.process(fake, journal, { lateMillis: 0 })
    yield* later.telco.buySim(purchase("pur-1"))
    expect(fake.profiles).toHaveLength(1)
  })

  Tests.scoped("is not refused while an order without an answer may still come", function* () {
    const { fake, journal } = yield* open
    const { telco } = yield* Opened.process(fake, journal, { lateMillis: 3_600_000 })
    fake.befall("/esim/order", "late")
    yield* failed(telco.buySim(purchase("pur-1")))
    fake.state.isOutOfStock = true
    expect((yield* failed(telco.buySim(purchase("pur-1"))))._tag).toBe("Telco.Unavailable")
    fake.state.isOutOfStock = false
    fake.settle()
    yield* telco.buySim(purchase("pur-1"))
    expect(fake.profiles).toHaveLength(1)
  })

  Tests.scoped("is bought although its bundle is sold no more, if the order was made", function* () {
    const { fake, journal, telco } = yield* open
    fake.befall("/esim/order", "answer lost")
    yield* failed(telco.buySim(purchase("pur-1")))
    fake.catalogue.splice(0)
    const other = yield* Opened.process(fake, journal)
    expect(yield* other.telco.buySim(purchase("pur-1"))).toMatchObject({ subscriberId: "23110111420001", sellBy: null })
  })

  Tests.scoped("is not bought by a wrong access code, which is in no message", function* () {
    const { fake, journal } = yield* open
    const { telco } = yield* Opened.process(fake, journal, { accessCode: "wrong-secret" })
    const failure = yield* failed(telco.buySim(purchase("pur-1")))
    expect(failure._tag).toBe("Telco.Unavailable")
    expect(failure.message).toContain("101003")
    expect(failure.message).not.toContain("wrong-secret")
  })

  Tests.scoped("is not bought where nothing listens, and the calls are certainly not done", function* () {
    const { fake, journal } = yield* open
    const { url } = yield* Effect.scoped(FakeEsimAccess.make)
    const { balance, telco } = yield* Opened.process(fake, journal, { url })
    expect((yield* failed(telco.buySim(purchase("pur-1"))))._tag).toBe("Telco.Unavailable")
    expect((yield* Effect.flip(balance)).message).toContain("ECONNREFUSED")
  })
})

describe("A SIM that is given back to eSIM Access", () => {
  Tests.scoped("is credited once, also if the answer is lost", function* () {
    const { fake, telco } = yield* open
    const { iccid } = yield* telco.buySim(purchase("pur-1"))
    fake.befall("/esim/cancel", "answer lost")
    expect((yield* failed(telco.returnSim({ purchaseId: "pur-1", iccid })))._tag).toBe("Telco.Unavailable")
    expect((yield* failed(telco.createPackage(order(iccid))))._tag).toBe("Telco.Unavailable")
    expect(yield* telco.returnSim({ purchaseId: "pur-1", iccid })).toBe("credit")
    expect(yield* telco.returnSim({ purchaseId: "pur-1", iccid })).toBe("credit")
    expect(fake.state.balance).toBe(1_000_000)
    expect((yield* failed(telco.createPackage(order(iccid))))._tag).toBe("Telco.Refused")
  })

  Tests.scoped("is refused once it is on a phone, and while a package has it", function* () {
    const { fake, telco } = yield* open
    const { iccid } = yield* telco.buySim(purchase("pur-1"))
    yield* telco.createPackage(order(iccid))
    expect(yield* failed(telco.returnSim({ purchaseId: "pur-1", iccid }))).toMatchObject({
      _tag: "Telco.Refused",
      message: "The package attachment:0 is on the SIM 8985200000000000001"
    })
    yield* telco.cancelPackage({ packageId: "attachment:0", iccid })
    const [profile] = fake.profiles
    if (profile !== undefined) profile.smdpStatus = "INSTALLATION"
    expect((yield* failed(telco.returnSim({ purchaseId: "pur-1", iccid })))._tag).toBe("Telco.Refused")
    // It can be used again, since it was not given back.
    yield* telco.createPackage(order(iccid, { packageId: "second:0" }))
  })

  Tests.scoped("may be sold again to somebody else, of whom the former customer's packages know nothing", function* () {
    const { fake, purchases, telco } = yield* open
    const { iccid } = yield* telco.buySim(purchase("pur-1"))
    yield* telco.createPackage(order(iccid, { packageId: "former:0" }))
    yield* telco.cancelPackage({ packageId: "former:0", iccid })
    fake.befall("/esim/cancel", "answer lost")
    yield* failed(telco.returnSim({ purchaseId: "pur-1", iccid }))
    const again = yield* telco.buySim(purchase("pur-2"))
    expect(again).toMatchObject({ iccid, subscriberId: "23110111420002" })
    // What was not answered before is about the former eSIM.
    expect(yield* telco.returnSim({ purchaseId: "pur-1", iccid })).toBe("credit")
    expect(fake.profiles.map(({ esimStatus }) => esimStatus)).toEqual(["CANCEL", "GOT_RESOURCE"])
    expect(yield* purchases.boughtOf(iccid)).toMatchObject({ purchaseId: "pur-2", packages: {} })
    expect((yield* failed(telco.createPackage(order(iccid, { packageId: "former:0" }))))._tag).toBe("Telco.Refused")
    const made = yield* telco.createPackage(order(iccid, { packageId: "later:0" }))
    expect(made.telcoPackageId).toBe("23110111420002")
    const [former, later] = fake.profiles
    if (former !== undefined) former.orderUsage = 5_000
    if (later !== undefined) later.orderUsage = 70
    expect(yield* telco.readUsage({ iccid, stopped: [] })).toEqual([{ packageId: "later:0", usedBytes: 70 }])
  })

  it("says of a refusal why", () => {
    const failure = new CallFailure.CallFailure({ outcome: "Refused", message: "no", reason: "sold_out" })
    expect(CallFailure.toPort(failure)).toMatchObject({ _tag: "Telco.Refused", reason: "sold_out" })
  })
})
