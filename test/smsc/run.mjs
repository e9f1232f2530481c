// SMS over SMPP against a real SMSC, Debian's osmo-msc: `npm run test:smsc`.
//
// Where osmo-msc is missing it is installed by apt, which needs Debian, root and the network; where
// it cannot be, this fails and says so. osmo-msc also opens SCTP ports to base stations, which no
// test here uses. A kernel without SCTP would not let it start: there a small library, compiled by
// cc, opens TCP ports in their place.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fail, has, install, runs } from "../setup/debian.mjs"
import * as Long from "../setup/long.mjs"

const scratch = mkdtempSync(join(tmpdir(), "simplan-smsc-"))
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }))

const withoutSctp = () => {
  if (!has("cc")) fail("osmo-msc needs SCTP, which this kernel does not have, and there is no C compiler (cc)")
  const library = join(scratch, "sctp-as-tcp.so")
  const source = fileURLToPath(new URL("sctp-as-tcp.c", import.meta.url))
  const { status, stderr } = runs("cc", "-shared", "-fPIC", "-o", library, source, "-ldl")
  if (status !== 0) fail(`the library that stands in for SCTP cannot be compiled: ${stderr.trim()}`)
  return library
}

install("osmo-msc")
const preload = /^SCTP/m.test(readFileSync("/proc/net/protocols", "utf8")) ? "" : withoutSctp()
await Long.run("smsc", { SMSC_PRELOAD: preload })
