/**
 * What a request about one SIM reads: no attachments but those that it is about (rule W13). A
 * subscription may have hundreds, each with its texts.
 */
import { Context, Effect, Layer } from "effect"
import { Attachments, Commands, Messages, Services, Sims, Subscriptions, Wallet } from "simplan"
import * as Memory from "simplan/memory"
import { Clocks, Storage } from "simplan/ports"
import { expect, it } from "vitest"
import * as Shop from "../../setup/Shop.ts"
import * as Ports from "../Ports.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const iccid = "8933010000000000001"

const storage = (all: Array<string>) =>
  Layer.effectContext(
    Effect.map(Layer.build(Memory.layer), (context) => {
      const plain = Context.get(context, Storage.Storage)
      const { simAggregates, subscriptions } = plain
      const counted =
        <Of, A>(name: string, read: (of: Of) => A, isWhole: (of: Of) => boolean = () => true) =>
        (of: Of) => {
          if (isWhole(of)) all.push(name)
          return read(of)
        }
      return Context.add(context, Storage.Storage, {
        ...plain,
        simAggregates: { ...simAggregates, get: counted("aggregate", simAggregates.get) },
        subscriptions: {
          ...subscriptions,
          attachments: counted("attachments", subscriptions.attachments, ({ id }) => id === undefined)
        }
      })
    })
  )

it("a request about one SIM reads no attachments that it does not answer", () => {
  const all: Array<string> = []
  const ports = Layer.mergeAll(storage(all), Ports.make(Clocks.virtual(NOW)))
  return Effect.gen(function* () {
    const organizationId = yield* Shop.open([iccid])
    const sims = yield* Sims.Sims
    const subscriptions = yield* Subscriptions.Subscriptions
    const attachments = yield* Attachments.Attachments
    const { planId } = yield* Shop.createPlan(organizationId)
    const of = { organizationId, iccid }
    yield* Shop.subscribe({ ...of, planId })
    const [first] = yield* attachments.list(of)
    const attachmentId = first?.attachment.attachmentId ?? ""

    all.length = 0
    expect(yield* subscriptions.lastOperator(of)).toBe(null)
    expect(yield* sims.get(of)).toMatchObject({ iccid })
    expect(yield* sims.smdpInfo(of)).toMatchObject({ history: [] })
    expect(yield* attachments.get({ ...of, id: attachmentId })).toMatchObject({ state: "PENDING_FOR_FIRST_USE" })
    expect(yield* attachments.get({ ...of, id: planId })).toMatchObject({ attachment: { attachmentId } })
    yield* (yield* Messages.Messages).send({ ...of, from: "Shop", text: "Hello" })
    yield* (yield* Wallet.Wallet).setMobilePlan({ ...of, label: "Green", apply: true })
    const message = { _tag: "SendSms", iccid, from: "Shop", text: "Hello" } as const
    yield* (yield* Commands.Commands).submit({ organizationId, request: message, idempotencyKey: null })
    yield* attachments.suspend({ ...of, attachmentId })
    expect(yield* attachments.get({ ...of, id: attachmentId })).toMatchObject({ state: "SUSPENDED" })
    expect(all).toEqual([])
  }).pipe(Effect.scoped, Effect.provide(Layer.provide(Services.layer, ports)), Effect.runPromise)
})
