/**
 * What keeps a telco of the settings from being used.
 */
import { Data } from "effect"

/** A telco cannot be used as the settings say; the message has a line for each thing that is wrong, and no secret. */
export class CannotConnect extends Data.TaggedError("TelcoRoutes.CannotConnect")<{ readonly message: string }> {}
