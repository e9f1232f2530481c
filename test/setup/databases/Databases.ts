/**
 * Gives each test a database of its own on the run's PostgreSQL (see postgres.ts).
 *
 *     const database = await Databases.create()      // { name, url, drop }
 *     yield* Databases.scoped()                       // the same as an Effect: dropped with the scope
 *     const url = Databases.forEachTest()             // in a describe: url() is the running test's own
 *
 * With `template`, a database is copied from one that `prepare` filled once per run (say, with the
 * migrations): cheaper than preparing each one.
 */
import { randomBytes } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted, Schedule, type Scope } from "effect"
import { afterEach, beforeEach, inject } from "vitest"

export interface Database {
  readonly name: string
  readonly url: string
  /** Drops it when its connections have ended, and after 2 s whether they have or not. */
  readonly drop: () => Promise<void>
}

export interface Template {
  /** One per kind of content. */
  readonly name: string
  /** Fills the template; must have closed its connections when it is done. */
  readonly prepare: (url: string) => Promise<void>
}

export interface Options {
  readonly template?: Template | undefined
  /** Another encoding than UTF8. */
  readonly encoding?: string | undefined
}

/** The administrator's URL; its database `postgres` stays empty. */
export const adminUrl = (): string => inject("postgresUrl")

export const urlOf = (database: string): string => {
  const url = new URL(adminUrl())
  url.pathname = `/${database}`
  return url.toString()
}

const asAdmin = <A, E>(use: (client: PgClient.PgClient) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    PgClient.PgClient.use(use).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(adminUrl()), maxConnections: 1 }))
    )
  )

const make = async (name: string, template: string, encoding?: string): Promise<Database> => {
  const from =
    encoding === undefined ? `template "${template}"` : `template template0 encoding '${encoding}' locale 'C'`
  await asAdmin((client) => client.unsafe(`create database "${name}" ${from}`))
  return {
    name,
    url: urlOf(name),
    drop: () =>
      asAdmin((client) =>
        Effect.gen(function* () {
          // PostgreSQL may still be ending a session that its client has closed. To end it by force
          // would send that client an error, for which nothing listens any more.
          const sessions = client<{ count: number }>`
            select count(*)::int as count from pg_stat_activity where datname = ${name}`
          yield* Effect.repeat(sessions, {
            while: ([row]) => row !== undefined && row.count > 0,
            schedule: Schedule.spaced("10 millis"),
            times: 200
          })
          yield* client.unsafe(`drop database if exists "${name}" with (force)`)
        })
      )
  }
}

const freshName = (): string => `test_${randomBytes(8).toString("hex")}`

/**
 * The name of the template's database, which the first one to ask prepares while the others wait.
 */
const prepared = ({ name, prepare }: Template): Promise<string> => {
  const finished = `template_${name}`
  return asAdmin((client) =>
    Effect.gen(function* () {
      yield* client`select pg_advisory_lock(hashtext(${finished}))`
      const found = yield* client`select 1 from pg_database where datname = ${finished}`
      if (found.length > 0) return finished
      const draft = yield* Effect.promise(() => make(freshName(), "template1"))
      yield* Effect.promise(() => prepare(draft.url))
      yield* client.unsafe(`alter database "${draft.name}" rename to "${finished}"`)
      return finished
    })
  )
}

const preparedHere = new Map<string, Promise<string>>()

const templateName = (template: Template | undefined): Promise<string> => {
  if (template === undefined) return Promise.resolve("template1")
  const known = preparedHere.get(template.name) ?? prepared(template)
  preparedHere.set(template.name, known)
  return known
}

export const create = async (options: Options = {}): Promise<Database> =>
  make(freshName(), await templateName(options.template), options.encoding)

export const scoped = (options: Options = {}): Effect.Effect<Database, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => create(options)),
    (database) => Effect.promise(database.drop)
  )

/**
 * Registers hooks that give every test of the enclosing describe a database; the answer is its URL
 * during a test.
 */
export const forEachTest = (options: Options = {}): (() => string) => {
  let current: Database | undefined
  beforeEach(async () => {
    current = await create(options)
  })
  afterEach(async () => {
    const database = current
    current = undefined
    await database?.drop()
  })
  return () => {
    if (current === undefined) throw new Error("A database exists only while a test runs")
    return current.url
  }
}
