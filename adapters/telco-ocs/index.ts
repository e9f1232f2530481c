/**
 * An online charging system (OCS) as simplan's telco.
 *
 *     Ocs.layer({ telco: "ocs", resellerId: 1, zones: { Green: { FR: 27 } }, mobilePlanId: 10 })
 *
 * needs the calls of the system (`Api`) and a journal of them, and gives the `Telco` port, and
 * beside it the system's `Zones`, `Subscribers` and `Orders`. Over those and simplan's own
 * services,
 *
 *     const options = { telco: "ocs", fastest: 10_000, slowest: 21_600_000, meter: Reporting.makeMeter(20) }
 *     Reporting.run(options)          // for good; or Reporting.background, a layer
 *     Reporting.take(options, body)
 *
 * report to simplan what the OCS knows: by polls of it, and by its notifications.
 */
export * as Api from "./api/Api.ts"
export * as FileSettings from "./OcsFileSettings.ts"
export * as HttpApi from "./api/HttpApi.ts"
export * as Inventory from "./reports/Inventory.ts"
export * as MobilePlans from "./MobilePlans.ts"
export * as Ocs from "./Ocs.ts"
export * as Orders from "./orders/Orders.ts"
export * as Reporting from "./Reporting.ts"
export * as Settings from "./Settings.ts"
export type * as Settlement from "./orders/Settlement.ts"
export * as Subscribers from "./Subscribers.ts"
export * as Zones from "./Zones.ts"
