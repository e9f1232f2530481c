/**
 * Every method of every service, with what hosts and operators have of it: a method of the library,
 * an endpoint, or the reason why there is none. A method that is not in the table does not compile.
 * The comment of a method names the errors that the document of the API has of its endpoint.
 */
import { readFileSync } from "node:fs"
import { Refusal, type Services } from "simplan"
import { Api } from "simplan/http-api"
import { createSimplan } from "simplan/promise"
import { expect, it } from "vitest"
import { Document } from "../../adapters/http/index.ts"
import { refusals } from "../domain/Refusals.ts"

/** The name of a method or of an endpoint, or why there is none. */
type Face = string | { readonly none: string }

type Faces = {
  readonly [Service in keyof Services.ByName]: {
    readonly [Method in keyof Services.ByName[Service]]: { readonly library: Face; readonly api: Face }
  }
}

const both = (library: string, api: string = library) => ({ library, api })

const inside = { none: "other services and adapters call it, nobody from outside" }
const used = { library: inside, api: inside }
const ofHost = { none: "only a host has functions and transactions of its own" }
const preview = { none: "`dry_run` of the operation is its preview" }
const ofOperator = { none: "a guard or a session calls it" }

const faces: Faces = {
  apiKeys: {
    create: both("apiKeys.create", "organizations.createKey"),
    page: both("apiKeys.list", "organizations.keys"),
    revoke: both("apiKeys.revoke", "organizations.revokeKey"),
    rotate: both("apiKeys.rotate", "organizations.rotateKey"),
    authenticate: { library: "apiKeys.authenticate", api: ofOperator },
    isKnown: used
  },
  attachments: {
    list: both("attachments.list", "subscriptions.attachments"),
    get: both("attachments.get", "subscriptions.attachment"),
    suspend: both("attachments.suspend", "subscriptions.suspend"),
    previewSuspend: { library: "attachments.previewSuspend", api: preview }
  },
  auditLog: {
    page: both("auditLog.list", "audit.list"),
    list: both("auditLog.list", "audit.listService"),
    note: both("auditLog.note", "audit.note"),
    record: used
  },
  bulkActions: {
    page: both("bulk.list"),
    preview: { library: "bulk.previewAct", api: preview },
    takesMore: used,
    run: both("bulk.act")
  },
  bulkCorrections: {
    preview: { library: "bulk.previewActOnSims", api: preview },
    takesMore: used,
    run: both("bulk.actOnSims")
  },
  catalogues: {
    current: both("catalogues.current", "imports.catalogue"),
    versioned: both("catalogues.current", "imports.catalogue"),
    uses: both("catalogues.uses", "imports.catalogueUses"),
    preview: { library: "catalogues.previewReplace", api: preview },
    replace: both("catalogues.replace", "imports.replaceCatalogue")
  },
  clock: {
    read: both("clock.read"),
    advanceTo: both("clock.advanceTo", "clock.advance"),
    advanceBy: both("clock.advanceBy", "clock.advance")
  },
  commands: {
    submit: used,
    get: { library: "commands.get", api: ofHost },
    page: { library: "commands.list", api: ofHost },
    cancel: { library: "commands.cancel", api: ofHost },
    settled: { library: "subscriptions.settled", api: ofHost }
  },
  coverage: {
    list: both("coverage.list"),
    get: both("coverage.get"),
    find: used,
    area: used,
    covering: used,
    createRegion: both("coverage.createRegion")
  },
  eventHandlers: {
    on: { library: "on", api: ofHost },
    off: { library: "handlers.off", api: ofHost },
    remove: { library: "handlers.remove", api: ofHost },
    failed: { library: "handlers.failed", api: ofHost },
    replay: { library: "handlers.replay", api: ofHost },
    list: { library: "handlers.list", api: ofHost }
  },
  history: { page: both("subscriptions.history") },
  messages: { send: both("messages.send", "subscriptions.sendSms") },
  operators: { list: both("operators.list"), get: both("operators.get") },
  organizations: {
    create: both("organizations.create"),
    page: both("organizations.list"),
    get: both("organizations.get"),
    names: used,
    check: used,
    checkQuota: used
  },
  overviews: { read: both("overview.read") },
  pauses: {
    pause: both("subscriptions.pause"),
    resume: both("subscriptions.resume"),
    previewPause: { library: "subscriptions.previewPause", api: preview },
    previewResume: { library: "subscriptions.previewResume", api: preview }
  },
  plans: {
    create: both("plans.create"),
    get: both("plans.get"),
    page: both("plans.list"),
    archive: both("plans.archive"),
    unarchive: both("plans.unarchive"),
    createFromBundle: both("plans.createFromBundle", "bundles.createFromBundle"),
    setBundle: both("plans.setBundle", "bundles.setBundle"),
    previewSetBundle: both("plans.setBundle", "bundles.setBundle"),
    differences: both("plans.setBundle", "bundles.setBundle"),
    setPrice: both("plans.setPrice", "bundles.setPrice"),
    remove: both("plans.remove")
  },
  returns: { giveBack: both("sims.giveBack", "boughtSims.giveBack") },
  problems: {
    page: both("problems.list"),
    retry: both("problems.retry"),
    resolve: both("problems.resolve"),
    correct: both("problems.correct"),
    expected: used,
    owners: used,
    add: used,
    addOfAccounts: used,
    withdraw: used
  },
  replacements: {
    replace: both("subscriptions.replace"),
    previewReplace: { library: "subscriptions.previewReplace", api: preview }
  },
  reports: { take: both("reports.take") },
  serviceOperators: {
    create: both("serviceOperators.create"),
    page: both("serviceOperators.list"),
    delete: both("serviceOperators.remove"),
    rotate: both("serviceOperators.rotate"),
    setRole: both("serviceOperators.setRole"),
    authenticate: { library: "serviceOperators.authenticate", api: "serviceOperators.whoami" },
    isKnown: used
  },
  simCorrections: {
    correct: both("sims.update"),
    previewCorrect: { library: "sims.previewUpdate", api: preview },
    correctAll: both("sims.updateMany"),
    correctOnce: both("sims.updateMany")
  },
  sims: {
    page: both("sims.list"),
    search: both("sims.search", "search.find"),
    get: both("sims.get"),
    installation: both("sims.installation", "sims.qrCode"),
    smdpInfo: both("sims.smdpInfo"),
    importRows: both("sims.import", "imports.importSims"),
    withhold: used
  },
  soldBundles: {
    sellers: both("telcos.sellers"),
    checkSeller: used,
    sellerOf: used,
    priceOf: used,
    of: used,
    page: both("telcos.bundles")
  },
  verdicts: { get: both("sims.verdict", "sims.get"), of: { library: inside, api: "sims.update" } },
  stock: {
    get: both("sims.stock"),
    levels: both("sims.stock"),
    setLevels: both("sims.setStockLevels", "sims.setStockLevels")
  },
  subscriptions: {
    create: both("subscriptions.create"),
    previewCreate: { library: "subscriptions.previewCreate", api: preview },
    get: both("subscriptions.get"),
    find: { library: "subscriptions.get", api: "subscriptions.list" },
    list: both("subscriptions.list"),
    remove: both("subscriptions.remove"),
    previewRemove: { library: "subscriptions.previewRemove", api: preview },
    lastOperator: both("subscriptions.lastOperator", "subscriptions.location")
  },
  costs: { report: both("costs.ofOrganization") },
  usage: { ofSim: both("usage.ofSim"), ofOrganization: both("usage.ofOrganization") },
  waitingJobs: {
    page: both("waitingJobs.list", "jobs.list"),
    retry: both("waitingJobs.retry", "jobs.retry"),
    retryAll: both("waitingJobs.retryAll", "jobs.retryAll")
  },
  wallet: { setMobilePlan: both("wallet.setMobilePlan") },
  webhooks: {
    create: both("webhooks.create"),
    page: both("webhooks.list"),
    update: both("webhooks.update"),
    remove: both("webhooks.remove"),
    rotateKey: both("webhooks.rotateKey"),
    deliveries: both("webhooks.deliveries"),
    delivery: both("webhooks.delivery"),
    replay: both("webhooks.replay"),
    replayAll: both("webhooks.replayAll"),
    test: both("webhooks.test")
  }
}

