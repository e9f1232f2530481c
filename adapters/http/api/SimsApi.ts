/**
 * The SIM inventory of an organization (rules I1 and I2), and its mobile plan on eSIMs (rule I6).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Label, Operator, Refusal, SimCorrection, SmdpHistory, Stock, Tags, TextLimit, Withdrawal } from "simplan/ports"
import * as Operations from "./Operations.ts"
import * as Roles from "./Roles.ts"
import { Bulk, Moves, Samples, Verdicts } from "simplan/views"
import * as Schemas from "./Schemas.ts"
import * as Views from "./Views.ts"
import { Fields } from "../../fields/index.ts"

export const Sim = Schema.Struct({
  iccid: Schemas.iccid,
  label: Schemas.label,
  lpa: Schemas.lpa,
  install: Schemas.install,
  used: Schemas.field(
    Schema.Boolean,
    "Whether the SIM is taken: by a subscription, by a creation or deletion under way, or withdrawn",
    true
  ),
  esim_id: Schemas.simId,
  created_at: Schemas.createdAt,
  is_esim: Schemas.isEsim,
  tags: Schemas.field(Schema.Array(Schema.String), "The words that the organization has for the SIM", [
    "airport",
    "VIP"
  ])
}).annotate({ identifier: "Sim" })

const Status = Fields.oneOf(SimCorrection.statuses)

const Reason = Fields.oneOf(Withdrawal.reasons)

/** A SIM by itself (rule L5): lists have its tags beside what the interface names. */
export const SimDetails = Schema.Struct({
  ...Sim.fields,
  status: Schemas.field(Status, "`withdrawn`: no subscription gets it", "available"),
  withdrawn_reason: Schemas.field(Schema.NullOr(Reason), "Why it is withdrawn; null: it is not", null),
  replaces: Schemas.field(Schema.NullOr(Views.answer(Moves.SimMove)), Moves.SimMoves.fields.replaces.meaning, null),
  replaced_by: Schemas.field(
    Schema.NullOr(Views.answer(Moves.SimMove)),
    Moves.SimMoves.fields.replacedBy.meaning,
    null
  ),
  imsi: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The IMSI; null: it has none, or that is not known. Only in the management API",
    Samples.imsi
  ),
  msisdn: Schemas.optional(
    Schema.NullOr(Schema.String),
    "The phone number with its calling code, without a plus sign; null: it has none, or that is not known. Only in the management API",
    Samples.msisdn
  ),
  version: Schemas.version,
  works: Schemas.field(Schema.NullOr(Schema.Boolean), Verdicts.Verdict.fields.works.meaning, false),
  reason: Schemas.field(Views.answer(Verdicts.VerdictReason), Verdicts.Verdict.fields.reason.meaning)
}).annotate({ identifier: "SimDetails" })

const correctable = ["label", "lpa_string", "status", "tags"] as const

/** A SIM after its correction. */
export const UpdatedSim = Schema.Struct({
  ...Schemas.data(SimDetails).fields,
  preview: Schemas.optional(
    Schema.Struct({
      changed: Schemas.field(
        Schema.Array(Schema.Literals(correctable)),
        "What would change; nothing where the SIM is so already",
        ["label"]
      )
    }),
    Schemas.DRY_RUN
  )
}).annotate({ identifier: "UpdatedSim" })

export const UpdateSim = Schema.Struct({
  label: Schemas.optional(Schemas.label, "The label; only while no subscription holds the SIM", "Green"),
  lpa_string: Schemas.optional(
    Schema.NullOr(Schemas.text(TextLimit.LPA)),
    "The activation code of an eSIM; null: it has none",
    Samples.lpa
  ),
  status: Schemas.optional(
    Status,
    "`withdrawn` takes the SIM out of the stock, only while no subscription holds it; `available` puts it back",
    "withdrawn"
  ),
  reason: Schemas.optional(Schema.NullOr(Reason), "Why it is withdrawn; only with that status", "broken"),
  tags: Schemas.optional(
    Schemas.list(Schemas.text(TextLimit.TAG), Tags.MOST),
    "The words that the organization has for the SIM, in place of those before; none with an empty list",
    ["airport", "VIP"]
  )
}).annotate({
  identifier: "UpdateSim",
  examples: [{ label: "Green", lpa_string: Samples.lpa, status: "available", tags: ["airport", "VIP"] }]
})

