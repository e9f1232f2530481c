/**
 * A `Pool` of the package `pg` that a host has already, as a SQL client; and a connection beside
 * it, made with the pool's own options, which holds the lock and receives what other processes
 * notify.
 *
 * Statements take their connections from the pool, and a transaction keeps one until it ends. A
 * connection on which a statement was given up, or got no answer, is closed, for nothing else may
 * run on it; the server is asked to stop the statement. The pool itself is never ended here.
 */
import { createHash } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Cause, Deferred, Duration, Effect, Exit, Predicate, Queue, type Scope, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import * as Failure from "./Failure.ts"
import type * as Session from "./Session.ts"

/** What is used of a statement's result in `pg`. */
export interface PgResult {
  /** The first word of the statement. */
  readonly command: string
  /** Empty for a statement that gives none. */
  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  readonly rows: ReadonlyArray<any>
}

/** A statement as `pg` takes it. */
export interface PgQuery {
  /** One statement, with its parameters as `$1`, `$2`. */
  readonly text: string
  /** The parameters, in their order. */
  readonly values: Array<unknown>
  /** Prepares the statement under this name on its connection. */
  readonly name?: string
  /** How the values of a row are read, by the type's number. */
  readonly types: { readonly getTypeParser: (oid: number, format?: string) => (text: string) => unknown }
}

/** What is used of a connection of `pg`. */
export interface PgPoolClient {
  /** Runs one statement. Rejects with the server's error, which has a `code`. */
  query(query: PgQuery): Promise<PgResult>
  /** Gives the connection back to the pool; with true it is closed. */
  release(destroy?: boolean): void
  /** Listens for a break of the connection while it is idle. */
  on(event: "error", listener: (error: Error) => void): unknown
  /** Stops listening. */
  removeListener(event: "error", listener: (error: Error) => void): unknown
}

/** A `Pool` of `pg`, or anything that has these of its methods. */
export interface PgPool {
  /**
   * The settings of `pg` that the pool was made with. `max` is read, and connections outside of the
   * pool are made by them.
   */
  readonly options: object
  /** A connection for one's own use until it is released. */
  connect(): Promise<PgPoolClient>
}

const whole = (text: string): unknown => Number(text)
const json = (text: string): unknown => JSON.parse(text)

// As the other client reads them, however the host has configured `pg`.
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [PgTypes.OID.bool, (text: string): unknown => text === "t"],
  [PgTypes.OID.text, (text: string): unknown => text],
  [PgTypes.OID.int8, (text: string): unknown => BigInt(text)],
  [PgTypes.OID.int2, whole],
  [PgTypes.OID.int4, whole],
  [PgTypes.OID.float8, whole],
  [PgTypes.OID.json, json],
  [PgTypes.OID.jsonb, json]
])

/** Reads the types that simplan selects by itself, and all others as the connection does. */
const typesOf = (client: object): PgQuery["types"] => ({
  getTypeParser: (oid, format) => {
    const own = parsers.get(oid)
    if (own !== undefined) return own
    const theirs: unknown = Reflect.get(client, "getTypeParser")
    return typeof theirs === "function" ? Reflect.apply(theirs, client, [oid, format]) : (text) => text
  }
})

const encoded = (value: unknown): unknown => {
  if (!PgTypes.isParameter(value)) return value
  const isJson = value.oid === PgTypes.OID.json || value.oid === PgTypes.OID.jsonb
  return isJson && value.value !== null ? JSON.stringify(value.value) : value.value
}

/** How many texts stay prepared, at most; a connection of `pg` forgets none. */
const PREPARED = 500

const names = new Map<string, string>()

/** The name under which a text is prepared on connections of `pg`; undefined if too many are. */
export const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= PREPARED) return known
  const name = `simplan_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`
  names.set(text, name)
  return name
}

/** A statement for a connection of `pg`. */
const queryOf = (client: object, text: string, parameters: ReadonlyArray<unknown>, isPrepared: boolean): PgQuery => {
  const name = isPrepared ? nameOf(text) : undefined
  const query = { text, values: parameters.map(encoded), types: typesOf(client) }
  return name === undefined ? query : { ...query, name }
}

/**
 * The outcome of a promise of `pg`; a failure if it takes longer than `waitLimit` milliseconds.
 * `onGivenUp` is called if nobody waits for it any more.
 */
const outcome = <A>(
  run: () => Promise<A>,
  waitLimit: number | undefined,
  onGivenUp: () => void
): Effect.Effect<A, SqlError.SqlError> =>
  Effect.callback((resume) => {
    let isOver = false
    const end = (effect: Effect.Effect<A, SqlError.SqlError>): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      resume(effect)
    }
    const giveUp = (): void => {
      onGivenUp()
      end(Effect.fail(Failure.silence(waitLimit ?? 0)))
    }
    const timer = waitLimit === undefined ? undefined : setTimeout(giveUp, waitLimit)
    ;(async () => run())().then(
      (value) => end(Effect.succeed(value)),
      (cause: unknown) => end(Effect.fail(Failure.ofPg(cause)))
    )
    return Effect.sync(() => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      onGivenUp()
    })
  })

