/**
 * A telco over a charging system that knows no idempotency keys. A bundle of that system has a note, which keeps the
 * package's id: so what came of a call whose answer was lost can be looked up.
 */
import { Effect, Layer, Schema, Semaphore } from "effect"
import { Telco } from "simplan/ports"

/** What is known by key, in a table with a primary key: it has to outlive the process. */
export interface Memory {
  readonly get: (key: string) => Promise<string | undefined>
  readonly set: (key: string, value: string) => Promise<void>
}

class Refusal extends Error {}

const Bundle = Schema.Struct({ id: Schema.String, note: Schema.String })
const decodeBundle = Schema.decodeUnknownPromise(Bundle)
const decodeBundles = Schema.decodeUnknownPromise(Schema.Array(Bundle))

export const layer = ({ memory, url }: { readonly memory: Memory; readonly url: string }): Layer.Layer<Telco.Telco> =>
  Layer.effect(
    Telco.Telco,
    Effect.gen(function* () {
      // One call after the other: who reads and then acts must be alone. A lock for each SIM does, too.
      const turns = yield* Semaphore.make(1)
      const ask = <A>(work: (signal: AbortSignal) => Promise<A>) =>
        turns.withPermit(
          Effect.tryPromise({
            try: work,
            catch: (error) =>
              error instanceof Refusal
                ? new Telco.Refused({ message: error.message })
                : new Telco.Unavailable({ message: String(error) })
          })
        )

      /** A call of the charging system. */
      const send = async (signal: AbortSignal, method: string, path: string, body: object | null = null) => {
        const json =
          body === null ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
        const response = await fetch(`${url}${path}`, { method, signal, ...json })
        const text = await response.text()
        if (response.status === 422) throw new Refusal(text)
        if (!response.ok) throw new Error(`The charging system answers ${response.status}`)
        return text === "" ? null : (JSON.parse(text) as unknown)
      }

      const find = async (signal: AbortSignal, iccid: string, packageId: string) => {
        const all = await decodeBundles(await send(signal, "GET", `/sims/${iccid}/bundles`))
        return all.find(({ note }) => note === packageId)
      }

      return {
        createPackage: ({ iccid, packageId, terms, window }) =>
          ask(async (signal) => {
            if (await memory.get(`cancelled ${packageId}`)) throw new Refusal("The package was cancelled")
            const start = window === null ? null : new Date(window.start).toISOString()
            const order = { sim: iccid, note: packageId, mb: terms.dataMegaBytes, days: terms.periodDays, start }
            const { id } =
              (await find(signal, iccid, packageId)) ??
              (await decodeBundle(await send(signal, "POST", "/bundles", order)))
            return { telcoPackageId: id, activationAt: window?.start ?? null, expirationAt: window?.end ?? null }
          }),
        suspendPackage: ({ iccid, packageId }) =>
          ask(async (signal) => {
            const found = await find(signal, iccid, packageId)
            if (found !== undefined) await send(signal, "POST", `/bundles/${found.id}/stop`)
          }),
        cancelPackage: ({ iccid, packageId }) =>
          ask(async (signal) => {
            // First: a creation that comes later must find it.
            await memory.set(`cancelled ${packageId}`, "yes")
            const found = await find(signal, iccid, packageId)
            if (found !== undefined) await send(signal, "DELETE", `/bundles/${found.id}`)
          }),
        sendSms: ({ from, iccid, messageId, text }) =>
          ask(async (signal) => {
            const state = await memory.get(`message ${messageId}`)
            if (state === "sent") return
            // Nothing tells whether a message was sent. Twice is worse than not at all.
            if (state === "sending") throw new Refusal("The message may have been sent, and is not sent again")
            await memory.set(`message ${messageId}`, "sending")
            await send(signal, "POST", "/texts", { sim: iccid, from, text })
            await memory.set(`message ${messageId}`, "sent")
          }),
        releaseProfile: ({ iccid }) =>
          ask(async (signal) => {
            await send(signal, "POST", `/sims/${iccid}/release`)
          }),
        setMobilePlan: ({ applied, iccid, key }) =>
          ask(async (signal) => {
            // A change that comes again must undo no later one.
            if (await memory.get(`mobile plan ${key}`)) return
            await send(signal, "PUT", `/sims/${iccid}/roaming`, { on: applied })
            await memory.set(`mobile plan ${key}`, "set")
          })
      }
    })
  )
