/**
 * Commands (rule H1): submitting one inside the host's transaction, waiting for its outcome, and
 * the list of them.
 */
import { Effect, Schema } from "effect"
import { Commands, Refusal } from "simplan"
import { Command, Idempotency } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import type { CallOptions, WriteOptions } from "../types/Calls.ts"
import type * as Types from "../types/Within.ts"
import type { Submitted } from "../types/Within.ts"
import { Fields } from "../../fields/index.ts"

const shape = (command: Command.Command): Types.Command => {
  const { createdAt, organizationId, outcome, request, settledAt } = command
  const refusal = outcome._tag === "Refused" ? outcome.refusal : null
  return {
    organizationId,
    id: Command.publicId(command),
    method: Command.methods[request._tag],
    metadata: Command.metadata(request),
    state: Command.stateOf(command),
    code: refusal && Refusal.code(refusal),
    message: refusal && Refusal.sentence(refusal),
    createdAt: Arguments.toDate(createdAt),
    settledAt: Arguments.toDateOrNull(settledAt)
  }
}

const filter = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    state: Schema.optional(Fields.oneOf(Command.states))
  })
)

/** The command of an id that the host was given. Throws an `InvalidFieldError`. */
export const named = (method: string, id: unknown): Command.Key => {
  const key = Command.ofPublicId(String(id))
  if (key === undefined) {
    throw Arguments.invalid(method, "id", "must be the id that a call inside of a transaction has given", id)
  }
  return key
}

const service = Commands.Commands

type Service = Commands.Commands["Service"]

/** A method that is about one command. */
const oneOf =
  <A>(runtime: Runtime, name: string, use: (commands: Service, of: Command.Key) => Effect.Effect<A, unknown>) =>
  async (id: unknown, options?: CallOptions): Promise<A> => {
    const target = named(name, id)
    const effect = Effect.flatMap(service, (commands) => use(commands, target))
    return runtime.run({ method: name, request: { id } }, effect, Methods.checkedOptions(name, options))
  }

export const make = (runtime: Runtime): Types.Commands => ({
  list: Methods.paging(
    runtime,
    { name: "commands.list", decode: filter },
    Methods.byCreation,
    ({ organizationId, state = null }, page) =>
      Effect.flatMap(service, (commands) => commands.page({ organizationId, state, ...page })),
    shape
  ),
  get: oneOf(runtime, "commands.get", (commands, of) => Effect.map(commands.get(of), shape)),
  cancel: oneOf(runtime, "commands.cancel", (commands, of) => commands.cancel(of))
})

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
    const target = named(name, id)
    const effect = Effect.flatMap(Commands.Commands, (commands) => commands.settled(target))
    const answer = await runtime.run({ method: name, request: { id } }, effect, Methods.checkedOptions(name, options))
    const answered = Idempotency.kinds[kind].read(answer)
    if (answered === undefined) throw Arguments.invalid(name, "id", "must be that of a command of this group", id)
    return shape(answered.value)
  }
