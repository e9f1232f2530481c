/**
 * What the cases about webhooks share: an endpoint that is stored, and the log of its organization's deliveries.
 */
import { Effect } from "effect"
import type { WebhookEndpoint } from "../../../domain/WebhookEndpoint.ts"
import * as Rows from "../world/Rows.ts"
import * as World from "../world/World.ts"

/** Writes an endpoint and gives it as it is stored. */
export const endpoint = (world: World.World, changes: Partial<WebhookEndpoint> = {}) => {
  const written = Rows.endpoint(world, changes)
  return Effect.as(world.storage.commit({ webhookEndpoints: [written] }), { ...written, version: 1 })
}

/** The log of deliveries, the newest first. */
export const log = (world: World.World) =>
  World.items(world.storage.deliveries.page({ ...World.of(world), after: null, limit: 1_000 }))
