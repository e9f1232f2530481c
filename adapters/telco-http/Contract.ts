/**
 * The telco port as JSON over HTTP: the contract for a bridge to a telco, in any language. The
 * client, the server and the OpenAPI document in this folder come from this definition. It also
 * converts the values of the port to the wire and back.
 *
 * Each call is a POST with a bearer token and an `Idempotency-Key`. A 2xx means that the call is
 * done, 422 that the telco refuses it for good. Any other answer, or none, leaves the outcome
 * unknown, and the call is repeated. The list of packages and their usage change nothing, so they
 * have no key; a bridge may do without them, and without the call that pauses SIMs. Fields that a
 * bridge may not know are sent again without if it answers 400.
 */
import { Schema, SchemaGetter } from "effect"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "effect/http-api"
import { Time } from "simplan"
import { Iccid as Iccids, Label, Package as Packages, Plan, Recurrence, type Telco } from "simplan/ports"

const Text = Schema.String.check(Schema.isMinLength(1))

/** A text that a bridge reads in whatever way it is written (rules I1 and I13). */
const decoded = (text: typeof Text, decode: (text: string) => string) =>
  text.pipe(Schema.decode({ decode: SchemaGetter.transform(decode), encode: SchemaGetter.passthrough() }))

const PackageId = decoded(
  Text.annotate({ description: "simplan's name of the package: `<attachment id>:<occurrence>`" }),
  Packages.canonicalId
)

const Iccid = decoded(Text.annotate({ description: "18 to 20 digits" }), Iccids.canonical)

/** The text of an instant. */
const Instant = Schema.String.check(Schema.makeFilter((text: string) => Time.fromIso(text) !== undefined)).annotate({
  description: "RFC 3339 date-time with a zone",
  format: "date-time"
})

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Terms = Schema.Struct({
  name: Schema.String,
  coverage_id: Schema.String,
  region_code: Schema.String,
  label: Schema.Literals(Label.labels).annotate({ description: "Network supply tier" }),
  data_mega_bytes: Count.annotate({ description: "Allowance, in units of 1,048,576 bytes" }),
  period_days: Count.annotate({ description: "Validity from the first use where there is no window; 24 hours each" }),
  throttling: Schema.Array(
    Schema.Struct({ percentage: Count, limit: Schema.Literals(Plan.throttlingLimits) }).annotate({
      description: "Past this percentage of the allowance, the speed is held at `limit` Kbit/s"
    })
  ),
  recurrence: Schema.NullOr(
    Schema.Struct({ periodicity: Schema.Literals(Recurrence.periodicities), frequency: Count, occurrences: Count })
  ).annotate({ description: "For the record: simplan orders each package of a recurring plan by itself" })
}).annotate({ identifier: "Terms", description: "The terms of the plan that the package belongs to" })

/** The body of the creation of a package. */
export const Order = Schema.Struct({
  package_id: PackageId,
  iccid: Iccid,
  window: Schema.NullOr(Schema.Struct({ start: Instant, end: Instant })).annotate({
    description: "When the package is valid; null: from its first use, for `period_days`"
  }),
  terms: Terms,
  only_attachments: Schema.optionalKey(Schema.Array(Text)).annotate({
    description:
      "Of a SIM that was free until now: the attachments that alone may have packages on it. Refuse where it has a package " +
      "of simplan's of another one, and name that in `occupied_by`. Optional: answer 400, and the order comes without it"
  })
}).annotate({ identifier: "Order" })

/** The answer to a creation; times are null if the telco does not give them. */
export const Package = Schema.Struct({
  telco_package_id: Text.annotate({ description: "The telco's own name of the package; reports may use either" }),
  activation_at: Schema.optionalKey(Schema.NullOr(Instant)).annotate({ description: "Where the telco tells it" }),
  expiration_at: Schema.optionalKey(Schema.NullOr(Instant)).annotate({ description: "Where the telco tells it" })
}).annotate({ identifier: "Package" })

const toIso = (instant: Time.Instant | null): string | null => (instant === null ? null : Time.toIso(instant))

const fromIso = (text: string): Time.Instant => Time.fromIso(text) ?? Number.NaN

const optional = (text: string | null | undefined): Time.Instant | null => (text ? fromIso(text) : null)