const ignore = (): void => {}

const survived = new WeakSet<object>()

/**
 * Has a connection that is lost while it is idle not end the process, as the pool's event `error`
 * does if nobody listens to it. The pool forgets such a connection by itself. The listener
 * stays, because the connections stay in the pool.
 */
export const survive = (pool: PgPool): void => {
  const subscribe: unknown = Reflect.get(pool, "on")
  if (typeof subscribe !== "function" || survived.has(pool)) return
  survived.add(pool)
  Reflect.apply(subscribe, pool, ["error", ignore])
}

/**
 * Has the server stop the statement of a connection on which nothing more will run, as `pg` itself
 * cannot over TLS. By its secret: what a pooler calls the connection may be another one's number at
 * the server. A statement of a connection that does not say its numbers runs to its end.
 */
const cancel = (pool: PgPool, client: object): void => {
  const [process, secret]: ReadonlyArray<unknown> = [Reflect.get(client, "processID"), Reflect.get(client, "secretKey")]
  if (typeof process !== "number" || typeof secret !== "number") return
  // Failure: without a connection the statement runs to its end.
  try {
    const other = made(pool)
    const [host, port] = [String(Reflect.get(other, "host")), Number(Reflect.get(other, "port"))]
    const connection: unknown = Reflect.get(other, "connection")
    if (!isConnection(connection)) return
    const timer = setTimeout(() => connection.stream.destroy(), CONNECT)
    const send = (): void => connection.cancel(process, secret)
    const asksForTls = connection.ssl && connection.sslNegotiation !== "direct"
    connection.on("connect", () => (asksForTls ? connection.requestSsl() : !connection.ssl && send()))
    connection.on("sslconnect", send)
    connection.on("error", ignore)
    connection.on("end", () => clearTimeout(timer))
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  } catch {}
}

/** What is used of the protocol's side of a `Client` of `pg`. */
interface OwnConnection {
  readonly stream: { destroy(): unknown }
  readonly ssl?: unknown
  readonly sslNegotiation?: unknown
  requestSsl(): void
  connect(port: number | string, host?: string): void
  cancel(process: number, secret: number): void
  on(event: string, listener: () => void): unknown
}

const isConnection = (value: unknown): value is OwnConnection =>
  ["connect", "requestSsl", "cancel", "on", "stream"].every((name) => Predicate.hasProperty(value, name))

/** A connection that was taken from the pool. */
interface Taken {
  client: PgPoolClient | null
  isReturned: boolean
  isBroken: boolean
}

const giveBack = (taken: Taken): void => {
  taken.isReturned = true
  taken.client?.removeListener("error", ignore)
  taken.client?.release(taken.isBroken)
}

const take = (
  pool: PgPool,
  waitLimit: number | undefined,
  prepares: boolean
): Effect.Effect<Connection, SqlError.SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const taken: Taken = { client: null, isReturned: false, isBroken: false }
    yield* Effect.addFinalizer(() => Effect.sync(() => giveBack(taken)))
    const opened = pool.connect.bind(pool)
    const client = yield* outcome(
      async () => {
        const found = await opened()
        taken.client = found
        // Without a listener an error between two statements would end the process.
        found.on("error", ignore)
        if (taken.isReturned) giveBack(taken)
        return found
      },
      waitLimit,
      ignore
    )
    const onGivenUp = () => {
      taken.isBroken = true
      cancel(pool, client)
    }
    return connection(client, { waitLimit, onGivenUp, prepares })
  })

interface Use {
  readonly waitLimit: number | undefined
  readonly onGivenUp: () => void
  readonly prepares: boolean
}

const connection = (client: PgPoolClient, { onGivenUp, prepares, waitLimit }: Use): Connection => {
  const run = (text: string, parameters: ReadonlyArray<unknown>, isPrepared = prepares) =>
    outcome(() => client.query(queryOf(client, text, parameters, isPrepared)), waitLimit, onGivenUp)
  const rows = (text: string, parameters: ReadonlyArray<unknown>, isPrepared = prepares) =>
    Effect.map(run(text, parameters, isPrepared), (result) => result.rows)
  const values = (text: string, parameters: ReadonlyArray<unknown>, isPrepared = prepares) =>
    Effect.map(rows(text, parameters, isPrepared), (found) => found.map((row) => Object.values(row)))
  return {
    execute: (text, parameters) => rows(text, parameters),
    executeRaw: (text, parameters) => run(text, parameters),
    executeStream: (text, parameters) => Stream.fromIterableEffect(rows(text, parameters)),
    executeValues: (text, parameters) => values(text, parameters),
    executeValuesUnprepared: (text, parameters) => values(text, parameters, false),
    executeUnprepared: (text, parameters) => rows(text, parameters, false)
  }
}

