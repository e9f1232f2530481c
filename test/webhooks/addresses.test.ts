/**
 * Where webhooks may go (rule W7).
 */
import { Option, Result } from "effect"
import { checkUrl, type Destinations } from "simplan/webhooks"
import { describe, expect, it } from "vitest"

const isFine = (url: string, options?: Destinations.Options): boolean => Result.isSuccess(checkUrl(url, options))

describe("A webhook's URL", () => {
  it.each([
    "https://example.com/hook?token=1",
    "http://example.com:8080",
    "https://user:secret@example.com/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[64:ff9b::808:808]/",
    "https://[2002:808:808::1]/",
    "https://[2606:4700::5eff:a00:1]/",
    "https://example.com:8443/",
    "https://example.com:80/"
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
    "http://[2002:7f00:1::]/",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://192.175.48.1/",
    "http://168.63.129.16/",
    "http://[::ffff:168.63.129.16]/",
    "http://[64:ff9b::a83f:8110]/",
    "http://[64:ff9b:1::808:808]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::ffff:0:8.8.8.8]/",
    "http://[::8.8.8.8]/",
    "http://[2606:4700::5efe:10.0.0.1]/",
    "http://[2606:4700::200:5efe:10.0.0.1]/",
    "http://[fe80::5efe:8.8.8.8]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:db8::1]/",
    "http://[2001:20::1]/",
    "http://[3fff::1]/",
    "http://[3ffe::1]/",
    "http://[5f00::1]/",
    "http://[100::1]/",
    "http://[200::1]/",
    "http://[4000::1]/",
    "http://[1fff::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/"
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

  it.each(["http://localhost../", "http://example..com/", "http://.example.com/", "http://../"])(
    "has no empty part in its name, as %s",
    (url) => {
      expect(isFine(url)).toBe(false)
      expect(isFine(url, { allowPrivateAddresses: true })).toBe(false)
    }
  )

  it.each(["http://example.com:22/", "https://example.com:25/", "https://example.com:0/", "http://8.8.8.8:6379/"])(
    "may not have another port, as %s, unless it is among those that are set",
    (url) => {
      const failure = Result.getFailure(checkUrl(url))
      expect(Option.getOrUndefined(failure)).toBe("must use one of the ports 80, 443, 8080, 8443")
      expect(isFine(url, { ports: [22, 25, 0, 6379] })).toBe(true)
      expect(isFine(url, { allowPrivateAddresses: true })).toBe(true)
    }
  )

  it("must have a port that is set", () => {
    expect(isFine("http://example.com/", { ports: [443] })).toBe(false)
    expect(isFine("https://example.com/", { ports: [443] })).toBe(true)
    expect(isFine("https://example.com:8443/", { ports: [443] })).toBe(false)
  })

  it("must be https where that is set, private addresses or not", () => {
    for (const allowPrivateAddresses of [false, true]) {
      expect(isFine("http://example.com/", { httpsOnly: true, allowPrivateAddresses })).toBe(false)
      expect(isFine("https://example.com/", { httpsOnly: true, allowPrivateAddresses })).toBe(true)
    }
  })
})
