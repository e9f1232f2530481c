/**
 * Commands that call one operation of the API, and print its answer. The operation's definition
 * says what they take: its query and body the flags, its path the arguments, whether there is
 * `--org`, and which credential is sent. What differs from it is said with the command.
 */
import { Context, Effect, Option, Record } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type HttpApiClient, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Api } from "simplan/http-api"
import type { Client } from "../../client/index.ts"
import * as Calls from "../client/Calls.ts"
import * as Connection from "../client/Connection.ts"
import * as Lists from "../client/Lists.ts"
import { type CommandFailed, misused } from "../output/CommandFailed.ts"
import * as Output from "../output/Output.ts"
import * as Flags from "./Flags.ts"

type Groups = (typeof Api)["groups"]

/** The name of an operation: its group, and its own. */
export type Name = { [G in keyof Groups]: `${G}.${keyof Groups[G]["endpoints"] & string}` }[keyof Groups]

type EndpointOf<N> = N extends `${infer G extends keyof Groups}.${infer Id}`
  ? Groups[G]["endpoints"][Id & keyof Groups[G]["endpoints"]]
  : never

/** What an operation answers; one that has a list as CSV too is asked for JSON. */
export type Answer<N extends Name> =
  EndpointOf<N> extends infer E extends HttpApiEndpoint.ConstraintRequest
    ? Extract<HttpApiClient.SuccessType<E["~Success"]>, object>
    : never

type ItemOf<N extends Name> = Answer<N> extends { readonly data: ReadonlyArray<infer Item> } ? Item : never

/** What is said with a command. */
export interface Options extends Flags.Otherwise {
  /** What it does, in a sentence; by default the operation's title. */
  readonly says?: string
  readonly examples?: ReadonlyArray<Command.Command.Example>
}

/** The parameters of a path. */
type Ids = Readonly<Record<string, string>>

const found = (object: object, path: string): object =>
  path.split(".").reduce((inner, name) => Reflect.get(inner, name), object)

function endpointOf(name: Name): HttpApiEndpoint.Top
function endpointOf(name: string): object {
  return found(Api.groups, name.replace(".", ".endpoints."))
}

/** Calls an operation by its name. */
export function send<N extends Name>(client: Client.Client, name: N, request: object): Effect.Effect<Answer<N>, unknown>
export function send(client: Client.Client, name: string, request: object): unknown {
  const method = found(client, name)
  return typeof method === "function" ? method(request) : Effect.die(`The API has no ${name}`)
}

type Needs = Effect.Services<ReturnType<typeof Calls.openOrganization>>

/** A command that is called, and has called nothing yet. */
export interface Called<A> {
  readonly json: boolean
  readonly sent: Effect.Success<ReturnType<ReturnType<typeof Flags.of>["read"]>>
  /** The parameters of the path, but for the organization. */
  readonly ids: Ids
  readonly isPaged: boolean
  readonly open: Effect.Effect<Opened<A>, CommandFailed, Needs>
}

/** What calls the operation, with more of its body, or of its query if it has none. */
export interface Opened<A> {
  readonly connection: Connection.Connection
  readonly params: Ids
  readonly call: (client: Client.Client, more?: object) => Effect.Effect<A, unknown>
}

interface Reached {
  readonly json: boolean
  readonly open: Effect.Effect<
    { readonly connection: Connection.Connection; readonly id?: string },
    CommandFailed,
    Needs
  >
}

type Made = Command.Command<string, never, {}, CommandFailed, Needs>

const connected = Effect.map((connection: Connection.Connection) => ({ connection }))

/** Makes a command with the flags for the address, the credential and the organization. */
const reaching = (
  endpoint: Flags.Endpoint,
  made: <const Where extends Command.Command.Config>(
    where: Where,
    reach: (given: Command.Command.Config.InferValue<Where>) => Reached
  ) => Made
): Made => {
  if (endpoint.path.startsWith("/v3/"))
    return made(Connection.keyFlags, (given) => ({ ...given, open: connected(Connection.openCustomers(given)) }))
  if (Flags.isOfOrganization(endpoint))
    return made(Flags.organization, (given) => ({ ...given, open: Calls.openOrganization(given) }))
  return made(Connection.flags, (given) => ({ ...given, open: connected(Connection.openAdmin(given)) }))
}

/** A command whose work is `run`, with flags of its own beside those of the operation. */
export const make = <N extends Name, const Own extends Command.Command.Config>(
  name: string,
  operation: N,
  { examples = [], says, ...otherwise }: Options,
  own: Own,
  run: (
    called: Called<Answer<N>>,
    own: Command.Command.Config.InferValue<Own>
  ) => Effect.Effect<void, CommandFailed, Needs>
): Made => {
  const endpoint = endpointOf(operation)
  const { flags, ids, isPaged, others, read } = Flags.of(endpoint, otherwise)
  const title = Context.getOrUndefined(endpoint.annotations, OpenApi.Summary) ?? name
  return reaching(endpoint, (where, reach) =>
    Command.make(
      name,
      { ids, others, flags, own, where },
      Effect.fnUntraced(function* (given) {
        const { json, open } = reach(given.where)
        const sent = yield* read({ ...Record.getSomes(given.flags), ...given.others })
        const { payload, query } = sent
        const opened = Effect.map(open, ({ connection, id }): Opened<Answer<N>> => {
          const params = { ...given.ids, ...(id !== undefined && { id }) }
          const request = (more?: object) =>
            payload === undefined ? { query: { ...query, ...more } } : { query, payload: { ...payload, ...more } }
          return { connection, params, call: (client, more) => send(client, operation, { params, ...request(more) }) }
        })
        yield* run({ json, sent, isPaged, ids: given.ids, open: opened }, given.own)
      })
    )
  ).pipe(Command.withDescription(says ?? `${title}.`), Command.withExamples(examples))
}