/** The order of a package, on the wire. */
export const order = ({
  iccid,
  packageId,
  terms,
  window
}: Telco.PackageOrder): Omit<typeof Order.Type, "only_attachments"> => ({
  package_id: packageId,
  iccid,
  window: window === null ? null : { start: Time.toIso(window.start), end: Time.toIso(window.end) },
  terms: {
    name: terms.name,
    coverage_id: terms.coverageId,
    region_code: terms.regionCode,
    label: terms.label,
    data_mega_bytes: terms.dataMegaBytes,
    period_days: terms.periodDays,
    throttling: terms.throttling,
    recurrence: terms.recurrence
  }
})

/**
 * The order that a bridge has taken from the wire. The contract's schemas have checked the values
 * of the wire.
 */
export const orderFrom = ({
  iccid,
  only_attachments,
  package_id,
  terms,
  window
}: typeof Order.Type): Telco.PackageOrder => ({
  ...(only_attachments !== undefined && { onlyAttachments: only_attachments }),
  packageId: package_id,
  iccid,
  window: window === null ? null : { start: fromIso(window.start), end: fromIso(window.end) },
  terms: {
    name: terms.name,
    coverageId: terms.coverage_id,
    regionCode: terms.region_code,
    label: terms.label,
    dataMegaBytes: terms.data_mega_bytes,
    periodDays: terms.period_days,
    throttling: terms.throttling,
    recurrence: terms.recurrence
  }
})

/** A package that was made, on the wire. */
export const telcoPackage = ({
  activationAt,
  expirationAt,
  telcoPackageId
}: Telco.TelcoPackage): typeof Package.Type => ({
  telco_package_id: telcoPackageId,
  activation_at: toIso(activationAt),
  expiration_at: toIso(expirationAt)
})

/** A package that was made, from the wire. */
export const telcoPackageFrom = (one: typeof Package.Type): Telco.TelcoPackage => ({
  telcoPackageId: one.telco_package_id,
  activationAt: optional(one.activation_at),
  expirationAt: optional(one.expiration_at)
})

/** The body of a suspension. */
export const PackageRef = Schema.Struct({ package_id: PackageId, iccid: Iccid }).annotate({ identifier: "PackageRef" })

/** The body of a cancellation. */
export const Cancellation = Schema.Struct({
  ...PackageRef.fields,
  confirmed: Schema.optionalKey(Schema.Boolean).annotate({
    description: "True: an operator has said that it is to be cancelled, whoever uses it. Optional, as `undone`"
  }),
  undone: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "True: the creation that ordered it is undone. A telco that knows what was used of a package refuses to cancel one that " +
      "was used, and keeps it. Optional: answer 400, and the call comes without it"
  })
}).annotate({ identifier: "Cancellation" })

/** The body of a list of packages. */
export const Listing = Schema.Struct({
  iccid: Iccid,
  only_attachments: Schema.optionalKey(Schema.Array(Text)).annotate({
    description:
      "List only packages for which an order with the same `only_attachments` is refused. Optional: answer 400, and the " +
      "call comes without it, or list all"
  })
}).annotate({ identifier: "Listing" })

/** The answer to it; null: the telco cannot list them. */
export const Listed = Schema.Struct({
  package_ids: Schema.NullOr(
    Schema.Array(
      Text.annotate({
        description: "What a cancellation takes it away by: its `package_id`, or a name of the telco's own"
      })
    )
  ).annotate({ description: "Null: the telco cannot list them" })
}).annotate({ identifier: "Listed" })

/** The body of a question for usage. */
export const UsageQuery = Schema.Struct({
  iccid: Iccid,
  stopped: Schema.Array(PackageId).annotate({
    description: "Packages that are suspended already: of them the answer must have all that was used until then"
  })
}).annotate({ identifier: "UsageQuery" })

/** The answer to it; null: the telco cannot say. */
export const UsageOfPackages = Schema.Struct({
  packages: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        package_id: PackageId,
        total_bytes: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
          description: "All that was used of the package on this SIM"
        }),
        activation_at: Schema.optionalKey(Schema.NullOr(Instant)).annotate({
          description: "When it was first used, where the telco tells it"
        })
      })
    )
  ).annotate({ description: "Null: the telco cannot say" })
}).annotate({ identifier: "UsageOfPackages" })

