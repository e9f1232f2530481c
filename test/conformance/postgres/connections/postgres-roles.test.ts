/**
 * Roles and settings of PostgreSQL as people set them up. In each cell of the matrix a server
 * starts, sells a subscription at a telco with a journal and one at the simulated telco, takes a
 * report and starts again; then a host goes on with a pool of its own.
 *
 * The document has the table that comes of it; `WRITE_ROLES=1` writes it anew.
 */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ConfigProvider, Effect, Layer } from "effect"
import pg from "pg"
import { Storage } from "simplan/ports"
import { createSimplan } from "simplan/promise"
import * as Postgres from "simplan/postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Server from "../../../../adapters/cli/server/Server.ts"
import * as Settings from "../../../../adapters/cli/settings/Settings.ts"
import { inNewDirectory, simplan } from "../../../cli/Terminal.ts"
import * as Fake from "../../../fakes/ocs/Fake.mjs"
import * as Hosts from "../../../promise/World.ts"
import * as Databases from "../../../setup/databases/Databases.ts"

inNewDirectory()

let ocs: Fake.Fake
beforeAll(async () => {
  ocs = await Fake.start({ token: "token", subscribers: 2_000 })
})
afterAll(() => ocs.close())

type Row = Readonly<Record<string, unknown>>

const query = async (connectionString: string, text: string): Promise<ReadonlyArray<Row>> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const TOKEN = "token-of-the-test"

const ask = async (method: string, url: string, body?: unknown) => {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, body: JSON.parse((await response.text()) || "null") }
}

const as = (url: string, user: string): string =>
  Object.assign(new URL(url), { username: user, password: "secret" }).href

const databaseOf = (url: string): string => new URL(url).pathname.slice(1)

const newUser = (url: string, user: string) => query(url, `create role ${user} login password 'secret'`)

const DOCUMENT = fileURLToPath(new URL("../../../../adapters/cli/database.md", import.meta.url))

/** What the owner of a schema grants, as the document has it. */
const grants = (schema: string, user: string): string => {
  const [, statements = ""] = /^```\n(grant usage on schema .*?)^```/ms.exec(readFileSync(DOCUMENT, "utf8")) ?? []
  return statements.replaceAll(" schema simplan ", ` schema ${schema} `).replaceAll(" to app;", ` to ${user};`)
}

/** A service's user of the database. */
interface User {
  readonly name: string
  readonly schema: string
  /** Prepares the database for the user. */
  readonly prepare: (url: string, user: string, schema: string) => Promise<unknown>
}

const migratedByOwner: User["prepare"] = async (url, user, schema) => {
  const owner = `${user}_owner`
  await newUser(url, owner)
  await query(url, `grant create on database ${databaseOf(url)} to ${owner}`)
  const env = { SIMPLAN_DATABASE_URL: as(url, owner), SIMPLAN_DATABASE_SCHEMA: schema }
  expect(await simplan(["migrate"], env)).toMatchObject({ code: 0, err: "" })
  await query(as(url, owner), grants(schema, user))
}

const users: ReadonlyArray<User> = [
  {
    name: "owns the database",
    schema: "simplan",
    prepare: (url, user) => query(url, `alter database ${databaseOf(url)} owner to ${user}`)
  },
  {
    name: "has CREATE on the database, nothing in `public`",
    schema: "simplan",
    prepare: (url, user) =>
      query(url, `revoke all on schema public from public; grant create on database ${databaseOf(url)} to ${user}`)
  },
  {
    name: "owns the schema, no CREATE on the database",
    schema: "simplan",
    prepare: (url, user, schema) => query(url, `create schema ${schema} authorization ${user}`)
  },
  { name: "has rows alone, the owner migrates", schema: "simplan", prepare: migratedByOwner },
  { name: "has rows alone, in the schema `esim`", schema: "esim", prepare: migratedByOwner }
]

/** What sessions of every user begin with. */
const common: ReadonlyArray<string> = ["", "search_path = ''"]

/**
 * What sessions of the users begin with that may do most and least: what a session begins with and
 * what its user may do have nothing else to do with each other.
 */
