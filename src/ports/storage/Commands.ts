/**
 * The storage port's reads of commands (rule H1).
 */
import type { Command, State } from "../../domain/Command.ts"
import type { CreatedCursor, OfOrganization, Page, Read } from "./Read.ts"

export interface Commands {
  readonly get: (of: OfOrganization & { readonly commandId: string }) => Read<Command | null>
  /** Those that stand so (`Command.stateOf`), or all for null; by creation and id, ascending. */
  readonly page: (query: Page<CreatedCursor> & { readonly state: State | null }) => Read<ReadonlyArray<Command>>
}
