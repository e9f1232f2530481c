/**
 * The settings file that the documents show, in a folder with its secrets.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const SECRETS = {
  token: "ocs-token-of-the-test",
  notification: "notification-secret-of-the-test",
  password: "smsc-password-of-the-test",
  key: "-----BEGIN PRIVATE KEY-----",
  certificate: "-----BEGIN CERTIFICATE-----"
}

export const ENV = { OCS_NOTIFICATION_SECRET: SECRETS.notification }

export const ORGANIZATION = "0190f5fe-7c00-7a00-8000-000000000001"

export const example = {
  telcos: {
    ocs: {
      kind: "ocs",
      url: "http://127.0.0.1:9000/ocs-custo/main/v1",
      url_v2: "http://127.0.0.1:9000/ocs-custo/main/v2",
      token: { file: "ocs.token" },
      reseller_id: 1,
      zones: { Green: { FR: 27, EUROPE: 28 } },
      mobile_plan_id: 10,
      notifications: { secret: { env: "OCS_NOTIFICATION_SECRET" } },
      calls_per_second: 20,
      timeout: "10 seconds",
      poll: { fastest: "10 seconds", slowest: "6 hours" }
    },
    smdp: {
      kind: "es2plus",
      url: "https://smdp.example/gsma/rsp2/es2plus",
      key: { file: "client.key" },
      certificate: { file: "client.pem" }
    },
    smsc: { kind: "smpp", url: "smpp://user@127.0.0.1:2775", password: { file: "smsc.password" } },
    sandbox: { kind: "simulator" }
  },
  routes: [
    { label: "Green", packages: "ocs", sms: "smsc", profiles: "smdp" },
    { organization_id: ORGANIZATION, packages: "sandbox" },
    { packages: "sandbox" }
  ]
}

/** A new folder with the secrets of the example. */
export const folder = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "simplan-telcos-"))
  const files = {
    "ocs.token": SECRETS.token,
    "client.key": SECRETS.key,
    "client.pem": SECRETS.certificate,
    "smsc.password": SECRETS.password
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), `${content}\n`)
  return directory
}
