/** The SIMs of an account as an import takes them. */
import { describe, expect, it } from "vitest"
import { Inventory } from "../../../adapters/telco-ocs/index.ts"

const subscriber = {
  subscriberId: 21,
  iccid: "8937204017170000117",
  imsi: "248029018000011",
  msisdn: "3728803101011",
  simId: 369,
  isEsim: true,
  smdpServer: "smdp.io",
  activationCode: "K2-1",
  network: null
}

describe("A subscriber as a row of an import", () => {
  it("has its activation code, IMSI, phone number and id", () => {
    expect(Inventory.rowOf(subscriber)).toEqual({
      iccid: subscriber.iccid,
      isEsim: true,
      lpa: "LPA:1$smdp.io$K2-1",
      imsi: "248029018000011",
      msisdn: "3728803101011",
      subscriberId: "21"
    })
    expect(Inventory.rowOf({ ...subscriber, imsi: null, msisdn: null })).toMatchObject({ imsi: null, msisdn: null })
  })

  it("goes without what is no IMSI or phone number, for which the whole row would be refused", () => {
    const odd = Inventory.rowOf({ ...subscriber, imsi: "1", msisdn: "unknown" })
    expect(odd).toMatchObject({ imsi: null, msisdn: null, subscriberId: "21" })
    expect(Inventory.rowOf({ ...subscriber, imsi: "1", msisdn: "+3728803101011" })).toMatchObject({
      imsi: null,
      msisdn: "3728803101011"
    })
  })
})