const UpdateSims = Schema.Struct({
  sims: Schemas.field(
    Schema.Array(Schema.Struct({ iccid: Schemas.iccid, ...UpdateSim.fields })),
    "The corrections, each of one SIM; each is a row, counted from 1"
  )
}).annotate({ identifier: "UpdateSims" })

const UpdatesFile = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })).annotate({
  description:
    "A header with the column iccid and some of label, lpa_string (or lpa), status, reason and tags, in any order; then a row per SIM. " +
    "Tags are separated by `;`. What a row leaves empty stays, and `-` as an activation code or as tags removes them; other " +
    "columns are ignored"
})

export const RowResult = Schema.Struct({
  row: Schemas.field(Schema.Int, "Counted from 1, the header not included", 7),
  line: Schemas.field(
    Schema.NullOr(Schema.Int),
    "The line on which the row begins in the body that was sent; null: not known",
    8
  ),
  iccid: Schemas.iccid,
  result: Schemas.field(
    Schema.Literals(["corrected", "unchanged", "refused"]),
    "`unchanged`: the SIM was so already",
    "corrected"
  ),
  code: Schemas.optional(Schema.String, "Why it is refused, as the `code` of an error", "sim_in_use"),
  message: Schemas.optional(Schema.String, "The same for people", "A subscription holds the SIM")
}).annotate({ identifier: "SimUpdateResult" })

export const RowResults = Schemas.data(Schema.Array(RowResult))

const State = Schema.Literals(SmdpHistory.states)

export const SmdpInfo = Schema.Struct({
  iccid: Schemas.iccid,
  state_history: Schemas.field(
    Schema.Array(
      Schema.Struct({
        state: Schemas.field(State, "The state that was reported", "Enable"),
        modification_result: Schemas.string("Whether the change succeeded, as the SM-DP+ put it", "Success"),
        modified_at: Schemas.field(Schemas.Timestamp, "When the SM-DP+ made the change", Samples.used)
      })
    ),
    "What the SM-DP+ reported of the profile, oldest first, failures included"
  ),
  current_status: Schemas.field(Schema.NullOr(State), "The last state that was reached; null until one was", "Enable")
}).annotate({ identifier: "SmdpInfo" })

export const SetMobilePlan = Schema.Struct({
  apply: Schemas.field(Schema.Boolean, "True applies the mobile plan, false removes it", true),
  label: Schemas.chosenLabel,
  iccid: Schema.optionalKey(
    Schemas.iccidOfBody("The eSIM; where it is absent, one without a mobile plan is chosen", Samples.iccid)
  )
}).annotate({ identifier: "SetMobilePlan" })

const number = (means: string, example: number) => Schemas.field(Schema.Int, means, example)

export const StockItem = Schema.Struct({
  label: Schemas.chosenLabel,
  free: number("The eSIMs that a creation without `iccid` may get", 950),
  in_use: number("The eSIMs that a subscription has, or a creation under way", 40),
  releasing: number("The eSIMs on their way back to stock: the telco has not confirmed the release", 3),
  withdrawn: number("The eSIMs that were withdrawn: nobody gets them", 2),
  downloaded: number(
    "The eSIMs that nobody has, but that were downloaded: only a creation with their `iccid` gets them",
    7
  ),
  lapsed: number("The eSIMs that nobody has, and that nobody is given: they have to be put into use within a day", 0),
  physical: Schemas.field(
    Schema.Struct({
      free: number("Those that nobody has", 20),
      in_use: number("Those that a subscription has, or a creation under way", 5),
      releasing: number("Those on their way back to stock", 0),
      withdrawn: number("Those that were withdrawn", 0)
    }),
    "The physical SIMs"
  ),
  level: Schemas.field(
    Schema.NullOr(Schema.Int),
    "`stock.low` is sent once fewer eSIMs are free; null where no level is set",
    100
  )
}).annotate({ identifier: "StockItem" })

