/**
 * What the telcos that the service is composed of notify by themselves, and who may report for
 * them.
 */
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { timingSafeEqual } from "node:crypto"
import type { Catalogues, Problems, Refusal, Reports, UsageReconciliation } from "simplan"
import type { Storage } from "simplan/ports"
import type { Operation } from "../../operations/index.ts"
import * as TelcosApi from "../api/TelcosApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"

/** What of the service a notification is reported to. */
type Informed = Reports.Reports | Catalogues.Catalogues | Problems.Problems | UsageReconciliation.UsageReconciliation

export interface Telco extends Operation.Telco {
  readonly kind: string
  /** Absent: nobody reports for it to `/telco/v1/events`. */
  readonly reports?: {
    /** Null: it has that of the settings. */
    readonly token: Redacted.Redacted | null
    readonly mayReport: Reports.MayReport
  }
  /**
   * Null: it takes no notifications. `take` answers with a status and a body, null for an empty
   * one.
   */
  readonly notifications: {
    readonly secret: Redacted.Redacted
    readonly take: (
      body: unknown
    ) => Effect.Effect<
      { readonly status: number; readonly body: unknown },
      Refusal.InvalidField | Storage.StorageError,
      Informed
    >
  } | null
  /** Absent: it takes no callbacks. `take` is given a body as it came, whatever it is. */
  readonly callbacks?: {
    readonly secret: Redacted.Redacted
    readonly take: (body: string) => Effect.Effect<void, Storage.StorageError>
  }
}

interface Sender {
  readonly name: string
  readonly secret: string
}

/** A secret in its path says who sends a notification. */
const anySender: Auth.Guard<undefined> = () => Effect.succeed(Auth.known("telco"))

/**
 * The handlers of what telcos notify by themselves. A wrong name or secret is the same 404 as an
 * unknown path, and is counted by the client's address like a wrong key (rule W10).
 */
export const notifications = (telcos: ReadonlyMap<string, Telco>, failed: Auth.FailedAuthentication) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Informed>()

    /**
     * What takes the notifications of a sender who knows the secret. The time that it takes reveals
     * nothing of the secret.
     */
    const known = <A extends { readonly secret: Redacted.Redacted }>(
      notifiedOf: (telco: Telco) => A | null | undefined,
      { name, secret }: Sender
    ) => {
      const telco = telcos.get(name)
      const notified = telco === undefined ? undefined : notifiedOf(telco)
      const expected = Auth.digest(notified == null ? "" : Redacted.value(notified.secret))
      const isRight = timingSafeEqual(expected, Auth.digest(secret))
      return notified != null && isRight ? Effect.succeed(notified) : failed.count(Errors.routeNotFound)
    }

    const callbacks = (sender: Sender) => known((telco) => telco.callbacks, sender)

    const taken = Effect.fnUntraced(function* (
      kind: string,
      { params, request }: Pick<Endpoints.Call<never, undefined>, "request"> & { readonly params: Sender }
    ) {
      const { take } = yield* known((telco) => (telco.kind === kind ? telco.notifications : null), params)
      // Telcos name all sorts of content types.
      const bytes = yield* Body.readBytes(request, Body.LIMIT)
      const value = yield* Effect.fromResult(Body.parse(bytes))
      const { body, status } = yield* Effect.provideContext(take(value), services)
      return body === null ? HttpServerResponse.empty({ status }) : HttpServerResponse.jsonUnsafe(body, { status })
    })

    return Endpoints.group(TelcosApi.NotificationsApi, anySender, {
      ocs: (call) => taken("ocs", call),
      es2plus: (call) => taken("es2plus", call),
      es2plus3: (call) => taken("es2plus", call),
      callback: Effect.fnUntraced(function* ({ params, request, respond }) {
        const { take } = yield* callbacks(params)
        yield* take(new TextDecoder().decode(yield* Body.readBytes(request, Body.LIMIT)))
        return respond({ error: false })
      }),
      callbackAddress: ({ params }) => Effect.as(callbacks(params), { error: false } as const)
    })
  })