/**
 * Methods of the library that are a second one of a method of the table, or ask the telcos
 * themselves.
 */
const ofLibraryAlone = [
  "costs.ofService",
  "messages.settled",
  "plans.bundle",
  "sims.previewImport",
  "telcos.compare",
  "telcos.comparisons",
  "telcos.setZone",
  "telcos.zones",
  "wallet.settled"
]

/**
 * Endpoints that answer without a service of the table, and the twins of `/v3` in the management
 * API.
 */
const ofApiAlone =
  /^(?:system|notifications|organization[A-Z]\w*)\.|^telcos\.(?:comparisons|compare|zones|setZone)$|^bundles\.bundle$|^serviceCosts\.ofService$|^serviceOperators\.(?:begin|end)Session$/

const namesOf = (face: "library" | "api"): ReadonlyArray<string> =>
  Object.values(faces).flatMap((methods) =>
    Object.values(methods).flatMap((one: { readonly library: Face; readonly api: Face }) => {
      const name = one[face]
      return typeof name === "string" ? [name] : []
    })
  )

it("the library has what the table says, and nothing beside it", async () => {
  const simplan = createSimplan({ database: "memory", telco: "simulator" })
  const methods = Object.entries(simplan).flatMap(([group, value]) =>
    typeof value === "object" ? Object.keys(value).map((name) => `${group}.${name}`) : []
  )
  await simplan.close()
  expect([...new Set(["on", ...methods])].toSorted()).toEqual(
    [...new Set([...namesOf("library"), ...ofLibraryAlone])].toSorted()
  )
})

