/**
 * The operators of the service: they belong to no organization, and their names and tokens are unique (rule W14).
 */
import { Effect } from "effect"
import type { Operator } from "../../domain/Operator.ts"
import { DAY } from "../../domain/Time.ts"
import type { CreatedCursor } from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

const stored = (operator: Operator): Operator => ({ ...operator, version: operator.version + 1 })

/** The cases. */
export const cases: ReadonlyArray<World.Scenario> = [
  scenario("an operator is found by its id, its name, and its present and its former token", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const { operators } = storage
      const bound = Rows.operator(world, { organizationId: world.organizationId, role: "read", expiresAt: now + DAY })
      const [plain, other] = [Rows.operator(world, { name: 'Ada "<b>" Æ 👩‍🚀 ' + world.id() }), Rows.operator(world)]
      yield* storage.commit({ operators: [bound, plain, other] })
      for (const operator of [bound, plain]) {
        yield* Suite.equals("by id", yield* operators.get(operator.operatorId), stored(operator))
        yield* Suite.equals("by name", yield* operators.named(operator.name), stored(operator))
        yield* Suite.equals("by token", yield* operators.byHash(operator.hash), stored(operator))
      }
      const { hash, hint } = Rows.apiKey(world)
      const rotated = { ...stored(plain), hash, hint, previousHash: plain.hash, previousUntil: now + DAY }
      yield* storage.commit({ operators: [rotated] })
      yield* Suite.equals("by its token", yield* operators.byHash(hash), stored(rotated))
      yield* Suite.equals("by the one before", yield* operators.byHash(plain.hash), stored(rotated))
      const again = { ...stored(rotated), hash: Rows.apiKey(world).hash, previousHash: hash }
      yield* storage.commit({ operators: [again] })
      yield* Suite.equals("by the one before the one before", yield* operators.byHash(plain.hash), null)
      yield* Suite.equals("an unknown id", yield* operators.get(world.id()), null)
      yield* Suite.equals("an unknown name", yield* operators.named(world.id()), null)
      yield* Suite.equals("a name in another case", yield* operators.named(other.name.toUpperCase()), null)
    })
  ),

  scenario("an operator is guarded by its version, its token and its name", (world) =>
    Effect.gen(function* () {
      const { storage } = world
      const operator = Rows.operator(world)
      yield* storage.commit({ operators: [operator] })
      yield* World.conflicts(world, "made again", { operators: [operator] }, "version")
      const late = { operators: [{ ...operator, version: 2 }] }
      yield* World.conflicts(world, "another version", late, "version")
      yield* World.conflicts(world, "an unknown one", { operators: [Rows.operator(world, { version: 1 })] }, "version")
      const { hash, name } = operator
      yield* World.conflicts(world, "its token", { operators: [Rows.operator(world, { hash })] }, "operator token")
      yield* World.conflicts(world, "its name", { operators: [Rows.operator(world, { name })] }, "operator name")
      const namesake = Rows.operator(world).name
      const twins = [1, 2].map(() => Rows.operator(world, { name: namesake }))
      yield* World.conflicts(world, "one name twice in a commit", { operators: twins }, "operator name")
      yield* Suite.equals("what is stored", yield* storage.operators.named(name), stored(operator))
      yield* Suite.equals("what is not", yield* storage.operators.named(namesake), null)

      const deleted = { ...stored(operator), deletedAt: world.now }
      yield* storage.commit({ operators: [deleted] })
      yield* Suite.equals("nobody has the name", yield* storage.operators.named(name), null)
      yield* Suite.equals("its token", yield* storage.operators.byHash(hash), stored(deleted))
      const heir = Rows.operator(world, { name })
      yield* storage.commit({ operators: [heir] })
      yield* Suite.equals("who has the name", yield* storage.operators.named(name), stored(heir))
      yield* storage.commit({ operators: [stored(deleted)] })
    })
  ),

  scenario("operators are listed oldest first, deleted ones too", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const made = [5, 1, 3].map((offset) =>
        Rows.operator(world, { createdAt: now + offset, deletedAt: offset === 3 ? now + 9 : null })
      )
      yield* storage.commit({ operators: made })
      const listed = made.toSorted((left, right) => left.createdAt - right.createdAt).map(stored)
      const found: Array<Operator> = []
      let after: CreatedCursor | null = { createdAt: now, id: "\u{10ffff}" }
      for (let page = 0; page < 3; page++) {
        const [next]: ReadonlyArray<Operator> = yield* storage.operators.page({ after, limit: 1 })
        if (next === undefined) break
        found.push(next)
        after = { createdAt: next.createdAt, id: next.operatorId }
      }
      yield* Suite.equals("one after the other", found, listed)
      const first = { createdAt: now, id: "\u{10ffff}" }
      yield* Suite.equals("at once", yield* storage.operators.page({ after: first, limit: 3 }), listed)
    })
  )
]
