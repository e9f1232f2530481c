/**
 * How a handler answers: with the JSON that its definition names, or with what its failure says.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type * as Wire from "./api/Wire.ts"
import * as Errors from "./Errors.ts"

/** 200 with a body; `Body` is the type of the endpoint's success schema. */
export const ok = <Body>(body: Body): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body)

/** 201 with a body. */
export const created = <Body>(body: Body): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { status: 201 })

/** 200 with `{error: false, message}`. */
export const done = (message: string): HttpServerResponse.HttpServerResponse =>
  ok<typeof Wire.Done.Type>({ error: false, message })

/** The answer, or the failure told as an error. */
export const orError = <E extends Errors.Failure, R>(
  run: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> => Effect.catch(run, Errors.respond)
