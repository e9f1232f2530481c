/** The SIMs of an account as an import takes them. */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { CallFailure } from "../../../adapters/telco-calls/index.ts"
import { Api, Inventory } from "../../../adapters/telco-ocs/index.ts"
import * as Model from "../Model.ts"

const subscriber = {
  subscriberId: 21,
  iccid: "8937204017170000117",
  imsi: "248029018000011",
  msisdn: "3728803101011",
  simId: 369,
  isEsim: true,
  smdpServer: "smdp.io",
  activationCode: "K2-1",
  network: null,
  status: null,
  mobilePlanId: null
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

/** The nth SIM of a batch; each batch has numbers of its own. */
const sim = (accountId: number, batch: number, n: number): Api.ListedSubscriber => ({
  ...subscriber,
  accountId,
  subscriberId: batch * 1_000_000 + n,
  iccid: `8937204${String(batch).padStart(6, "0")}${String(n).padStart(6, "0")}`,
  imsi: `24802${String(batch).padStart(5, "0")}${String(n).padStart(5, "0")}`,
  msisdn: `372${String(batch).padStart(4, "0")}${String(n).padStart(4, "0")}`
})

const batch = (accountId: number, of: number, count: number, first = 0) =>
  Array.from({ length: count }, (_, n) => sim(accountId, of, first + n))

interface System {
  readonly all: ReadonlyArray<Api.ListedSubscriber>
  readonly most: number
  readonly odd?: ReadonlyArray<Api.OddRow>
  readonly countsAll?: boolean
  readonly failing?: (by: Api.ListedBy) => CallFailure.CallFailure | null
}

const matches = (by: Api.ListedBy, one: Api.ListedSubscriber): boolean => {
  if ("accountId" in by) return one.accountId === by.accountId
  if ("iccidPrefix" in by) return one.iccid.startsWith(by.iccidPrefix)
  return "imsiPrefix" in by
    ? one.imsi?.startsWith(by.imsiPrefix) === true
    : one.msisdn?.startsWith(by.msisdnPrefix) === true
}

/** Reads account 1 of a system that lists at most so many; what it was asked by. */
const read = async ({ all, failing = () => null, most, odd = [], countsAll = true }: System) => {
  const asked: Array<Api.ListedBy> = []
  const api = Api.Api.of({
    ...Model.make().api,
    subscribersBy: (by) =>
      Effect.suspend(() => {
        asked.push(by)
        const failure = failing(by)
        if (failure !== null) return Effect.fail(failure)
        const found = all.filter((one) => matches(by, one))
        const oddOnes = odd.filter(({ accountId }) => !("accountId" in by) || accountId === by.accountId)
        return Effect.succeed({
          subscribers: found.slice(0, most),
          withoutCard: [],
          odd: oddOnes,
          hasMore: found.length > most,
          found: countsAll ? found.length + oddOnes.length : null
        })
      })
  })
  const inventory = await Effect.runPromise(Effect.provide(Inventory.read(1), Layer.succeed(Api.Api, api)))
  return { ...inventory, asked }
}

const ids = (subscribers: ReadonlyArray<Api.ListedSubscriber>) =>
  subscribers.map(({ subscriberId }) => String(subscriberId)).sort()

const rowIds = ({ rows }: Inventory.Inventory) => rows.map(({ subscriberId }) => subscriberId).sort()

describe("The SIMs of an account", () => {
  it("are read at once where the list is not cut", async () => {
    const all = batch(1, 7, 5)
    const found = await read({ all, most: 5 })
    expect([rowIds(found), found.missing, found.asked]).toEqual([ids(all), null, [{ accountId: 1 }]])
  })

  it("are gone through by a thousand at a time, between which others have their turn", async () => {
    let turns = 0
    const turn = () => {
      turns += 1
      immediate = setImmediate(turn)
    }
    let immediate = setImmediate(turn)
    const found = await read({ all: batch(1, 7, 9_000), most: 9_000 })
    clearImmediate(immediate)
    expect(found.rows).toHaveLength(9_000)
    expect(turns).toBeGreaterThanOrEqual(16)
  })

  it("are read by longer and longer prefixes where it is, and those of other accounts are left out", async () => {
    const own = batch(1, 7, 250)
    const found = await read({ all: [...batch(2, 7, 40, 500), ...own, ...batch(2, 7, 300, 1_000)], most: 12 })
    expect(rowIds(found)).toEqual(ids(own))
    expect(found.missing).toBeNull()
  })

  it("are found in other batches beside those that are known, and by their IMSIs and phone numbers", async () => {
    const beside = [...batch(1, 7, 30), ...batch(1, 8, 30), ...batch(1, 9, 30)]
    expect(rowIds(await read({ all: beside, most: 10 }))).toEqual(ids(beside))
    // A SIM of another batch has an IMSI, or a phone number, of the first one.
    const [swapped = expect.fail()] = batch(1, 100, 1)
    for (const of of [{ imsi: "248020000700999" }, { msisdn: "37200070999" }]) {
      const apart = [...batch(1, 7, 30), { ...swapped, ...of }, ...batch(1, 100, 30, 1)]
      const found = await read({ all: apart, most: 10 })
      expect([rowIds(found), found.missing]).toEqual([ids(apart), null])
    }
  })

  it("that no prefix finds are known to be missing", async () => {
    const near = batch(1, 7, 30)
    const found = await read({ all: [...near, ...batch(1, 500, 12)], most: 10 })
    expect(rowIds(found)).toEqual(ids(near))
    expect(found.missing).toBe("Account 1 has 42 SIMs, of which the system lists 30")
  })

  it("may be missing where the system does not say how many there are", async () => {
    const all = batch(1, 7, 30)
    const found = await read({ all, most: 10, countsAll: false })
    expect(rowIds(found)).toEqual(ids(all))
    expect(found.missing).toMatch(/^The system does not list all SIMs of account 1 at once, nor say how many/)
  })

  it("are those that could be read where a call of a prefix fails", async () => {
    const all = batch(1, 7, 30)
    const failed = new CallFailure.CallFailure({ outcome: "NotDone", message: "Too many calls" })
    const found = await read({ all, most: 10, failing: (by) => ("accountId" in by ? null : failed) })
    expect(rowIds(found)).toEqual(ids(all.slice(0, 10)))
    expect(found.missing).toBe("The rest of account 1 cannot be read now: Too many calls")
    const none = new CallFailure.CallFailure({ outcome: "NotFound", message: "6 DB_NOT_FOUND" })
    const empty = await read({ all, most: 10, failing: (by) => ("accountId" in by ? null : none) })
    expect(empty.missing).toBe("Account 1 has 30 SIMs, of which the system lists 10")
  })

  it("are read beside rows that cannot be, which count", async () => {
    const all = batch(1, 7, 30)
    const odd = [1, 2].map((accountId) => ({ key: `${accountId}`, accountId, iccid: null, message: "odd" }))
    const found = await read({ all, most: 10, odd })
    expect([rowIds(found), found.odd, found.missing]).toEqual([ids(all), odd.slice(0, 1), null])
  })
})
