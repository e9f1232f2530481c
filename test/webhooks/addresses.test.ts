import { Result } from "effect"
import { Addresses, checkUrl } from "simplan/webhooks"
import { describe, expect, it } from "vitest"

const isFine = (url: string, options?: Addresses.Options): boolean => Result.isSuccess(checkUrl(url, options))

describe("A webhook's URL", () => {
  it.each([
    "https://example.com/hook?token=1",
    "http://example.com:8080",
    "https://user:secret@example.com/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[64:ff9b::808:808]/"
  ])("may be %s", (url) => {
    expect(isFine(url)).toBe(true)
  })

  it.each([
    "http://localhost:3000/",
    "http://LOCALHOST./",
    "http://api.localhost/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/"
  ])("may not be %s, unless private addresses are allowed", (url) => {
    expect(isFine(url)).toBe(false)
    expect(isFine(url, { allowPrivateAddresses: true })).toBe(true)
  })

  it.each(["ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "example.com", "/hook", "", "http://"])(
    "may never be %j",
    (url) => {
      expect(isFine(url)).toBe(false)
      expect(isFine(url, { allowPrivateAddresses: true })).toBe(false)
    }
  )
})

describe("The look-up of a webhook's host", () => {
  const lookup = (hostname: string, all: boolean) =>
    new Promise<string>((resolve) =>
      Addresses.publicLookup(hostname, { all }, (error, address) => {
        resolve(error === null ? JSON.stringify(address) : error.message)
      })
    )

  it.each([true, false])(
    "refuses a name that resolves to a private address, all addresses asked for: %s",
    async (all) => {
      expect(await lookup("localhost", all)).toBe("localhost resolves to a loopback, private or reserved address")
    }
  )

  it.each([true, false])("gives public addresses, all addresses asked for: %s", async (all) => {
    expect(await lookup("8.8.8.8", all)).toContain("8.8.8.8")
  })
})
