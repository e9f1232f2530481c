/**
 * Operators of the service over several processes: their tokens, and who knows of their end when
 * (rule W14).
 */
import { Effect } from "effect"
import { AuditLog, Clock, Organizations, ServiceOperators, Time } from "simplan"
import { AuditEntry } from "simplan/ports"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Processes from "../Processes.ts"

const WITHIN = 5 * Time.SECOND

let world: Awaited<ReturnType<typeof Processes.make>>
let one: ReturnType<typeof world.process>
beforeEach(async () => {
  world = await Processes.make()
  one = world.process()
})
afterEach(() => world.close())

const request = { name: "Ada", role: "support", organizationId: null, expiresAt: null } as const

type Process = typeof one

const ask = <A, E>(process: Process, use: (of: ServiceOperators.ServiceOperators["Service"]) => Effect.Effect<A, E>) =>
  process.run(Effect.result(ServiceOperators.ServiceOperators.use(use)))

const create = (changes: object = {}) =>
  one.run(ServiceOperators.ServiceOperators.use((of) => of.create({ ...request, ...changes })))

const rotate = (operatorId: string) => one.run(ServiceOperators.ServiceOperators.use((of) => of.rotate({ operatorId })))

const remove = (operatorId: string) => one.run(ServiceOperators.ServiceOperators.use((of) => of.delete({ operatorId })))

const isTaken = async (process: Process, token: string): Promise<boolean> =>
  (await ask(process, (of) => of.authenticate(token)))._tag === "Success"

describe("W14: the token of an operator", () => {
  it("names it in every process, and is no guess where it was made or found valid", async () => {
    const other = world.process()
    const { operator, token } = await create({ role: "read" })
    const known = (process: Process) =>
      process.run(ServiceOperators.ServiceOperators.use((of) => Effect.sync(() => of.isKnown(token))))
    expect([await known(one), await known(other)]).toEqual([true, false])
    for (const process of [one, other]) {
      expect(await ask(process, (of) => of.authenticate(token))).toMatchObject({
        success: {
          operator: { operatorId: operator.operatorId, name: "Ada", role: "read", organizationId: null },
          tokenEndsAt: null
        }
      })
    }
    expect(await known(other)).toBe(true)
    for (const wrong of ["", "x", `${token}0`, token.replace(/.{7}$/, "0000000")]) {
      expect(await isTaken(one, wrong)).toBe(false)
    }
  })

  it("goes on for a day after a rotation, and ends with the next one", async () => {
    const other = world.process()
    const { operator, token } = await create()
    const { token: second } = await rotate(operator.operatorId)
    for (const process of [one, other]) {
      expect([await isTaken(process, token), await isTaken(process, second)]).toEqual([true, true])
    }
    const { token: third } = await rotate(operator.operatorId)
    const taken = async (process: Process) => [
      await isTaken(process, token),
      await isTaken(process, second),
      await isTaken(process, third)
    ]
    for (const process of [one, other]) expect(await taken(process)).toEqual([false, true, true])
    await one.run(Clock.Clock.use((of) => of.advanceBy(Time.DAY)))
    for (const process of [one, other]) expect(await taken(process)).toEqual([false, false, true])
  })

  it("is refused from its expiry on, rotated or not", async () => {
    const now = (await create({ name: "first" })).operator.createdAt
    const { operator, token } = await create({ expiresAt: now + Time.HOUR })
    const rotated = await rotate(operator.operatorId)
    for (const good of [token, rotated.token]) expect(await isTaken(one, good)).toBe(true)
    await one.run(Clock.Clock.use((of) => of.advanceBy(Time.HOUR)))
    for (const good of [token, rotated.token]) expect(await isTaken(one, good)).toBe(false)
  })

  it("is refused at once by all that are notified of a deletion, and within 5 s by one that is not", async () => {
    const [other, deaf] = [world.process(), world.process({ isDeaf: true })]
    const { operator, token } = await create()
    for (const process of [one, other, deaf]) expect(await isTaken(process, token)).toBe(true)
    const { deletedAt } = await remove(operator.operatorId)
    expect((await remove(operator.operatorId)).deletedAt).toBe(deletedAt)
    for (const process of [one, other]) expect(await isTaken(process, token)).toBe(false)
    expect(await isTaken(deaf, token)).toBe(true)
    await deaf.move(WITHIN)
    expect(await isTaken(deaf, token)).toBe(false)
    expect(await ask(one, (of) => of.rotate(operator))).toMatchObject({ failure: { _tag: "NotFound" } })
  })
})

describe("W14: the name of an operator", () => {
  it("is its own, whatever the process, until it is deleted", async () => {
    const { operator } = await create({ name: "  Ada " })
    expect(operator.name).toBe("Ada")
    expect(await ask(world.process(), (of) => of.create(request))).toMatchObject({
      failure: { _tag: "OperatorNameTaken", operatorName: "Ada" }
    })
    await remove(operator.operatorId)
    const heir = await create()
    const listed = await one.run(ServiceOperators.ServiceOperators.use((of) => of.page({ after: null, limit: 9 })))
    expect(listed.items.map(({ operatorId }) => operatorId)).toEqual([operator.operatorId, heir.operator.operatorId])
  })

  it("is given to one of those that ask for it at the same moment", async () => {
    const others = [one, world.process(), world.process()]
    const results = await Promise.all(others.map((process) => ask(process, (of) => of.create(request))))
    expect(results.map(({ _tag }) => _tag).sort()).toEqual(["Failure", "Failure", "Success"])
  })

  it.each([
    [{ name: " " }, { _tag: "InvalidField", field: "name" }],
    [{ name: "bootstrap" }, { _tag: "InvalidField", field: "name" }],
    [{ expiresAt: 0 }, { _tag: "InvalidField", field: "expiresAt" }],
    [{ organizationId: "none" }, { _tag: "NotFound", resource: "organization", id: "none" }]
  ])("with %j the creation is refused", async (changes, failure) => {
    expect(await ask(one, (of) => of.create({ ...request, ...changes }))).toMatchObject({ failure })
  })
})

it("W11: each change of an operator is in the service's own log", async () => {
  const { organizationId } = await one.run(Organizations.Organizations.use((of) => of.create({ name: "Acme" })))
  const { operator } = await create({ organizationId })
  await rotate(operator.operatorId)
  await remove(operator.operatorId)
  await remove(operator.operatorId)
  const filter = { from: null, to: null, actor: null, action: null, resourceId: operator.operatorId }
  const { items } = await one.run(
    AuditLog.AuditLog.use((of) => of.page({ ...filter, organizationId: AuditEntry.SERVICE, after: null, limit: 9 }))
  )
  expect(items.map(({ action }) => action)).toEqual(["operator.delete", "operator.rotate", "operator.create"])
})
