import { Effect } from "effect"
import { WebhookSender } from "simplan/ports"
import { afterAll, expect, it, vi } from "vitest"

const addresses = vi.hoisted(() => ({ current: [] as Array<{ address: string; family: number }> }))

vi.mock("node:dns", () => ({
  lookup: (_hostname: string, _options: unknown, callback: (error: null, all: unknown) => void) =>
    callback(null, addresses.current)
}))

// Other tests of this worker have loaded the sender with the real `node:dns`.
vi.resetModules()
const { HttpSender } = await import("simplan/webhooks")
afterAll(() => vi.resetModules())

const failure = (url: string): Promise<string> =>
  WebhookSender.WebhookSender.use((sender) =>
    Effect.flip(sender.send({ url, eventId: "e1", body: "{}", at: 0, signingKeys: ["whsec_AA=="] }))
  ).pipe(
    Effect.map(({ message }) => message),
    Effect.provide(HttpSender.layer({ timeout: "2 seconds" })),
    Effect.runPromise
  )

it.each([
  { name: "loopback", found: [{ address: "127.0.0.1", family: 4 }] },
  { name: "the metadata address", found: [{ address: "::ffff:169.254.169.254", family: 6 }] },
  {
    name: "a public and a private address",
    found: [
      { address: "93.184.216.34", family: 4 },
      { address: "10.0.0.1", family: 4 }
    ]
  },
  { name: "nothing", found: [] }
])("The sender does not go where a name resolves to $name", async ({ found }) => {
  addresses.current = found
  for (const scheme of ["http", "https"]) {
    expect(await failure(`${scheme}://innocent.example:9/`)).toBe(
      "innocent.example resolves to a loopback, private or reserved address"
    )
  }
})
