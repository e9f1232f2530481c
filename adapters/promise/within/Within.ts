/**
 * The methods that write, inside a transaction of the host (rule H1).
 */
import { Command, HostTransaction } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as CommandsResource from "../resources/CommandsResource.ts"
import * as CoverageResource from "../resources/CoverageResource.ts"
import * as OrganizationsResource from "../resources/OrganizationsResource.ts"
import * as PlansResource from "../resources/PlansResource.ts"
import * as SimsResource from "../resources/SimsResource.ts"
import * as SubscriptionsResource from "../resources/SubscriptionsResource.ts"
import type { Runtime } from "../Runtime.ts"
import type { Transaction, Within } from "../types/Within.ts"

const METHOD = "within"

const isTransaction = (transaction: unknown): transaction is Transaction =>
  typeof transaction === "object" &&
  transaction !== null &&
  "query" in transaction &&
  typeof transaction.query === "function"

/** The runtime whose calls run inside the transaction. */
const joined = (runtime: Runtime, transaction: Transaction): Runtime => ({
  ...runtime,
  run: (call, effect, options) => runtime.run(call, HostTransaction.within(transaction)(effect), options)
})

/**
 * The transaction that a method was given. Throws an `InvalidFieldError` if it has no method
 * `query`.
 */
export const checked = (method: string, transaction: unknown): Transaction => {
  if (isTransaction(transaction)) return transaction
  const message = "must have a function query(text, values), as fromPg(client) and its like give"
  throw Arguments.invalid(method, "transaction", message, transaction)
}

/**
 * Throws an `InvalidFieldError` at once if the transaction has no method `query`. A group of
 * methods is made when it is asked for: most transactions use one.
 */
export const make = (outside: Runtime, transaction: Transaction): Within => {
  const runtime = joined(outside, checked(METHOD, transaction))
  return {
    get apiKeys() {
      const { create, revoke, rotate } = OrganizationsResource.makeApiKeys(runtime)
      return { create, revoke, rotate }
    },
    get attachments() {
      return { suspend: SubscriptionsResource.makeAttachments(runtime).suspend }
    },
    get commands() {
      const { cancel, get } = CommandsResource.make(runtime)
      return { cancel, get }
    },
    get coverage() {
      return { createRegion: CoverageResource.make(runtime).createRegion }
    },
    get messages() {
      const method = {
        name: Command.methods.SendSms,
        decode: SubscriptionsResource.sending,
        fields: SubscriptionsResource.smsFields
      }
      return {
        send: CommandsResource.submitting(runtime, method, ({ from, iccid, text }) => ({
          _tag: "SendSms",
          iccid,
          from,
          text
        }))
      }
    },
    get organizations() {
      const { create, get } = OrganizationsResource.make(runtime)
      return { create, get }
    },
    get plans() {
      const { archive, create, get, remove, unarchive } = PlansResource.make(runtime)
      return { archive, create, get, remove, unarchive }
    },
    get sims() {
      return { import: SimsResource.make(runtime).import }
    },
    get subscriptions() {
      const { get, pause, remove, replace, resume } = SubscriptionsResource.make(runtime)
      const method = { name: Command.methods.CreateSubscription, decode: SubscriptionsResource.creation }
      const create = CommandsResource.submitting(runtime, method, ({ activePeriod, iccid, metadata, planId }) => ({
        _tag: "CreateSubscription",
        planId,
        metadata,
        iccid,
        activePeriod
      }))
      return { create, get, pause, remove, replace, resume }
    },
    get wallet() {
      const method = { name: Command.methods.SetMobilePlan, decode: SimsResource.change }
      return {
        setMobilePlan: CommandsResource.submitting(runtime, method, ({ apply, iccid, label }) => ({
          _tag: "SetMobilePlan",
          apply,
          label,
          iccid
        }))
      }
    }
  }
}
