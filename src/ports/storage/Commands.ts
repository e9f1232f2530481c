/**
 * The storage port's reads of commands (rule H1).
 */
import type { Command } from "../../domain/Command.ts"
import type { OfOrganization, Read } from "./Read.ts"

export interface Commands {
  readonly get: (of: OfOrganization & { readonly commandId: string }) => Read<Command | null>
}
