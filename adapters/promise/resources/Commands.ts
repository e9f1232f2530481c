/**
 * Commands (rule H1).
 */
import { Effect, Schema } from "effect"
import { Commands, Refusal } from "simplan"
import { Command } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import * as Pages from "../Pages.ts"
import type { Runtime } from "../Runtime.ts"
import type { CallOptions } from "../types/Calls.ts"
import type * as Types from "../types/Commands.ts"

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
    state: Schema.optional(
      Schema.Literals(Command.states).annotate({ message: `must be one of ${Command.states.join(", ")}` })
    )
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
const one =
  <A>(runtime: Runtime, name: string, use: (commands: Service, of: Command.Key) => Effect.Effect<A, unknown>) =>
  async (id: unknown, options?: CallOptions): Promise<A> => {
    const of = named(name, id)
    const effect = Effect.flatMap(service, (commands) => use(commands, of))
    return runtime.run({ method: name, request: { id } }, effect, Methods.checkedOptions(name, options))
  }

export const make = (runtime: Runtime): Types.Commands => ({
  list: Methods.paging(
    runtime,
    { name: "commands.list", decode: filter },
    Pages.created,
    ({ organizationId, state = null }, page) =>
      Effect.flatMap(service, (commands) => commands.page({ organizationId, state, ...page })),
    shape
  ),
  get: one(runtime, "commands.get", (commands, of) => Effect.map(commands.get(of), shape)),
  cancel: one(runtime, "commands.cancel", (commands, of) => commands.cancel(of))
})
