/**
 * An SM-DP+ behind ES2+, as the part of the telco port that it serves.
 */
import { Layer } from "effect"
import type { Journal } from "../telco-calls/index.ts"
import type { Api } from "./Api.ts"
import type { InvalidCredentials } from "./Connection.ts"
import * as HttpApi from "./HttpApi.ts"
import * as Profiles from "./Profiles.ts"

/** The connection, the requester and how profiles are released. */
export type Options = HttpApi.Options & Profiles.Options

/** Profiles, and the functions of ES2+ that they are released by. Fails where the key and the certificate cannot be used. */
export const layer = (options: Options): Layer.Layer<Profiles.Profiles | Api, InvalidCredentials, Journal.Journal> =>
  Layer.provideMerge(Profiles.layer(options), HttpApi.layer(options))
