/**
 * A service over memory with one organization, one SIM or several, and a telco that is given.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { Attachments, Catalogues, Organizations, Plans, Services, Sims, Subscriptions, Time } from "simplan"
import { Clocks, Storage, type Telco, WebhookSender } from "simplan/ports"
import { StandardCatalogue } from "simplan/catalogue"
import * as Memory from "simplan/memory"
import * as Machine from "../../adapters/simulation/Machine.ts"

const clock = Layer.succeed(Clocks.BusinessClock, { now: Clock.currentTimeMillis, set: null })
const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.succeed({ status: 200 }) })

export const make = Effect.fnUntraced(function* (
  telco: Context.Context<Telco.Telco>,
  iccid: string,
  others: ReadonlyArray<string> = []
) {
  let isFailing = (_: Storage.Commit): boolean => false
  const storages = Layer.effectContext(
    Effect.gen(function* () {
      const memory = yield* Layer.build(Memory.layer)
      const storage = Context.get(memory, Storage.Storage)
      const commit: typeof storage.commit = (written) =>
        isFailing(written)
          ? Effect.fail(new Storage.StorageError({ message: "The storage is out of reach" }))
          : storage.commit(written)
      return Context.add(memory, Storage.Storage, { ...storage, commit })
    })
  )
  const services = yield* Layer.build(
    Services.layer.pipe(
      Layer.provide([storages, StandardCatalogue.layer, Machine.crypto(1), clock, sender, Layer.succeedContext(telco)])
    )
  )
  const { organizationId } = yield* Context.get(services, Organizations.Organizations).create({ name: "Acme" })
  yield* Context.get(services, Sims.Sims).importRows({
    organizationId,
    rows: Stream.fromIterable(
      [iccid, ...others].map((one) => ({ iccid: one, label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$ABC" }))
    )
  })
  const catalogue = yield* Context.get(services, Catalogues.Catalogues).current
  const coverageId =
    catalogue.profiles.find(({ label, regionCode }) => label === "Green" && regionCode === "EUROPE")?.coverageId ?? ""
  let attachmentId = ""
  return {
    organizationId,
    services,
    /** Has commits fail of which this holds: they are not done. */
    failCommits: (isMeant: (commit: Storage.Commit) => boolean): void => {
      isFailing = isMeant
    },
    /** Attaches a plan of 30 days: from its start on, or from its first use. */
    subscribe: ({
      alertThresholds,
      megaBytes,
      on = iccid,
      start
    }: {
      readonly alertThresholds?: ReadonlyArray<number>
      readonly megaBytes: number
      readonly on?: string
      readonly start?: number
    }) =>
      Effect.gen(function* () {
        const terms = { name: "Plan", coverageId, dataMegaBytes: megaBytes, periodDays: 30 }
        const { planId } = yield* Context.get(services, Plans.Plans).create({
          organizationId,
          terms: { ...terms, throttling: [], recurrence: null, ...(alertThresholds && { alertThresholds }) }
        })
        const activePeriod = start === undefined ? null : { start, end: start + 30 * Time.DAY }
        const created = yield* Context.get(services, Subscriptions.Subscriptions).create({
          organizationId,
          planId,
          metadata: "",
          iccid: on,
          activePeriod
        })
        attachmentId = created.attachmentId
        return { attachmentId }
      }).pipe(Effect.orDie),
    /** Deletes the subscription of the SIM. */
    remove: Effect.orDie(Context.get(services, Subscriptions.Subscriptions).remove({ organizationId, iccid })),
    /** Who has the SIM. */
    allocation: Effect.map(
      Effect.orDie(Context.get(services, Sims.Sims).get({ organizationId, iccid })),
      ({ allocation }) => allocation._tag
    ),
    /** The attachment that was made last. */
    attachment: Effect.suspend(() =>
      Effect.orDie(Context.get(services, Attachments.Attachments).get({ organizationId, iccid, id: attachmentId }))
    )
  }
})

export type Service = Effect.Success<ReturnType<typeof make>>