/** What was used, on the wire. */
export const usage = (all: ReadonlyArray<Telco.PackageUsage> | null): typeof UsageOfPackages.Type => ({
  packages:
    all?.map(({ activationAt = null, packageId, usedBytes }) => ({
      package_id: packageId,
      total_bytes: usedBytes,
      activation_at: toIso(activationAt)
    })) ?? null
})

/** What was used, from the wire. */
export const usageFrom = ({ packages }: typeof UsageOfPackages.Type): ReadonlyArray<Telco.PackageUsage> | null =>
  packages?.map(({ activation_at, package_id, total_bytes }) => ({
    packageId: package_id,
    usedBytes: total_bytes,
    activationAt: optional(activation_at)
  })) ?? null

/** The body of an SMS. */
export const Message = Schema.Struct({
  message_id: Text,
  iccid: Iccid,
  from: Schema.String,
  text: Schema.String
}).annotate({ identifier: "Message" })

/** The body of a profile's release. */
export const Profile = Schema.Struct({ iccid: Iccid }).annotate({ identifier: "Profile" })

/** The body of a change of the mobile plan. */
export const MobilePlan = Schema.Struct({ iccid: Iccid, applied: Schema.Boolean }).annotate({
  identifier: "MobilePlan"
})

/** The body of a pause or a resumption. */
export const Service = Schema.Struct({
  iccid: Iccid,
  active: Schema.Boolean.annotate({ description: "False: the SIM is to have no service" })
}).annotate({ identifier: "Service" })

const problem = <Code extends string>(status: number, code: Code, identifier: string, description: string) =>
  Schema.Struct({ code: Schema.Literal(code), message: Schema.String })
    .annotate({ identifier, description })
    .pipe(HttpApiSchema.status(status))

/** 422: the telco refuses, for good. */
export const Refused = Schema.Struct({
  code: Schema.Literal("refused"),
  message: Schema.String,
  occupied_by: Schema.optionalKey(Schema.Array(Text)).annotate({
    description:
      "Of an order: the packages on its SIM that are of none of its `only_attachments`, as the list of packages calls them. " +
      "Nothing is made or remembered, and the same order is taken once they are gone"
  })
})
  .annotate({
    identifier: "Refused",
    description:
      "The telco refuses for good: the same call would be refused again. simplan gives up what it wanted; a suspension, a " +
      "cancellation or a release it asks for twice more, each time under a new key, and then leaves to an operator."
  })
  .pipe(HttpApiSchema.status(422))

/** 503: it is not known to be done; `Retry-After` may say when to call again. */
export const Unavailable = HttpApiSchema.WithHeaders(
  problem(
    503,
    "unavailable",
    "Unavailable",
    "The telco cannot be reached. The call comes again with the same key, not before `Retry-After` where that is given."
  ),
  { "retry-after": Schema.optionalKey(Schema.String.annotate({ description: "Seconds, or an HTTP date" })) }
)

/** 401: the token is missing or wrong. The telco was not called. */
export const Unauthorized = problem(401, "unauthorized", "Unauthorized", "The token is missing or not the right one.")

/** 400: the call does not fit the contract; the port fails with `Unavailable`. */
export const Malformed = problem(400, "malformed", "Malformed", "The call is not what this document describes.")

/** Requires the token. */
export class Token extends HttpApiMiddleware.Service<Token>()("simplan/telco-http/Token", {
  security: { token: HttpApiSecurity.bearer },
  error: Unauthorized
}) {}

/** Answers a call that does not match the contract, with the reason. */
export class Form extends HttpApiMiddleware.Service<Form>()("simplan/telco-http/Form", { error: Malformed }) {}

/** The header of every call that changes something. */
export const IDEMPOTENCY_KEY = "idempotency-key"

const headers = {
  [IDEMPOTENCY_KEY]: Text.annotate({
    description:
      "No two different calls have the same key. A call that comes again, also at the same time, has the first one's " +
      "outcome and no further effect. Remember what was done and what was refused; forget what was unavailable."
  })
}

const post = <const Name extends string, P extends Schema.Top, S extends Schema.Top>(
  name: Name,
  path: `/${string}`,
  parts: { readonly payload: P; readonly success: S; readonly summary: string; readonly description: string }
) =>
  HttpApiEndpoint.post(name, path, {
    headers,
    payload: parts.payload,
    success: parts.success,
    error: [Refused, Unavailable]
  }).annotateMerge(OpenApi.annotations({ summary: parts.summary, description: parts.description }))

