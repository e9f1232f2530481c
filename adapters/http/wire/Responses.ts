/**
 * Responses with JSON bodies. `Body` is the type of the endpoint's success schema.
 */
import { HttpServerResponse } from "effect/http"

/** 200 with a body. */
export const ok = <Body>(body: Body): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body)

/** 201 with a body. */
export const created = <Body>(body: Body): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { status: 201 })

/** 200 with `{error: false, message}`. */
export const message = (text: string): HttpServerResponse.HttpServerResponse => ok({ error: false, message: text })