const StockLevel = Schema.Struct({
  label: Schemas.chosenLabel,
  level: Schemas.field(Schemas.integer(1, Stock.HIGHEST), "`stock.low` is sent once fewer eSIMs are free", 100)
})

export const StockLevels = Schema.Struct({
  levels: Schemas.field(
    Schemas.list(StockLevel, Label.labels.length),
    "The levels, of each label at most one. A label that is not named has none from then on"
  )
}).annotate({ identifier: "StockLevels" })

export const MobilePlanItem = Schemas.data(
  Schema.Struct({
    iccid: Schemas.iccid,
    mobile_plan_applied: Schemas.field(Schema.Boolean, "Whether the eSIM has the mobile plan now", true),
    id: Schemas.field(Schema.Int, "The eSIM's place in the order of the organization's imports, from 1", 1)
  }).annotate({ identifier: "MobilePlanStatus" })
)

/** What the management API reads too. */
export const reads = {
  list: Operations.readOfAll("list", "/sims", {
    query: {
      ...Schemas.paging(100, 25, Samples.inventoryCursor),
      ...Views.query(Bulk.SimFilter.own),
      ...Schemas.installable
    },
    success: Schemas.page(Sim, Samples.inventoryCursor),
    errors: ["invalid_field"],
    summary: "List SIMs by order of import",
    description:
      "A page of the organization's SIMs, in the order of their import. A page that is filtered by more than `is_esim` and `label` " +
      "may have fewer items than `page_size`, or none, and a next page.",
    hasCodes: true
  }),
  get: Operations.readOfOne("get", "/sims/:iccid", Schemas.ofSim, {
    query: Schemas.installable,
    success: Schemas.data(SimDetails),
    errors: ["invalid_field", "sim_not_found"],
    summary: "Get a SIM, and why it works or does not",
    description:
      "One SIM of the inventory, whether a phone with it has data now, why it has or has not, and what to do next. `ETag` is about " +
      "what can be corrected: `works` and `reason` change without it.",
    hasCodes: true
  }),
  stock: Operations.readOfAll("stock", "/sims/stock", {
    success: Schemas.data(Schema.Array(StockItem)),
    errors: [],
    summary: "How many SIMs are free, in use and on their way back",
    description:
      "The stock by label, of each label that the organization has SIMs of or a level for. Of a large inventory (from about " +
      "200,000 SIMs on) the answer may be some seconds old."
  }),
  qrCode: Operations.readOfOne("qrCode", "/sims/:iccid/qr.svg", Schemas.ofSim, {
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "image/svg+xml" })),
    errors: ["sim_not_found", "activation_code_not_found"],
    summary: "The QR code that installs an eSIM",
    description:
      "An SVG image of the activation code, for the camera of a phone. Whoever sees it can download the profile. A SIM without " +
      "an activation code has none (404).",
    role: "support"
  }),
  smdpInfo: Operations.readOfOne("smdpInfo", "/sims/:iccid/smdp-info", Schemas.ofSim, {
    success: Schemas.data(SmdpInfo),
    errors: ["sim_not_found"],
    summary: "The SM-DP+ state history of an eSIM's profile",
    description: "What the SM-DP+ reported of the eSIM's profile. A physical SIM has no profile (404)."
  })
}

/** The correction of a SIM, which the management API has too. */
export const update = Operations.correction("update", "/sims/:iccid", Schemas.ofSim, {
  query: { ...Schemas.previewable, ...Schemas.installable },
  payload: UpdateSim,
  success: UpdatedSim,
  errors: ["sim_not_found", ...Refusal.codesOf("correction"), "changed_meanwhile"],
  summary: "Correct a SIM; absent fields stay",
  description:
    "Changes the label, the activation code, the status or the tags. While a subscription holds the SIM, it keeps its label and " +
    "cannot be withdrawn. A withdrawn SIM is not chosen for a creation or a mobile plan, and a creation that names it " +
    "is refused."
})

