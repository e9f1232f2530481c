/**
 * Several telcos behind the one port: each SIM goes to the telco that the settings file routes it
 * to.
 *
 *     TelcoFile.read("telcos.json")     // the settings, or what is wrong with them
 *     Routes.layer(settings)            // the port `Telco`; needs a journal, the simulator's books and a storage
 *     Routes.background                 // what the telcos need to be done all the time; needs the services
 */
export type * as Connected from "./Connected.ts"
export type * as Settings from "./Settings.ts"
export * as TelcoFile from "./TelcoFile.ts"
export * as Routes from "./Routes.ts"
export * as Routing from "./Routing.ts"
