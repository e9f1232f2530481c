/**
 * Telcos: the location zones of coverage profiles, which plans need (rule P4), and what telcos
 * notify by themselves, in their own words. The secret in the path says who sends a notification:
 * telcos can send no token.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { BundlesOperations, TelcosOperations } from "../../operations/index.ts"
import * as Rows from "./Rows.ts"
import * as Schemas from "./Schemas.ts"

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

const ofSender = {
  name: Schemas.string("The telco's name in the settings file", "ocs"),
  secret: Schemas.string("The secret of the telco's notifications", "3q2-7wQhF0aLr9Zc")
}

/** The answer that all suppliers expect: 200. Airalo takes 204 for a failure. */
const Taken = Schema.Struct({
  error: Schemas.field(Schema.Literal(false), "The callback has come to who it is for", false)
}).annotate({ identifier: "CallbackTaken" })

const ofSupplier = {
  name: Schemas.string("The telco's name in the settings file", "esim-go"),
  secret: Schemas.string("The secret of the telco's callbacks", "3q2-7wQhF0aLr9Zc")
}

const unread = [...Schemas.unguarded, "rate_limited", "route_not_found", "internal_error"] as const
const read = [...unread, "malformed_body", "body_too_large", "storage_unavailable"] as const
const problems = Schemas.problems(...read, "invalid_field", "malformed_json")

export class TelcosApi extends Rows.group("telcos", { ...TelcosOperations.telcos, ...BundlesOperations.sold })
  .annotateMerge(
    Schemas.group(
      "Management: telcos",
      "What the operator sets at the telcos of the settings file, and what telcos sell."
    )
  )
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
    ),
    HttpApiEndpoint.post("callback", "/suppliers/:name/callbacks/:secret", {
      params: ofSupplier,
      success: Taken,
      error: Schemas.problems(...read)
    }).annotateMerge(
      Schemas.operation(
        "Take a callback of a supplier",
        "Takes what a supplier of eSIMs tells by itself, in whatever form, as a hint: a SIM that it names is looked " +
          "at soon, and what counts is what the supplier answers then. So callbacks that are lost, doubled, late or " +
          "forged change nothing. The secret of the settings file in the path says who sends it; another one is 404."
      )
    ),
    HttpApiEndpoint.get("callbackAddress", "/suppliers/:name/callbacks/:secret", {
      params: ofSupplier,
      success: Taken,
      error: Schemas.problems(...unread)
    }).annotateMerge(
      Schemas.operation(
        "Try the address of a supplier's callbacks",
        "Says that the address is right, as suppliers ask by HEAD before they use it."
      )
    )
  )
  .annotateMerge(
    Schemas.group("Notifications", "What telcos of the settings file tell by themselves, in their own words.")
  )
  .prefix("/telco") {}
