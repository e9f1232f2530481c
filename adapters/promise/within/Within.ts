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

/** Throws an `InvalidFieldError` at once if the transaction has no method `query`. */
export const make = (outside: Runtime, transaction: Transaction): Within => {
  const runtime = joined(outside, checked(METHOD, transaction))
  const { create: createKey, revoke, rotate } = OrganizationsResource.makeApiKeys(runtime)
  const { cancel, get: getCommand } = CommandsResource.make(runtime)
  const { create: createOrganization, get: getOrganization } = OrganizationsResource.make(runtime)
  const { archive, create: createPlan, get: getPlan, remove: removePlan, unarchive } = PlansResource.make(runtime)
  const { get, pause, remove, replace, resume } = SubscriptionsResource.make(runtime)
  return {
    apiKeys: { create: createKey, revoke, rotate },
    attachments: { suspend: SubscriptionsResource.makeAttachments(runtime).suspend },
    commands: { cancel, get: getCommand },
    coverage: { createRegion: CoverageResource.make(runtime).createRegion },
    messages: {
      send: CommandsResource.submitting(
        runtime,
        {
          name: Command.methods.SendSms,
          decode: SubscriptionsResource.sending,
          fields: SubscriptionsResource.smsFields
        },
        ({ from, iccid, text }) => ({ _tag: "SendSms", iccid, from, text })
      )
    },
    organizations: { create: createOrganization, get: getOrganization },
    plans: { archive, create: createPlan, get: getPlan, remove: removePlan, unarchive },
    sims: { import: SimsResource.make(runtime).import },
    subscriptions: {
      get,
      pause,
      remove,
      replace,
      resume,
      create: CommandsResource.submitting(
        runtime,
        { name: Command.methods.CreateSubscription, decode: SubscriptionsResource.creation },
        ({ activePeriod, iccid, metadata, planId }) => ({
          _tag: "CreateSubscription",
          planId,
          metadata,
          iccid,
          activePeriod
        })
      )
    },
    wallet: {
      setMobilePlan: CommandsResource.submitting(
        runtime,
        { name: Command.methods.SetMobilePlan, decode: SimsResource.change },
        ({ apply, iccid, label }) => ({ _tag: "SetMobilePlan", apply, label, iccid })
      )
    }
  }
}
