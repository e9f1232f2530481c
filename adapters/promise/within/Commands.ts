/**
 * Commands of Promise hosts (rule H1): submitting one inside the host's transaction, and waiting for its outcome.
 */
import { Effect } from "effect"
import { Commands } from "simplan"
import { type Command, Idempotency } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type { CallOptions, WriteOptions } from "../types/Calls.ts"
import type { Submitted } from "../types/Within.ts"

/** A method that submits a command. */
export const submitting =
  <Request extends { readonly organizationId: string }>(
    runtime: Runtime,
    method: Methods.Method<Request>,
    requestOf: (request: Request) => Command.Request
  ) =>
  async (request: unknown, options?: WriteOptions): Promise<Submitted> =>
    Methods.keyed(runtime, method, request, options, (decoded, idempotencyKey) => {
      const { organizationId } = decoded
      const submission = { organizationId, request: requestOf(decoded), idempotencyKey: idempotencyKey ?? null }
      return Effect.flatMap(Commands.Commands, (commands) =>
        Effect.map(commands.submit(submission), ({ commandId }) => ({ id: `${organizationId}:${commandId}` }))
      )
    })

const ID = /^(.{1,255}):([0-9a-f-]{36})$/

/** A method that waits for the outcome of a command whose answer is of this kind. */
export const settled =
  <Kind extends keyof Idempotency.Answers, A>(
    runtime: Runtime,
    name: string,
    kind: Kind,
    shape: (answer: Idempotency.Answers[Kind]) => A
  ) =>
  async (id: unknown, options?: CallOptions): Promise<A> => {
    const [, organizationId, commandId] = ID.exec(String(id)) ?? []
    if (organizationId === undefined || commandId === undefined) {
      throw Arguments.invalid(name, "id", "must be the id that a call inside of a transaction has given", id)
    }
    const effect = Effect.flatMap(Commands.Commands, (commands) => commands.settled({ organizationId, commandId }))
    const answer = await runtime.run({ method: name, request: { id } }, effect, Methods.checkedOptions(name, options))
    const told = Idempotency.kinds[kind].tell(answer)
    if (told === undefined) throw Arguments.invalid(name, "id", "must be that of a command of this group", id)
    return shape(told.value)
  }
