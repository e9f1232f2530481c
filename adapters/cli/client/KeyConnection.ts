/**
 * Which server a command that reads `/v3` calls, and with which API key. The management API shows nothing of an
 * organization's SIMs, plans and subscriptions, so the admin token is no help here.
 *
 * The key is that of `--key`; else the kept one of the organization that `--org` names; else that of the environment;
 * else the demonstration's. A kept key is sent only to the server that generated it, or to another port of this machine.
 */
import { Effect, FileSystem, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { misused } from "../output/CommandFailed.ts"
import * as Credentials from "../settings/Credentials.ts"
import * as OwnerFile from "../settings/OwnerFile.ts"
import * as SecretFiles from "../settings/SecretFiles.ts"
import * as Connection from "./Connection.ts"

const KEY = "SIMPLAN_API_KEY"

/** The flags of every command that reads `/v3`. */
export const flags = {
  org: Flag.String("org").pipe(
    Flag.withMetavar("<id>"),
    Flag.withDescription("Id of the organization, if its key is kept; an API key tells its organization by itself"),
    Flag.optional
  ),
  ...Connection.serverFlags(Connection.URL_VARIABLE),
  key: Flag.Redacted("key").pipe(
    Flag.withMetavar("<key>"),
    Flag.withDescription(
      `API key of the organization, @FILE or @- (else ${KEY}, else the one kept in ${OwnerFile.DIRECTORY}/)`
    ),
    Flag.optional
  )
}

export interface Given {
  readonly url: Option.Option<string>
  readonly key: Option.Option<Redacted.Redacted>
  readonly org: Option.Option<string>
}

const address: Connection.Address = { urls: [Connection.URL_VARIABLE], keptUrl: ({ url }) => url }

const FILE = SecretFiles.file("demoKey")

/** The API key of the demonstration of the server that was started last in this directory. */
const demoKey = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.orElseSucceed(files.readFileString(FILE), () => "")
  return text.trim()
})

/** The connection to `/v3`. */
export const open = Effect.fnUntraced(function* (given: Given) {
  const kept = yield* Credentials.read
  const url = yield* Connection.addressOf(address, given, kept)
  const isOwn = Connection.isOwn(address, url, kept)
  const to = (secret: Redacted.Redacted, from: string): Connection.Connection => ({ api: "v3", url, secret, from })

  if (Option.isSome(given.key) && Option.isSome(given.org)) {
    return yield* misused("An API key belongs to one organization, so give either --key or --org.")
  }
  if (Option.isSome(given.key)) return to(yield* Connection.secretOf(given.key.value, "--key"), "--key")
  if (Option.isSome(given.org)) {
    const id = given.org.value
    const demo = Object.values(kept.demos ?? {}).find(({ organizationId }) => organizationId === id)
    if (demo !== undefined && isOwn) return to(Redacted.make(demo.apiKey), Credentials.FILE)
    return yield* misused(
      `There is no API key of organization ${id} in ${OwnerFile.DIRECTORY}/ for ${url}: give one with --key; ` +
        `\`simplan key create --org ${id} --scope read\` makes one.`
    )
  }
  const set = yield* Connection.variable(KEY)
  if (set !== undefined) return to(Redacted.make(set), KEY)
  const own = isOwn ? yield* demoKey : ""
  if (own !== "") return to(Redacted.make(own), FILE)
  return yield* misused(
    `There is no API key for ${url}: give one with --key or ${KEY} (\`simplan key create --scope read\` makes one), ` +
      `or run this in the directory where a server made a demonstration.`
  )
})