const others: ReadonlyArray<string> = [
  "array_nulls = off",
  "default_transaction_isolation = 'repeatable read'",
  "default_transaction_isolation = serializable",
  "default_transaction_read_only = on",
  "default_transaction_deferrable = on",
  "statement_timeout = '5s'",
  "lock_timeout = '2s'",
  "idle_in_transaction_session_timeout = '1s'",
  "idle_session_timeout = '1s'",
  "synchronous_commit = off",
  "client_encoding = LATIN1",
  "standard_conforming_strings = off",
  "DateStyle = 'SQL, DMY'",
  "IntervalStyle = sql_standard",
  "TimeZone = 'Asia/Kathmandu'",
  "bytea_output = escape",
  "extra_float_digits = -15",
  "transform_null_equals = on",
  "quote_all_identifiers = on",
  "row_security = off",
  "plan_cache_mode = force_generic_plan",
  "jit = on",
  "enable_indexscan = off",
  "work_mem = '64kB'"
]

let used = 0
const nextIccid = (): string => Fake.iccidOf(++used)

/** A name that no other encoding, quoting or escape leaves as it is. */
const NAME = "100 MB 'é\\n€"

/** What a cell of the table says. */
const play = async (url: string, schema: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  writeFileSync("ocs.token", "token\n")
  const charging = {
    ...{ kind: "ocs", url: ocs.url, url_v2: ocs.urlV2, token: { file: "ocs.token" }, reseller_id: 1 },
    ...{ zones: { Green: { FR: 27, EUROPE: 28 } }, mobile_plan_id: 10 }
  }
  const routes = [{ label: "Green", packages: "ocs" }, { packages: "sandbox" }]
  writeFileSync("telcos.json", JSON.stringify({ telcos: { ocs: charging, sandbox: { kind: "simulator" } }, routes }))
  const env = {
    ...{ SIMPLAN_DATABASE_URL: url, SIMPLAN_DATABASE_SCHEMA: schema, SIMPLAN_TELCO_FILE: "telcos.json" },
    ...{ SIMPLAN_ADMIN_TOKEN: TOKEN, SIMPLAN_TELCO_TOKEN: TOKEN, SIMPLAN_PORT: "0" },
    ...more
  }
  const serve = <A>(use: (url: string) => Promise<A>): Promise<A> =>
    Effect.gen(function* () {
      const read = yield* Effect.provide(Settings.read, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
      const server = yield* Server.start(read)
      return yield* Effect.promise(() => use(server.url))
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(NodeFileSystem.layer)), Effect.runPromise)

  const [green, blue] = [nextIccid(), nextIccid()]
  const sell = async (server: string) => {
    const { organization_id } = (await ask("POST", `${server}/admin/v1/organizations`, { name: "Acme" })).body.data
    const of = `${server}/admin/v1/organizations/${organization_id}`
    const { key } = (await ask("POST", `${of}/api-keys`, { name: "test" })).body.data
    const sims = [
      { iccid: green, label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$A", imsi: "208010000000001" },
      { iccid: nextIccid(), label: "Green", is_esim: true, lpa: "LPA:1$smdp.example$B" },
      { iccid: blue, label: "Blue", is_esim: true, lpa: "LPA:1$smdp.example$C" }
    ]
    expect(await ask("POST", `${of}/sims`, { sims })).toMatchObject({ body: { data: { imported: 3 } } })
    const plans: Record<string, string> = {}
    for (const [label, iccid] of [
      ["Green", green],
      ["Blue", blue]
    ] as const) {
      const profiles = await ask("GET", `${server}/v3/coverage-profiles?region_code=FR&label=${label}&key=${key}`)
      const plan = await ask("POST", `${server}/v3/plans?key=${key}`, {
        ...{ coverage_id: profiles.body.data[0].coverage_id, name: NAME, data_MBs: 100, period_days: 30 },
        ...{ recurring: false, throttling: false }
      })
      plans[label] = plan.body.plan_id
      const order = { plan_id: plan.body.plan_id, iccid, metadata: NAME }
      expect(await ask("POST", `${server}/v3/subscription?key=${key}`, order)).toMatchObject({ status: 201 })
    }
    const occurred_at = new Date().toISOString()
    const events = [{ id: "a", type: "usage", iccid: blue, occurred_at, delta_bytes: 1_234_567_890_123 }]
    const reported = await ask("POST", `${server}/telco/v1/events`, { events })
    expect(reported).toMatchObject({ body: { accepted: 1 } })
    return { key, organizationId: String(organization_id), planId: String(plans["Green"]) }
  }

  const refused = (error: unknown): string => (error instanceof Error ? error.message : String(error))
  const sold = await serve(sell).catch(refused)
  if (typeof sold === "string") return sold
  const { key, organizationId, planId } = sold
  await serve(async (server) => {
    const [attachment] = (await ask("GET", `${server}/v3/subscriptions/${blue}/plan-attachments?key=${key}`)).body.data
    expect(attachment).toMatchObject({ used_allowance: { dataBytes: 1_234_567_890_123 } })
    expect((await ask("GET", `${server}/v3/plans/${planId}?key=${key}`)).body).toMatchObject({
      data: { plan_name: NAME }
    })
  })

  const pool = new pg.Pool({ connectionString: url, max: 4 })
  const host = createSimplan({ database: pool, schema, telco: Hosts.telco(), webhooks: false, logger: false })
  try {
    const { subscriptionId } = await host.subscriptions.create({ organizationId, planId, metadata: NAME })
    expect(subscriptionId).toMatch(/^[0-9a-f-]{36}$/)
    expect((await host.plans.get({ organizationId, planId })).name).toBe(NAME)
    const imsi = async (iccid: string) => (await host.sims.get({ organizationId, iccid })).imsi
    expect([await imsi(green), await imsi(blue)]).toEqual(["208010000000001", null])
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "StorageUnavailableError") throw error
    return `the server works; a host's pool is refused: ${error.message}`
  } finally {
    await host.close()
    await pool.end()
  }
  return "works"
}

const cells = new Map<string, string>()

/**
 * A cell in words of the document: which ones are refused, and by which setting, is in the
 * sentences that the tests below compare.
 */
const inWords = (cell: string): string =>
  cell.replace(/refused: .*$/s, "refused").replace(/^The (?!server).*$/s, "refused")

const titleOf = (setting: string): string => (setting === "" ? "what the server has by default" : `\`${setting}\``)

interface Table {
  readonly title: string
  readonly settings: ReadonlyArray<string>
  readonly users: ReadonlyArray<User>
}

const tables: ReadonlyArray<Table> = [
  { title: "sessions begin with", settings: common, users },
  { title: "they begin with", settings: others, users: users.filter((_, place) => place % 3 === 0) }
]

const inDocument = ({ title }: Table): RegExp => new RegExp(String.raw`\| ${title} \|[\s\S]*?(?=\n\n|\n$)`)

/** The cell of the document. */
const documented = (table: Table, setting: string, place: number): string | undefined => {
  const lines = inDocument(table).exec(readFileSync(DOCUMENT, "utf8"))?.[0].split("\n") ?? []
  const line = lines.find((one) => one.startsWith(`| ${titleOf(setting)} |`))
  return line?.slice(2, -2).split(" | ")[place + 1]
}

describe.each(tables)("The matrix of roles and settings: $title", (table) => {
  const url = Databases.forEachTest()
  const { settings, title, users } = table

  for (const [place, { name, prepare, schema }] of users.entries()) {
    for (const setting of settings) {
      it(`a user who ${name}; ${setting || "no settings"}`, async () => {
        const user = `app_${databaseOf(url())}`
        await newUser(url(), user)
        await prepare(url(), user, schema)
        if (setting !== "") await query(url(), `alter role ${user} set ${setting}`)
        const cell = await play(as(url(), user), schema)
        cells.set(`${setting}|${name}`, inWords(cell))
        if (process.env["WRITE_ROLES"] !== "1") expect(inWords(cell)).toBe(documented(table, setting, place))
        if (cell !== "works") expect(cell).toMatch(new RegExp(`${setting.split(" ")[0]}.* must (?:begin )?(?:be|with)`))
        if (cell.includes(" refused")) expect(cell).toContain("alter role")
        if (setting.startsWith("default_transaction_read_only")) return
        const tables = await query(
          url(),
          "select schemaname || '.' || tablename as name from pg_tables where tablename like 'telco_%' order by 1"
        )
        const own = ["telco_journal", "telco_journal_lock", "telco_simulator_book"]
        expect(tables).toEqual(own.map((table) => ({ name: `${schema}.${table}` })))
      })
    }
  }

  it("is the table of the document", () => {
    const head = [title, ...users.map(({ name }) => name)]
    const lines = settings.map((setting) => [
      titleOf(setting),
      ...users.map(({ name }) => cells.get(`${setting}|${name}`) ?? "")
    ])
    const [first = "", ...others] = [head, ...lines].map((line) => `| ${line.join(" | ")} |`)
    const printed = [first, `|${"---|".repeat(head.length)}`, ...others].join("\n")
    const text = readFileSync(DOCUMENT, "utf8")
    if (process.env["WRITE_ROLES"] === "1")
      writeFileSync(
        DOCUMENT,
        text.replace(inDocument(table), () => printed)
      )
    else expect(inDocument(table).exec(text)?.[0]).toBe(printed)
  })
})

describe("A user who has rows alone", () => {
  const url = Databases.forEachTest()
  const user = () => `app_${databaseOf(url())}`

  const prepared = async () => {
    await newUser(url(), user())
    await migratedByOwner(url(), user(), "simplan")
    return as(url(), user())
  }

  /** What the start of a host says, and what it logs. */
  const start = async (database: string | pg.Pool, schema = "simplan") => {
    const logged: Array<string> = []
    const log = (message: string) => void logged.push(message)
    const logger = { debug: () => undefined, info: log, warn: log, error: () => undefined }
    const host = createSimplan({ database, schema, telco: "simulator", webhooks: false, logger })
    const said = await host.organizations.create({ name: "Acme" }).then(
      () => "started",
      (error: Error) => error.message
    )
    await host.close()
    return { said, logged }
  }

  it("is told once what the owner does", async () => {
    const { logged, said } = await start(await prepared())
    expect(said).toBe("started")
    expect(logged.filter((line) => line.includes("may write the rows"))).toEqual([
      `The database's user ${user()} may write the rows of the schema simplan, and not change it: have ${user()}_owner run \`simplan migrate\` before a later version starts. Partitions are made and dropped with the rights of ${user()}_owner`
    ])
    expect((await start(as(url(), `${user()}_owner`))).logged).toEqual([])
  })

  it("is warned where the database acknowledges what it may lose, by a URL and by a pool", async () => {
    const database = await prepared()
    const warning = `Sessions of the database's user ${user()} begin with synchronous_commit = off: a crash of the database may lose what was acknowledged within the second before it`
    const warnings = async (named: string | pg.Pool) => {
      const { logged, said } = await start(named)
      return [said, logged.filter((line) => line.includes("synchronous_commit"))]
    }
    expect(await warnings(database)).toEqual(["started", []])
    await query(url(), `alter role ${user()} set synchronous_commit = local`)
    expect(await warnings(database)).toEqual(["started", []])
    await query(url(), `alter role ${user()} set synchronous_commit = off`)
    const pool = new pg.Pool({ connectionString: database })
    expect([await warnings(database), await warnings(pool)]).toEqual([
      ["started", [warning]],
      ["started", [warning]]
    ])
    await pool.end()
  })

  it("is refused where a grant is missing, by the name of the table and the statement that grants", async () => {
    const database = await prepared()
    await query(url(), `revoke update on simplan.sim, simplan.plan from ${user()}`)
    await query(url(), "revoke execute on function simplan.probe_write from public")
    await query(url(), `revoke execute on function simplan.probe_write from ${user()}`)
    expect((await start(database)).said).toBe(
      `The database's user ${user()} may not read and write plan, sim and call probe_write of the schema simplan: grant select, insert, update, delete on all tables in schema simplan to ${user()}, and execute on all functions in it`
    )
  })

  it("is refused where a grant on the telcos' tables is missing, by the name of the table", async () => {
    const database = await prepared()
    await query(url(), `revoke delete on simplan.telco_journal from ${user()}`)
    const env = { SIMPLAN_DATABASE_URL: database, SIMPLAN_DATABASE_SCHEMA: "simplan" }
    expect(await play(database, "simplan", env)).toContain(
      `The database's user ${user()} may not read and write telco_journal of the schema simplan: grant select, insert, update, delete on all tables in schema "simplan" to ${user()}`
    )
  })

  it("is refused where nothing was granted, with all that is to be granted", async () => {
    const database = await prepared()
    const tables = `grant select, insert, update, delete on all tables in schema simplan to ${user()}, and execute on all functions in it`
    await query(url(), `revoke all on all tables in schema simplan from ${user()}`)
    expect((await start(database)).said).toBe(
      `The database's user ${user()} may not read and write the tables of the schema simplan: ${tables}`
    )
    await query(url(), `revoke usage on schema simplan from ${user()}`)
    expect((await start(database)).said).toBe(
      `The database's user ${user()} may not use anything and read and write the tables of the schema simplan: ${tables.replace("grant ", `grant usage on schema simplan to ${user()}, `)}`
    )
  })

  it("starts on an empty schema if the direct address has its owner, who makes all tables", async () => {
    await newUser(url(), user())
    const owner = `${user()}_owner`
    await newUser(url(), owner)
    await query(url(), `create schema simplan authorization ${owner}`)
    await query(as(url(), owner), grants("simplan", user()))
    const env = {
      ...{ SIMPLAN_DATABASE_URL: as(url(), user()), SIMPLAN_DATABASE_DIRECT_URL: as(url(), owner) },
      SIMPLAN_DATABASE_SCHEMA: "simplan"
    }
    expect(await play(as(url(), user()), "simplan", env)).toBe("works")
    const made = "select distinct tableowner as owner from pg_tables where schemaname = 'simplan'"
    expect(await query(url(), made)).toEqual([{ owner }])
  })

  it("may make the tables from the printed text if it owns the schema, without CREATE on the database", async () => {
    await newUser(url(), user())
    await query(url(), `create schema simplan authorization ${user()}`)
    const { out } = await simplan(["migrate", "--print"], {})
    await query(as(url(), user()), `begin; ${out}; commit`)
    expect(await start(as(url(), user()))).toMatchObject({ said: "started" })
  })

  it("is refused where migrations are left, or the schema is missing, and told who runs them", async () => {
    const database = await prepared()
    await query(url(), "create schema empty")
    await query(url(), `grant usage on schema empty to ${user()}`)
    const left = await start(database, "empty")
    expect(left.said).toMatch(
      /^The schema empty has not had all migrations, and the database's user app_\w+ may not do them \(/
    )
    expect(left.said).toMatch(/: have its owner run `simplan migrate`$/)
    expect((await start(database, "other")).said).toBe(
      `The schema other has not had all migrations, and the database's user ${user()} may not do them (permission denied for database ${databaseOf(url())}): have its owner run \`simplan migrate\`, or make the schema for it: create schema "other" authorization ${user()}`
    )
  })

  it("has partitions made and dropped by functions with their owner's rights, and is warned where these may not", async () => {
    const database = await prepared()
    const month = 31 * 86_400_000
    const kept = Storage.Storage.use(({ purgeAudit, purgeReports, purgeUsage }) =>
      Effect.forEach([purgeAudit, purgeReports, purgeUsage], (purge) =>
        purge({ before: 0, now: Date.now() + 12 * month })
      )
    )
    await Effect.runPromise(Effect.provide(kept, Layer.fresh(Postgres.layer({ url: database }))))
    const owners = await query(
      url(),
      `select distinct pg_get_userbyid(relowner) as owner from pg_class
       where relispartition and relkind = 'r' and relnamespace = 'simplan'::regnamespace`
    )
    expect(owners).toEqual([{ owner: `${user()}_owner` }])
    const year = new Date(Date.now() + 12 * month).getUTCFullYear()
    const made = await query(
      url(),
      `select relname from pg_class where relnamespace = 'simplan'::regnamespace and relkind = 'r'
       and relname ~ '^(usage_entry|taken_report|audit_entry)_${year}'`
    )
    expect(new Set(made.map(({ relname }) => String(relname).replace(/_\d.*/, ""))).size).toBe(3)
    await query(url(), `alter function simplan.keep_partitions(text, bigint, bigint) owner to ${user()}`)
    expect((await start(database)).logged).toContainEqual(
      "The owner of the function keep_partitions may not change the tables of the schema simplan: what is past its time stays, in tables that grow. It must own the tables, and have CREATE on the schema"
    )
  })

  it("waits for the migrations of another process for longer than its statements may take", async () => {
    const database = await prepared()
    await query(
      url(),
      `alter role ${user()} set statement_timeout = '250ms'; alter role ${user()} set lock_timeout = '250ms'`
    )
    const other = new pg.Client({ connectionString: url() })
    await other.connect()
    await other.query("select pg_advisory_lock(32485541080228206::bigint)")
    const started = start(database)
    const waits = `
      select count(*)::int as n from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and not granted and usename = '${user()}' and query_start < clock_timestamp() - interval '600 ms'`
    await expect.poll(() => query(url(), waits)).toEqual([{ n: 1 }])
    await other.end()
    expect((await started).said).toBe("started")
  })

  it("keeps its hold on the database where idle sessions are ended", async () => {
    const database = await prepared()
    await query(url(), `alter role ${user()} set idle_session_timeout = '300ms'`)
    for (const named of [database, new pg.Pool({ connectionString: database })]) {
      const host = createSimplan({ database: named, telco: "simulator", webhooks: false, logger: false })
      await host.organizations.create({ name: "Acme" })
      const holders = `
        select array_agg(pid order by pid) as pids from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and usename = '${user()}'`
      const before = await query(url(), holders)
      expect(before).not.toEqual([{ pids: null }])
      await query(url(), "select pg_sleep(1)")
      expect(await query(url(), holders)).toEqual(before)
      await host.close()
      if (typeof named !== "string") await named.end()
    }
  })
})
