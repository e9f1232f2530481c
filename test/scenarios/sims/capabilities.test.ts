/** Rule P4: what a telco cannot do is refused before anything happens, previews included. */
import { Effect, Result } from "effect"
import { Attachments, Commands, Messages, Pauses, Plans, Subscriptions, Wallet } from "simplan"
import type { Capabilities } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Calls from "../Calls.ts"
import { make, START, type World } from "../World.ts"

/** A supplier that sells bundles, and nothing else. */
const data: Partial<Capabilities.Capabilities> = {
  suspension: "sim",
  windows: false,
  throttling: false,
  volumes: false,
  sms: { longest: 5, senders: ["eSIM"] },
  topUps: { most: 10, afterExpiry: false, kept: "merged" },
  mobilePlans: false
}

const start = (capabilities: Partial<Capabilities.Capabilities>) => make({}, { capabilities })

const setBundle = ({ organizationId, run }: World, planId: string, load = "1 GB") =>
  run(
    Effect.result(
      Plans.Plans.use((of) => of.setBundle({ organizationId, planId, bundle: { load, topUpLoad: null, limit: null } }))
    )
  )

const said = <A, E extends { readonly _tag: string; readonly message: string }>(answer: Result.Result<A, E>) =>
  Result.isFailure(answer) ? `${answer.failure._tag}: ${answer.failure.message}` : "done"

/** What a creation, its preview and a command of it are refused with; the three say the same. */
const refusal = async (world: World, planId: string, more: { iccid?: string; start?: number } = {}) => {
  const { organizationId, run } = world
  const { iccid = null, start } = more
  const activePeriod = start === undefined ? null : { start, end: start + 86_400_000 }
  const request = { planId, iccid, metadata: "", activePeriod }
  const answers = [
    said(await Calls.create(world, { planId, ...(iccid !== null && { iccid }), ...(activePeriod ?? {}) })),
    said(
      await run(
        Effect.result(Subscriptions.Subscriptions.use((of) => of.previewCreate({ organizationId, ...request })))
      )
    ),
    said(
      await run(
        Effect.result(
          Commands.Commands.use((of) =>
            of.submit({ organizationId, request: { _tag: "CreateSubscription", ...request }, idempotencyKey: null })
          )
        )
      )
    )
  ]
  expect(new Set(answers).size).toBe(1)
  return answers[0]
}

const refused = <A, E extends { readonly _tag: string; readonly message: string }>(answer: Result.Result<A, E>) =>
  Result.isFailure(answer) ? answer.failure._tag : "done"

describe("P4: a telco that sells bundles only", () => {
  it("takes no plan that it cannot carry, and is asked for nothing", async () => {
    const world = await start(data)
    const free = await world.importSims(1)
    const throttled = world.createPlan({ throttling: [25, 50, 75].map((percentage) => ({ percentage, limit: "512" })) })
    await expect(throttled).rejects.toMatchObject({ _tag: "NotSupported" })
    const recurrence = { periodicity: "Daily", frequency: 1, occurrences: 3 } as const
    await expect(world.createPlan({ recurrence })).rejects.toMatchObject({
      _tag: "NotSupported",
      message:
        "The telco of the SIM begins packages at their first use, and at no other time: a plan cannot recur there"
    })
    const planId = await world.createPlan()
    expect(await refusal(world, planId)).toBe(
      "NotSupported: The telco of the SIM sells bundles only, and the plan is none of them"
    )
    expect(refused(await setBundle(world, planId))).toBe("done")
    expect(await refusal(world, planId, { start: START + 86_400_000 })).toContain("NotSupported: ")
    expect(await world.telcoPackages()).toEqual([])
    expect(await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.sales))).toEqual([])
    const [iccid = ""] = free
    expect((await Calls.sim(world, iccid)).allocation).toEqual({ _tag: "Free" })
  })

  it("puts no second plan on a SIM, suspends none, and takes few messages", async () => {
    const world = await start(data)
    const { organizationId, run } = world
    const planId = await world.createPlan()
    await setBundle(world, planId)
    const { attachmentId, sim } = Result.getOrThrow(await Calls.create(world, { planId }))
    const { iccid } = sim
    expect(await refusal(world, planId, { iccid })).toMatch(/^NotSupported: .*: use another SIM$/)
    expect(await world.telcoPackages()).toHaveLength(1)

    const attachment = { organizationId, iccid, attachmentId }
    const suspend = Attachments.Attachments.use((of) => of.suspend(attachment))
    const preview = Attachments.Attachments.use((of) => of.previewSuspend(attachment))
    expect(refused(await run(Effect.result(suspend)))).toBe("NotSupported")
    expect(refused(await run(Effect.result(preview)))).toBe("NotSupported")
    expect(await Calls.attachment(world, iccid)).toMatchObject({ attachment: { suspendedAt: null } })

    const send = (from: string, text: string) =>
      run(Effect.result(Messages.Messages.use((of) => of.send({ organizationId, iccid, from, text }))))
    expect(refused(await send("Shop", "hello"))).toBe("NotSupported")
    expect(refused(await send("eSIM", "hello!"))).toBe("NotSupported")
    expect(refused(await send("eSIM", "hello"))).toBe("done")
    expect(await run(TelcoSimulator.TelcoSimulator.use((of) => of.messages))).toHaveLength(1)
    const message = { _tag: "SendSms", iccid, from: "Shop", text: "hello" } as const
    const submit = Commands.Commands.use((of) => of.submit({ organizationId, request: message, idempotencyKey: null }))
    expect(refused(await run(Effect.result(submit)))).toBe("NotSupported")

    const apply = { organizationId, apply: true, label: "Green", iccid } as const
    expect(refused(await run(Effect.result(Wallet.Wallet.use((of) => of.setMobilePlan(apply)))))).toBe("NotSupported")
    expect(refused(await run(Effect.result(Pauses.Pauses.use((of) => of.pause({ organizationId, iccid })))))).toBe(
      "done"
    )
  })
})

describe("P4: a telco that sells no bundles", () => {
  it("has no plan that is one", async () => {
    const world = await start({ bundles: false, pause: false })
    const { organizationId, run } = world
    const planId = await world.createPlan()
    const answer = await setBundle(world, planId)
    expect(Result.isFailure(answer) && answer.failure).toMatchObject({
      _tag: "NotSupported",
      message: "The telco of the SIM sells no bundles: the plan cannot be one"
    })
    const [iccid = ""] = await world.importSims(1)
    Result.getOrThrow(await Calls.create(world, { planId }))
    const paused = run(Effect.result(Pauses.Pauses.use((of) => of.pause({ organizationId, iccid }))))
    const previewed = run(Effect.result(Pauses.Pauses.use((of) => of.previewPause({ organizationId, iccid }))))
    expect([refused(await paused), refused(await previewed)]).toEqual(["NotSupported", "NotSupported"])
    expect(await run(TelcoSimulator.TelcoSimulator.use((of) => of.services))).toEqual(new Map())
  })
})
