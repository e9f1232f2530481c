/**
 * Telcos: the location zones of coverage profiles, which plans need (rule P4), and what telcos
 * notify by themselves, in their own words. The secret in the path says who sends a notification:
 * telcos can send no token.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Roles from "./Roles.ts"
import { Samples } from "simplan/views"
import * as Schemas from "./Schemas.ts"

export const Zone = Schema.Struct({
  label: Schemas.chosenLabel,
  coverage_id: Schemas.idOfBody(...Schemas.means.coverageId),
  zone_id: Schemas.field(Schemas.integer(1, Number.MAX_SAFE_INTEGER), "The number of the telco's location zone", 27)
}).annotate({ identifier: "Zone" })

/** The answer that an OCS expects. */
const OcsAnswer = Schema.Struct({
  result: Schemas.field(
    Schema.Struct({
      code: Schemas.field(Schema.Int, "0: taken", 0),
      msg: Schemas.string("What became of it, for people", "OK")
    }),
    "What became of the notification"
  )
}).annotate({ identifier: "OcsAnswer" })

const ofTelco = { name: Schemas.string("The telco's name in the settings file", "ocs") }

const ofSender = {
  ...ofTelco,
  secret: Schemas.string("The secret of the telco's notifications", "3q2-7wQhF0aLr9Zc")
}

const problems = Schemas.problems(
  ...Schemas.unguarded,
  "rate_limited",
  "route_not_found",
  "invalid_field",
  "malformed_json",
  "malformed_body",
  "body_too_large",
  "internal_error",
  "storage_unavailable"
)

export const Comparison = Schema.Struct({
  telco: ofTelco.name,
  requested_at: Schemas.field(Schema.NullOr(Schemas.Timestamp), "When it was asked for; null: never", Samples.used),
  compared: Schemas.field(Schema.Int, "How many SIMs were compared since", 4000),
  unanswered: Schemas.field(Schema.Int, "Of how many SIMs the telco has not answered", 0),
  done_at: Schemas.field(
    Schema.NullOr(Schemas.Timestamp),
    "When it ended; null: it is under way, or was never asked for",
    Samples.used
  )
}).annotate({ identifier: "Comparison" })

const Comparisons = Schemas.data(Schema.Array(Comparison))

export class TelcosApi extends HttpApiGroup.make("telcos")
  .add(
    HttpApiEndpoint.get("comparisons", "/telcos/comparisons", {
      success: Comparisons,
      error: Schemas.problems(...Schemas.managing, "route_not_found")
    }).annotateMerge(
      Roles.ofService(
        "read",
        "How far the comparisons of all SIMs are",
        "The last comparison of all SIMs with each telco whose books can be compared. What it finds is among the problems."
      )
    ),
    HttpApiEndpoint.post("compare", "/telcos/comparisons", {
      success: Comparisons,
      error: Schemas.problems(...Schemas.restricted, "route_not_found")
    }).annotateMerge(
      Roles.ofService(
        "support",
        "Compare all SIMs with the telcos now",
        "Compares all SIMs, those in stock too, with each telco whose books can be compared, at the rate that its calls allow. " +
          "Comparisons that were made before do not count from then on: do this after each restore of a backup, before the " +
          "service sells again. Asked again, it begins anew."
      )
    ),
    HttpApiEndpoint.get("zones", "/telcos/:name/zones", {
      params: ofTelco,
      success: Schemas.data(Schema.Array(Zone)),
      error: Schemas.problems(...Schemas.managing, "route_not_found", "telco_not_found")
    }).annotateMerge(
      Roles.ofService(
        "read",
        "List the zones that were set",
        "The location zones that were set for coverage profiles at this telco, by label and coverage id."
      )
    ),
    HttpApiEndpoint.put("setZone", "/telcos/:name/zones", {
      params: ofTelco,
      payload: Zone,
      success: Schemas.data(Zone),
      error: Schemas.problems(
        ...Schemas.restricted,
        "route_not_found",
        ...Schemas.withBody,
        "telco_not_found",
        "coverage_profile_not_found"
      )
    }).annotateMerge(
      Roles.ofService(
        "admin",
        "Set the zone of a coverage profile",
        "Says which location zone of the telco a coverage profile is, for plans of the label. A custom region " +
          "needs it before its first plan; for a standard profile it goes before the settings file. Packages that " +
          "exist keep theirs."
      )
    )
  )
  .annotateMerge(Schemas.group("Management: telcos", "What the operator sets at the telcos of the settings file."))
  .prefix("/admin/v1") {}

export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.post("ocs", "/ocs/:name/notifications/:secret", {
      params: ofSender,
      success: OcsAnswer,
      error: problems
    }).annotateMerge(
      Schemas.operation(
        "Take a notification of an online charging system",
        "Takes what an online charging system notifies by itself: the usage of packages and the states of eSIM " +
          "profiles. The secret of the settings file in the path says who sends it; another one is 404."
      )
    ),
    HttpApiEndpoint.post("es2plus", "/es2plus/:name/:secret/gsma/rsp2/es2plus/handleDownloadProgressInfo", {
      params: ofSender,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(
      Schemas.operation(
        "Take a notification of an SM-DP+, of SGP.22 version 2",
        "Takes `HandleDownloadProgressInfo` of GSMA SGP.22 (ES2+), version 2. The path up to the secret is the " +
          "address that the SM-DP+ is given; another secret is 404."
      )
    ),
    HttpApiEndpoint.post("es2plus3", "/es2plus/:name/:secret/gsma/rsp2/es2plus/handleNotification", {
      params: ofSender,
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(
      Schemas.operation(
        "Take a notification of an SM-DP+, of SGP.22 version 3",
        "Takes `HandleNotification` of GSMA SGP.22 (ES2+), version 3. The path up to the secret is the address " +
          "that the SM-DP+ is given; another secret is 404."
      )
    )
  )
  .annotateMerge(
    Schemas.group("Notifications", "What telcos of the settings file tell by themselves, in their own words.")
  )
  .prefix("/telco") {}
