/**
 * The functions of ES2+ as JSON over HTTPS (SGP.22 sections 6.5.1 and 6.5.2).
 */
import { Effect, Layer, Schema } from "effect"
import { Api, type Of } from "./Api.ts"
import * as Connection from "./Connection.ts"
import { Failure, type Outcome } from "./Failure.ts"
import * as Iccid from "./Iccid.ts"
import * as StatusCodes from "./StatusCodes.ts"

/** The connection, and who asks. */
export interface Options extends Connection.Options {
  /** The `functionRequesterIdentifier` that the SM-DP+ knows the operator by; `simplan` unless given. */
  readonly requester?: string
}

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The execution status of an answer (section 6.5.1.4). */
export const ExecutionStatus = Schema.Struct({
  status: Schema.String,
  statusCodeData: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        subjectCode: Schema.String,
        reasonCode: Schema.String,
        subjectIdentifier: Text,
        message: Text
      })
    )
  )
})

const Answer = Schema.Struct({
  header: Schema.Struct({ functionExecutionStatus: ExecutionStatus }),
  matchingId: Text
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/** What a status other than 200 means: 4xx never reached the function, and most often the settings are at fault. */
const outcomeOf = (status: number): Outcome => (status >= 300 && status < 500 && status !== 408 ? "NotDone" : "Unknown")

/** The functions over HTTPS. Fails where the key and the certificate cannot be used. */
export const layer = (options: Options): Layer.Layer<Api, Connection.InvalidCredentials> =>
  Layer.effect(
    Api,
    Effect.gen(function* () {
      const { requester = "simplan" } = options
      const connection = yield* Connection.make(options)

      const call = Effect.fn("TelcoEs2plus.call")(function* (operation: string, { callId, iccid }: Of, input: object) {
        const wire = Iccid.toWire(iccid)
        if (wire === undefined) {
          return yield* new Failure({ outcome: "Refused", message: "ES2+ names profiles by ICCIDs of 19 or 20 digits" })
        }
        const header = { functionRequesterIdentifier: requester, functionCallIdentifier: callId }
        const body = JSON.stringify({ header, iccid: wire, ...input })
        const answer = yield* connection.post(operation, body)
        if (answer.status !== 200) {
          return yield* new Failure({
            outcome: outcomeOf(answer.status),
            message: `The SM-DP+ answers ${operation} with the HTTP status ${answer.status}`,
            ...(answer.retryAfterSeconds !== null && { retryAfterSeconds: answer.retryAfterSeconds })
          })
        }
        const { header: head, matchingId } = yield* Effect.mapError(
          decode(answer.body),
          () =>
            new Failure({ outcome: "Unknown", message: `The SM-DP+ answers ${operation}, but not in the form of ES2+` })
        )
        const failure = StatusCodes.failure(operation, head.functionExecutionStatus)
        if (failure !== undefined) return yield* failure
        return matchingId ?? null
      })

      const matching = (matchingId: string | null) => (matchingId === null ? {} : { matchingId })

      return Api.of({
        downloadOrder: (of) => Effect.asVoid(call("downloadOrder", of, {})),
        confirmOrder: ({ isReleased, matchingId, ...of }) =>
          call("confirmOrder", of, { ...matching(matchingId), releaseFlag: isReleased }),
        cancelOrder: ({ finalStatus, matchingId, ...of }) =>
          Effect.asVoid(call("cancelOrder", of, { ...matching(matchingId), finalProfileStatusIndicator: finalStatus })),
        releaseProfile: (of) => Effect.asVoid(call("releaseProfile", of, {})),
        check: Effect.flatMap(connection.get, ({ status }) =>
          status === 401 || status === 403
            ? new Failure({ outcome: "NotDone", message: `The SM-DP+ refuses the certificate: HTTP status ${status}` })
            : Effect.void
        )
      })
    })
  )
