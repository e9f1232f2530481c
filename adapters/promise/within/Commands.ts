/**
 * Commands of Promise hosts (rule H1): submitting one inside the host's transaction, and waiting for its outcome.
 */
import { Effect } from "effect"
import { Commands } from "simplan"
import { Command, Idempotency } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import { named } from "../resources/Commands.ts"
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
        Effect.map(commands.submit(submission), ({ commandId }) => ({
          id: Command.publicId({ organizationId, commandId })
        }))
      )
    })

/** A method that waits for the outcome of a command whose answer is of this kind. */
export const settled =
  <Kind extends keyof Idempotency.Answers, A>(
    runtime: Runtime,
    name: string,
    kind: Kind,
    shape: (answer: Idempotency.Answers[Kind]) => A
  ) =>
  async (id: unknown, options?: CallOptions): Promise<A> => {
    const of = named(name, id)
    const effect = Effect.flatMap(Commands.Commands, (commands) => commands.settled(of))
    const answer = await runtime.run({ method: name, request: { id } }, effect, Methods.checkedOptions(name, options))
    const answered = Idempotency.kinds[kind].read(answer)
    if (answered === undefined) throw Arguments.invalid(name, "id", "must be that of a command of this group", id)
    return shape(answered.value)
  }