const LEVELS = [
  "Set the levels of free eSIMs",
  "Sets below how many free eSIMs of a label `stock.low` is sent, in place of all levels before. The event is sent once each " +
    "time the number falls below the level, within about a second, to endpoints whose filter names it; also where it is below " +
    "already when the level is set."
] as const

const levels = { payload: StockLevels, success: Schemas.data(StockLevels) }

/** The levels of the stock, which the management API sets too. */
export const setStockLevels = {
  v3: HttpApiEndpoint.put("setStockLevels", "/sims/stock/levels", {
    ...levels,
    error: Schemas.problems(
      ...Schemas.always,
      "key_read_only",
      "invalid_field",
      "malformed_json",
      "body_too_large",
      "unsupported_media_type",
      "request_timeout"
    )
  }).annotateMerge(Schemas.operation(...LEVELS)),
  managed: HttpApiEndpoint.put("setStockLevels", "/organizations/:id/sims/stock/levels", {
    ...levels,
    params: Schemas.ofOrganization,
    error: Operations.managedErrors(Schemas.withBody)
  }).annotateMerge(Roles.operation("support", ...LEVELS))
}

const CORRECTIONS = [
  "Correct many SIMs; a refused row stops no other",
  "Corrects SIMs row by row, as JSON or as CSV of at most 64 MiB and 3,000,000 rows, and answers what came of each, while the " +
    "rows arrive: read the answer while you send, or send at most 10,000 rows at once. The same rows again change nothing more, " +
    "so after a broken connection send them all again. With an `Idempotency-Key` the answer begins when all rows are done: at most 4 MiB and " +
    "25,000 rows, of which the fields count, and not their order or the format. Of more than 1,000 refused rows the further ones " +
    "have no `code`. After a crash the same request goes on behind the rows that are done. With `dry_run` no key counts."
] as const

const corrections = {
  query: {
    dry_run: Schemas.optional(Schemas.Flag, "True: says what would come of each row, and changes nothing", "true")
  },
  payload: [UpdateSims, UpdatesFile],
  success: RowResults
} as const

const correcting = ["malformed_csv", ...Schemas.once, ...Schemas.withBody] as const

/** The corrections of many SIMs, which the management API has too. */
export const updateMany = {
  v3: HttpApiEndpoint.post("updateMany", "/sims/updates", {
    ...corrections,
    error: Schemas.problems(...Schemas.always, "key_read_only", ...correcting)
  }).annotateMerge(Schemas.operation(...CORRECTIONS)),
  managed: HttpApiEndpoint.post("updateMany", "/organizations/:id/sims/updates", {
    ...corrections,
    params: Schemas.ofOrganization,
    error: Operations.managedErrors(correcting)
  }).annotateMerge(Roles.operation(Operator.ofMany, ...CORRECTIONS))
}

export class SimsApi extends HttpApiGroup.make("sims")
  .add(
    reads.list.v3,
    reads.get.v3,
    reads.stock.v3,
    setStockLevels.v3,
    reads.qrCode.v3,
    update.v3,
    updateMany.v3,
    reads.smdpInfo.v3
  )
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(Schemas.group("SIMs", "The organization's inventory of eSIMs and physical SIMs."))
  .prefix("/v3") {}

export class WalletApi extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.post("setMobilePlan", "/wallet/mobile-plan", {
      payload: SetMobilePlan,
      success: MobilePlanItem,
      error: Schemas.problems(
        ...Schemas.posting,
        ...Refusal.codesOf("mobilePlan"),
        "sim_not_found",
        "no_free_esim",
        "esims_releasing",
        "telco_refused",
        "telco_unavailable"
      )
    }).annotateMerge(
      Schemas.operation(
        "Apply the mobile plan to an eSIM, or remove it",
        "Applies the organization's mobile plan to an eSIM or removes it. Without `iccid`, an eSIM of the label that has none is " +
          "chosen. A withdrawn eSIM gets none."
      )
    )
  )
  .annotateEndpointsMerge(Schemas.byApiKey)
  .annotateMerge(Schemas.group("Wallet", "The organization's mobile plan on its eSIMs."))
  .prefix("/v3") {}
