/**
 * Releases as documents of the journal.
 */
import { Schema } from "effect"
import type { Journal } from "../telco-calls/index.ts"
import * as Release from "./Release.ts"

/** What the journal has of a release. */
export interface Kept {
  /** The matching id that the profile is to have; null: the SM-DP+ chooses one. */
  readonly matchingId: string | null
  readonly release: Release.Release
}

const Kept = Schema.Struct({
  matchingId: Schema.NullOr(Schema.String),
  release: Schema.Union([
    Schema.Struct({
      _tag: Schema.Literal("Running"),
      step: Schema.Literals(Release.steps),
      cycle: Schema.Int,
      askedAt: Schema.NullOr(Schema.Int),
      isCancelled: Schema.Boolean,
      hadUnknown: Schema.Boolean,
      mayBeReleased: Schema.Boolean,
      quietUntil: Schema.Int
    }),
    Schema.Struct({ _tag: Schema.Literal("Released") }),
    Schema.Struct({ _tag: Schema.Literal("Refused"), message: Schema.String })
  ])
})

export const encode = ({ matchingId, release }: Kept): Journal.Document => ({ matchingId, release: { ...release } })

export const decode = Schema.decodeUnknownEffect(Kept)
