/**
 * The handlers of what telcos notify by themselves. A wrong name or secret is the same 404 as an unknown path, and is
 * counted by the client's address like a wrong key (rule W10).
 */
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import type { Catalogues, Problems, Reports } from "simplan"
import * as NotificationsApi from "../api/NotificationsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import * as Auth from "../middleware/Auth.ts"
import type { Telco } from "../Telcos.ts"
import * as Body from "../wire/Body.ts"
import * as Errors from "../wire/Errors.ts"

interface Sender {
  readonly name: string
  readonly secret: string
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest()

const guard: Auth.Guard<undefined> = () => Effect.succeed(Auth.known("telco"))

export const make = (telcos: ReadonlyMap<string, Telco>, failed: Auth.FailedAuthentication) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Reports.Reports | Catalogues.Catalogues | Problems.Problems>()

    /**
     * What takes the notifications of a sender who knows the secret. The time that it takes reveals nothing of the
     * secret.
     */
    const known = (kind: string, { name, secret }: Sender) => {
      const telco = telcos.get(name)
      const notifications = telco?.kind === kind ? telco.notifications : null
      const expected = digest(notifications === null ? "" : Redacted.value(notifications.secret))
      const isRight = timingSafeEqual(expected, digest(secret))
      return notifications !== null && isRight ? Effect.succeed(notifications) : failed.count(Errors.routeNotFound)
    }

    const taken = Effect.fnUntraced(function* (
      kind: string,
      { params, request }: Pick<Endpoints.Call<never, undefined>, "request"> & { readonly params: Sender }
    ) {
      const { take } = yield* known(kind, params)
      // Telcos name all sorts of content types.
      const bytes = yield* Body.readBytes(request, Body.LIMIT)
      const value = yield* Effect.fromResult(Body.parse(bytes))
      const { body, status } = yield* Effect.provideContext(take(value), services)
      return body === null ? HttpServerResponse.empty({ status }) : HttpServerResponse.jsonUnsafe(body, { status })
    })

    return Endpoints.group(NotificationsApi.NotificationsApi, guard, {
      ocs: (call) => taken("ocs", call),
      es2plus: (call) => taken("es2plus", call),
      es2plus3: (call) => taken("es2plus", call)
    })
  })
