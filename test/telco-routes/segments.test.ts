/** The answer to an SMS says in how many segments its telco has sent it. */
import { Effect, Stream } from "effect"
import { Messages, Sims, Subscriptions } from "simplan"
import { beforeEach, expect, it, onTestFinished } from "vitest"
import * as FakeOcs from "../fakes/ocs/Fake.mjs"
import * as FakeSmsc from "../fakes/smsc/FakeSmsc.ts"
import * as World from "./World.ts"
import * as Tests from "../setup/Tests.ts"

let ocs: FakeOcs.Fake
beforeEach(async () => {
  ocs = await FakeOcs.start({ subscribers: 1, token: "a-secret-token" })
  onTestFinished(() => ocs.close())
})

/** Sends texts to a SIM in service; the segments of each answer. */
const send = (iccid: string, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { organizationId } = yield* World.organization
    const { planId } = yield* World.plan(organizationId, "Green")
    const row = { iccid, label: "Green", isEsim: true, msisdn: "46700000018" } as const
    yield* Sims.Sims.use((of) => of.importRows({ organizationId, rows: Stream.make(row) }))
    const request = { organizationId, planId, metadata: "", iccid, activePeriod: null }
    yield* Subscriptions.Subscriptions.use((of) => of.create(request))
    return yield* Effect.forEach(texts, (text) =>
      Effect.map(
        Messages.Messages.use((of) => of.send({ organizationId, iccid, from: "simplan", text })),
        ({ segments }) => segments
      )
    )
  })

const texts = ["Hello", "a".repeat(310), "é".repeat(160), "Тест 😊".repeat(11), "[".repeat(81)]

it("over a charging system, which has pieces of its own", async () => {
  const telcos = {
    sandbox: { kind: "simulator" },
    ocs: { kind: "ocs", url: ocs.url, url_v2: ocs.urlV2, token: { env: "OCS" }, reseller_id: 1 }
  }
  const settings = World.settings(telcos, [{ packages: "sandbox", sms: "ocs" }], { OCS: "a-secret-token" })
  const world = await World.start(settings)
  const [{ iccid } = expect.fail()] = ocs.books().subscribers
  const answers = await world.run(send(iccid, texts))
  const sent = ocs.books().messages.map(({ text }) => text)
  expect(sent.join("")).toBe(texts.join(""))
  expect(answers).toEqual([1, 2, 3, 2, 2])
  expect(answers.reduce((sum, one) => sum + one)).toBe(sent.length)
})

Tests.scoped("over an SMSC, in the alphabet that the file names", function* () {
  const smsc = yield* FakeSmsc.make
  const telcos = {
    sandbox: { kind: "simulator" },
    smsc: { kind: "smpp", url: smsc.url, password: { env: "SMSC" }, alphabet: "ascii" }
  }
  const settings = World.settings(telcos, [{ packages: "sandbox", sms: "smsc" }], { SMSC: FakeSmsc.password })
  const world = yield* Effect.promise(() => World.start(settings))
  const answers = yield* Effect.promise(() => world.run(send(World.iccid(), texts)))
  expect(smsc.taken.map(({ dataCoding }) => dataCoding)).toEqual([0, 0, 0, 0, 8, 8, 8, 8, 8, 0, 0])
  expect(answers).toEqual([1, 3, 3, 2, 2])
})

it("by the standard over a telco that does not say it", async () => {
  const settings = World.settings({ sandbox: { kind: "simulator" } }, [{ packages: "sandbox" }])
  const world = await World.start(settings)
  expect(await world.run(send(World.iccid(), texts))).toEqual([1, 3, 1, 2, 2])
})
