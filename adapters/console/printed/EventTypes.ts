/** Printed from the catalogue of events by `npm run print`, so that pages need not load it. */

/** What a filter may name; an endpoint without one receives the first ones. */
// biome-ignore format: a line for each type would say no more.
export const types = ["attachment.allowanceConsumed", "subscription.esim.locationChanged", "esim.smdp.stateChanged", "subscription.created", "subscription.deleted", "subscription.replaced", "esim.ready", "subscription.paused", "subscription.resumed", "attachment.created", "attachment.activated", "attachment.expiring", "attachment.expired", "attachment.suspended", "package.created", "package.refused", "package.allowanceConsumed", "stock.low", "endpoint.disabled", "command.done", "command.refused"]
export const standardTypes = types.slice(0, 3)
