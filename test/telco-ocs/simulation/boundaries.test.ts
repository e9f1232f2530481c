/**
 * An order over HTTP, with the connection cut at each byte of its answer and all over its request:
 * the caller's repetitions and the watch time leave exactly one package.
 */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Fake from "../../fakes/ocs/Fake.mjs"
import * as Cutting from "../Cutting.ts"
import * as Stack from "../Stack.ts"

let ocs: Fake.Fake
let network: Cutting.Network
/** The cut of the next order of this ICCID. */
const cuts = new Map<string, Cutting.Cut>()
let next = 0

beforeAll(async () => {
  ocs = await Fake.start({ subscribers: 1_000 })
  network = await Cutting.start(Number(new URL(ocs.origin).port), (request) => {
    const [, iccid = ""] = /"affectPackageToSubscriber".*"iccid":"(\d+)"/.exec(request) ?? []
    const cut = cuts.get(iccid) ?? null
    cuts.delete(iccid)
    return cut
  })
})
afterAll(async () => {
  await network.close()
  await ocs.close()
})

const freshIccid = () => Fake.iccidOf(++next)

const packagesOf = (iccid: string) => ocs.books().packages.filter((one) => one.iccid === iccid)

const isLeft = ({ deletedAt }: Fake.Package): boolean => deletedAt === null

/** Each nth byte up to a length, with those at both ends. */
const bytes = (length: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: length + 1 }, (_, byte) => byte).filter((byte) => byte % step === 0 || byte === length)

describe("leaves exactly one package if the connection ends", { timeout: 240_000 }, () => {
  const window = { start: Date.UTC(2040, 0, 1), end: Date.UTC(2040, 0, 8) }

  const throughout = async (of: Cutting.Cut["of"], step: number) => {
    const iccids = await Effect.runPromise(
      Effect.gen(function* () {
        yield* Stack.create(freshIccid(), window)
        const length = network.lengths()[of]
        const cut = bytes(length, step).map((after) => ({ iccid: freshIccid(), after }))
        for (const { after, iccid } of cut) cuts.set(iccid, { of, after })
        yield* Effect.forEach(cut, ({ after, iccid }) => Stack.create(iccid, after % 2 === 0 ? null : window), {
          concurrency: 8
        })
        yield* Stack.settle
        return cut.map(({ iccid }) => iccid)
      }).pipe(Effect.provide(Stack.layer(`http://127.0.0.1:${network.port}`)))
    )
    expect(iccids.length).toBeGreaterThan(50)
    expect(cuts.size).toBe(0)
    expect(iccids.filter((iccid) => packagesOf(iccid).filter(isLeft).length !== 1)).toEqual([])
    return iccids.map((iccid) => packagesOf(iccid).length)
  }

  it("within the request, before it or right after it", async () => {
    const counts = await throughout("request", 6)
    // The system has never done part of a request, and what it did was found.
    expect(Math.max(...counts)).toBe(1)
  })

  it("before, after or within the answer, at each of its bytes", async () => {
    const counts = await throughout("answer", 1)
    // The adapter has found the package instead of ordering another one.
    expect(Math.max(...counts)).toBe(1)
  })
})