it("the HTTP API has what the table says, and nothing beside it", () => {
  const endpoints = Object.entries(Api.groups).flatMap(([group, { endpoints }]) =>
    Object.keys(endpoints).map((name) => `${group}.${name}`)
  )
  expect(endpoints.filter((name) => !ofApiAlone.test(name)).toSorted()).toEqual([...new Set(namesOf("api"))].toSorted())
})

/** What any method may reject with: a wrong argument, or what is of a key. */
const ofAll = new Set(["InvalidFieldError", "IdempotencyKeyReusedError", "RequestInProgressError", "KeyRefusedError"])

interface Described {
  readonly operationId: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly examples?: object }>> }>
  >
}

// That there is no such organization any method may say that is about one.
const classes = new Map<string, string>(
  refusals
    .map((refusal) => [Refusal.code(refusal), `${refusal._tag}Error`] as const)
    .filter(([code]) => code !== "organization_not_found")
)

/** The classes of the refusals that the document says of each endpoint. */
const refusing = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const { paths }: { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> } = JSON.parse(
    JSON.stringify(Document.document())
  )
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return new Map(
    operations.map(({ operationId, responses }) => {
      const codes = Object.values(responses).flatMap(({ content = {} }) =>
        Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
      )
      return [operationId, new Set(codes.flatMap((code) => classes.get(code) ?? []))]
    })
  )
}

it("each method names the errors that its endpoint has", () => {
  const methods = readFileSync(new URL("../../examples/methods.md", import.meta.url), "utf8")
  const named = new Map(
    Array.from(methods.matchAll(/^\| `([\w.]+)` \| .* \| ([^|]*) \|$/gm), ([, name = "", errors = ""]) => [
      name,
      errors
    ])
  )
  const endpoints = refusing()
  const missing = Object.values(faces).flatMap((service) =>
    Object.values(service).flatMap(({ api, library }: { readonly library: Face; readonly api: Face }) => {
      if (typeof api !== "string" || typeof library !== "string") return []
      const said = named.get(library) ?? ""
      return [...(endpoints.get(api) ?? [])]
        .filter((error) => !ofAll.has(error) && !said.includes(`\`${error}\``))
        .map((error) => `${library}: ${error}`)
    })
  )
  expect(missing).toEqual([])
})