const Done = HttpApiSchema.NoContent.annotate({ description: "Done" })

/** The calls of the port; the names are those of the port. */
export class Calls extends HttpApiGroup.make("telco", { topLevel: true })
  .add(
    post("createPackage", "/packages", {
      payload: Order,
      success: Package,
      summary: "Create a package on a SIM",
      description:
        "Idempotent by `package_id`: again, it answers the same package. Refused where the package was cancelled, also " +
        "where the cancellation came first, or the package is on another SIM: after a restore of an older backup a " +
        "subscription may move anew, and its packages be ordered by the same ids."
    }),
    post("suspendPackage", "/packages/suspend", {
      payload: PackageRef,
      success: Done,
      summary: "Stop all services of a package, for good",
      description: "Succeeds where there is no such package, or where it is suspended or cancelled already."
    }),
    post("cancelPackage", "/packages/cancel", {
      payload: Cancellation,
      success: Done,
      summary: "Take a package back",
      description:
        "Succeeds where there is no such package; its `package_id` is spent all the same, and a creation that arrives " +
        "later is refused."
    }),
    post("sendSms", "/messages", {
      payload: Message,
      success: Done,
      summary: "Send an SMS to a SIM",
      description: "Idempotent by `message_id`: again, it sends nothing."
    }),
    post("releaseProfile", "/profiles/release", {
      payload: Profile,
      success: Done,
      summary: "Make the profile of an eSIM available for a new download",
      description:
        "Succeeds where it is available already, or where the telco manages no profiles. Refused where the telco does not " +
        "know the ICCID, so that an operator sees to it."
    }),
    post("setMobilePlan", "/mobile-plans", {
      payload: MobilePlan,
      success: Done,
      summary: "Apply the organization's mobile plan to an eSIM, or remove it",
      description: "The last change holds; one that comes again, by its `Idempotency-Key`, undoes no later one."
    }),
    post("setService", "/services", {
      payload: Service,
      success: Done,
      summary: "Stop the service of a SIM, or start it again",
      description:
        "A pause: the packages on the SIM stay, and their times go on. The last change holds; one that comes again, by its " +
        "`Idempotency-Key`, undoes no later one. Optional: simplan makes this call only where its settings say that the " +
        "bridge has it."
    }),
    HttpApiEndpoint.post("listPackages", "/packages/list", {
      payload: Listing,
      success: Listed,
      error: [Refused, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List simplan's packages on a SIM",
        description:
          "All that are there, suspended ones included; those that are over may be left out. A package whose order the " +
          "telco does not know has a name of the telco's own, which no package of another SIM has. simplan cancels what is " +
          "listed before it sells the SIM again. Optional: where a bridge answers 400, 404, 405 or 501, or 2xx without a " +
          "list, simplan takes what was cancelled for gone, and looks no further."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("readUsage", "/packages/usage", {
      payload: UsageQuery,
      success: UsageOfPackages,
      error: [Refused, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Say what was used of simplan's packages on a SIM",
        description:
          "As the telco has counted it by now, whether it was reported or not; suspended packages included. Asked when a " +
          "subscription moves to another SIM, after its packages are suspended and before they are cancelled: simplan orders " +
          "what is left. Answer 503 while the figures are older than the suspensions. A package that is not there is left " +
          "out. Optional: where a bridge answers 400, 404, 405 or 501, or 2xx without an answer, simplan goes by the last report."
      })
    )
  )
  .middleware(Form)
  .middleware(Token)
  .annotateMerge(OpenApi.annotations({ title: "Telco", description: "What simplan asks of a telco" })) {}

/** The calls of a bridge, which client, server and document follow from. */
export class Contract extends HttpApi.make("simplan-telco")
  .add(Calls)
  .annotateMerge(
    OpenApi.annotations({
      title: "simplan: telco bridge",
      version: "1.0.0",
      description:
        "What a bridge to a telco answers to simplan. Serve these calls in any language, and point " +
        "`SIMPLAN_TELCO_URL` and `SIMPLAN_TELCO_KEY` at them. A 2xx means done, 422 refused for good; every other " +
        "status, an answer that is not in this form, and none within the time-out mean that nobody knows, and the " +
        "call comes again with the same key. Usage, first use, locations and SM-DP+ states go the other way, to " +
        "simplan's `POST /telco/v1/events`."
    })
  ) {}
