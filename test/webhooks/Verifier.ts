/**
 * What a receiver bundles that verifies webhooks and uses nothing else of simplan.
 */
export { verify } from "simplan/webhooks"
