// The fake of the online charging system as a process:
//
//     node test/fakes/ocs/main.mjs --port 9000 --token-file ocs.token --subscribers 20
//
// Options: --host (127.0.0.1), --path (/ocs-custo/main), --reseller (1), --calls-per-second (any),
// --notify URL (where notifications of usage and of eSIMs go), --time-zone (of the periods of
// orders: UTC), --list-lag (seconds that lists of packages are behind: 0), --ahead (seconds that
// its clock is ahead, --ahead=-90 for behind: 0). A token file that is not there is made, for the
// owner only.
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { iccidOf, start } from "./Fake.mjs"

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "9000" },
    host: { type: "string", default: "127.0.0.1" },
    path: { type: "string", default: "/ocs-custo/main" },
    "token-file": { type: "string", default: "ocs.token" },
    reseller: { type: "string", default: "1" },
    subscribers: { type: "string", default: "20" },
    "calls-per-second": { type: "string" },
    notify: { type: "string" },
    "time-zone": { type: "string", default: "UTC" },
    "list-lag": { type: "string", default: "0" },
    ahead: { type: "string", default: "0" }
  }
})

const tokenIn = (file) => {
  try {
    writeFileSync(file, `${randomBytes(24).toString("hex")}\n`, { flag: "wx", mode: 0o600 })
  } catch (error) {
    if (error.code !== "EEXIST") throw error
  }
  return readFileSync(file, "utf8").trim()
}

const count = Number(values.subscribers)
const rate = values["calls-per-second"]
const ocs = await start({
  port: Number(values.port),
  host: values.host,
  path: values.path,
  resellerId: Number(values.reseller),
  token: tokenIn(values["token-file"]),
  subscribers: count,
  timeZone: values["time-zone"],
  listLag: Number(values["list-lag"]) * 1_000,
  now: () => Date.now() + Number(values.ahead) * 1_000,
  callsPerSecond: rate === undefined ? null : Number(rate)
})
if (values.notify !== undefined) ocs.configureNotifications({ packages: values.notify, es2plus: values.notify })

console.log(`The charging system listens at ${ocs.url} and ${ocs.urlV2}, and has its book of usage at ${ocs.urlUsage}`)
console.log(`Its token is in ${values["token-file"]}`)
console.log(
  `Account 1 has ${count} eSIMs, ${iccidOf(1)} to ${iccidOf(count)}; zones 27 (France) and 28 (Europe); mobile plan 10`
)
console.log(`Controls: POST ${ocs.origin}/control/useData, setProfile, setFaults, configureNotifications, books`)

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ocs.close().then(() => process.exit(0)))