function dataOf(answer: object): Output.Row
function dataOf(answer: { readonly data?: unknown; readonly error?: unknown }): unknown {
  const { data, error: _, ...others } = answer
  return data === undefined || Object.keys(others).length > 0 ? answer : data
}

/** Fields that only the answer that makes them has. */
const secrets = ["key", "signing_key", "token"]

/** A command that prints what the operation answers. */
export const record = <N extends Name>(
  name: string,
  operation: N,
  {
    row = dataOf,
    show,
    then,
    ...options
  }: Options & {
    /** What is printed of the answer: by default its data, or all of it if there is more. */
    readonly row?: (answer: Answer<N>, ids: Ids) => Output.Row
    /** Prints the answer for people instead. */
    readonly show?: (answer: Answer<N>) => Effect.Effect<void>
    /** What people read after it. */
    readonly then?: (params: Ids) => string
  } = {}
) =>
  make(
    name,
    operation,
    options,
    {},
    Effect.fnUntraced(function* ({ ids, json, open }) {
      const { call, connection, params } = yield* open
      const answer = yield* Calls.call(connection, call)
      const printed = row(answer, ids)
      yield* show === undefined || json ? Output.record(printed, json) : show(answer)
      if (json) return
      const secret = secrets.find((field) => field in printed)
      if (secret !== undefined) yield* Output.note(`The ${secret.replace("_", " ")} is shown this once: keep it now.`)
      if (then !== undefined) yield* Output.note(then(params))
    })
  )

interface Listed<N extends Name, Row> extends Options {
  row?(item: ItemOf<N>): Row
  readonly longestPage?: number
  /** What people read after it, by another call; null: nothing. */
  readonly then?: (client: Client.Client) => Effect.Effect<string | null, unknown>
}

/**
 * A command that prints the list that the operation answers. The columns of the table are
 * `columns`, by their importance, then all other fields of `row`.
 */
export function list<N extends Name, Row = ItemOf<N>>(
  name: string,
  operation: N,
  columns: ReadonlyArray<keyof Row & string>,
  options?: Listed<N, Row>
): Made
export function list(
  name: string,
  operation: "sims.list",
  columns: ReadonlyArray<string>,
  { longestPage, row = (item) => item, then, ...options }: Listed<"sims.list", Output.Row> = {}
): Made {
  return make(
    name,
    operation,
    options,
    Lists.flags,
    Effect.fnUntraced(function* ({ isPaged, json, open }, bounds) {
      const { call, connection } = yield* open
      const print = isPaged ? Lists.print : Lists.printWhole
      yield* print(connection, { ...bounds, json }, call, row, columns, longestPage)
      const note = json || then === undefined ? null : yield* Calls.call(connection, then)
      if (note !== null) yield* Output.note(note)
    })
  )
}

/**
 * A command that does something to the one thing whose ID is given, or by another operation to all
 * that the flags take: part by part, until nothing is left.
 */
export const oneOrAll = (
  name: string,
  one: Name,
  all: Name,
  {
    counts,
    otherwise,
    such,
    ...options
  }: Options & {
    /** The field of an answer that says to how many it was done. */
    readonly counts: string
    /** Flags that say which, for an example. */
    readonly such: string
    /** What people read if there were none. */
    readonly otherwise?: string
  }
) => {
  const [field = ""] = Object.keys(Flags.of(endpointOf(one)).ids)
  const own = {
    id: Flags.id(`Its id; leave it out to ${name} all that the flags take`).pipe(Argument.optional),
    all: Flag.Boolean("all").pipe(Flag.withDescription(Flags.ALL), Flag.withDefault(false))
  }
  return make(
    name,
    all,
    options,
    own,
    Effect.fnUntraced(function* ({ json, open, sent }, given) {
      if (Option.isSome(given.id) === (given.all || Object.keys(sent.payload ?? {}).length > 0)) {
        const what = field.replace(/_id$/, "")
        return yield* misused(`Name the ID of a ${what}, or say which to ${name}, such as ${such} or --all.`)
      }
      const { call, connection, params } = yield* open
      if (Option.isSome(given.id)) {
        const request = { params: { ...params, [field]: given.id.value } }
        const answer = yield* Calls.call(connection, (client) => send(client, one, request))
        return yield* Output.record(dataOf(answer), json)
      }
      const sum = yield* Calls.inParts(connection, `were ${counts}`, (client, after) =>
        Effect.map(call(client, after), (answer) => {
          const { [counts]: done, next } = dataOf(answer)
          return { done: Number(done), next: next === null ? null : String(next) }
        })
      )
      yield* Output.record({ [counts]: sum }, json)
      if (sum === 0 && otherwise !== undefined) yield* Output.note(otherwise)
    })
  )
}