/** PostgreSQL answers the COMMIT of a transaction that has failed with a rollback. */
const commit = (held: Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(held.executeRaw("COMMIT", []), (result) =>
    typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"
      ? Effect.fail(Failure.ofPg(new Error("The transaction had failed, and was rolled back")))
      : Effect.void
  )

/**
 * The client over a pool. A statement may take `waitLimit`, the wait for a connection included; any
 * time without one. Statements are prepared unless `prepares` says otherwise.
 */
export const client = (pool: PgPool, waitLimit?: Duration.Duration, prepares = true) => {
  const acquirer = take(pool, waitLimit === undefined ? undefined : Duration.toMillis(waitLimit), prepares)
  return SqlClient.make({
    acquirer,
    transactionAcquirer: acquirer,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
}

/** What is used of a `Client` of `pg`. */
interface OwnClient {
  connect(): Promise<unknown>
  query(query: PgQuery): Promise<PgResult>
  end(): Promise<unknown>
  on(event: string, listener: (message: unknown) => void): unknown
}

const isClient = (value: unknown): value is OwnClient =>
  ["connect", "query", "end", "on"].every(
    (name) => Predicate.hasProperty(value, name) && typeof value[name] === "function"
  )

const made = (pool: PgPool): OwnClient => {
  const Client: unknown = Reflect.get(pool, "Client")
  const client: unknown = typeof Client === "function" ? Reflect.construct(Client, [pool.options]) : undefined
  if (!isClient(client)) throw new Error("pool has no Client that connections are made with")
  return client
}

/** Whether the pool says how its connections are made. */
export const canOpen = (pool: object): boolean => typeof Reflect.get(pool, "Client") === "function"

/**
 * Closes at once, without a word: a connection that is not made yet, or hangs, would wait with its
 * end.
 */
const close = (client: OwnClient): void => {
  const connection: unknown = Reflect.get(client, "connection")
  const stream = Predicate.hasProperty(connection, "stream") ? connection.stream : undefined
  void client.end().catch(() => {})
  if (Predicate.hasProperty(stream, "destroy") && typeof stream.destroy === "function") {
    Reflect.apply(stream.destroy, stream, [])
  }
}

/** How long it may take to connect. */
const CONNECT = 4_000

/** How long a connection may take to say that it ends. */
const END = 500

/**
 * Opens a session with the options of the pool. A database that is silent for `waitLimit` counts as
 * lost.
 */
export const opening = (pool: PgPool, waitLimit: Duration.Duration): Session.Open =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(Effect.try({ try: () => made(pool), catch: Failure.ofPg }), (opened) =>
      Effect.promise(() => opened.end().catch(() => {})).pipe(
        Effect.timeoutOption(END),
        Effect.andThen(Effect.sync(() => close(opened)))
      )
    )
    const listeners = new Map<string, Queue.Queue<{ readonly payload: string }, SqlError.SqlError>>()
    const end = yield* Deferred.make<never, SqlError.SqlError>()
    const lost = (cause: unknown): void => {
      Deferred.doneUnsafe(end, Exit.fail(Failure.ofPg(cause)))
      for (const queue of listeners.values()) Queue.failCauseUnsafe(queue, Cause.fail(Failure.ofPg(cause)))
    }
    client.on("error", lost)
    client.on("end", () => lost(new Error("The connection has ended")))
    client.on("notification", (message) => {
      if (!Predicate.hasProperty(message, "channel") || !Predicate.hasProperty(message, "payload")) return
      const queue = listeners.get(String(message.channel))
      if (queue !== undefined) Queue.offerUnsafe(queue, { payload: String(message.payload) })
    })
    yield* outcome(
      () => client.connect(),
      CONNECT,
      () => close(client)
    )
    const query: Session.Session["query"] = (text, parameters = [], isPrepared = false) =>
      outcome(
        () => client.query(queryOf(client, text, parameters, isPrepared)),
        Duration.toMillis(waitLimit),
        () => close(client)
      ).pipe(Effect.map(({ rows }) => rows))
    const listen = (
      channel: string
    ): Effect.Effect<Queue.Dequeue<{ readonly payload: string }, SqlError.SqlError>, SqlError.SqlError, Scope.Scope> =>
      Effect.gen(function* () {
        const queue = yield* Queue.unbounded<{ readonly payload: string }, SqlError.SqlError>()
        listeners.set(channel, queue)
        yield* Effect.addFinalizer(() => Effect.sync(() => listeners.delete(channel)))
        yield* query(`listen "${channel}"`)
        return queue
      })
    return { query, listen, lost: Deferred.await(end) }
  })
