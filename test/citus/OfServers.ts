/**
 * The operations that ask all servers, each with the reason.
 */

const dueTime = "chooses by due time among all organizations; what is chosen is taken organization by organization"
const iccids = "ICCIDs stand by themselves: their servers are those of their own"
const operators = "what operators see of all organizations, counted up to a bound"
const picked = "picked from the first of all organizations"
const purged = "what is past its time goes on all servers"

export const ofServers: Readonly<Record<string, string>> = {
  "commit.eventHandlers.removed": "gives up what is due to the handler in all organizations",
  "organizations.page": operators,
  "organizations.getAll": "a list of organizations",
  "webhookEndpoints.failing": operators,
  "eventHandlers.failed": "what a handler has failed at in all organizations",
  "plans.uses": "the profiles that plans of all organizations use, when the catalogue is replaced",
  "regions.find": "by the profile's id alone",
  "sims.import": iccids,
  "sims.find": "the end of an ICCID is looked for in the table of ICCIDs",
  "subscriptions.find": "the end of an ICCID is looked for in the table of ICCIDs",
  "sims.search": operators,
  "sims.search of an organization": "the end of an ICCID is looked for in the table of ICCIDs",
  "ledger.totals of all organizations": operators,
  "sims.levels": "a list of organizations",
  "simAggregates.forReports": iccids,
  "simAggregates.owner": iccids,
  "deliveries.waitingCounts": operators,
  "jobs.waiting": operators,
  "problems.page": operators,
  "problems.count": operators,
  "overview.waitingJobs": operators,
  "overview.waitingJobs of an organization": picked,
  "overview.failingEndpoints": operators,
  "overview.failingEndpoints of an organization": picked,
  "overview.stocks": operators,
  "overview.loads": operators,
  purge: purged,
  purgeEvents: purged,
  "jobs.claim": dueTime,
  "jobs.pending": dueTime,
  "jobs.partitions": dueTime,
  "jobs.backlog": dueTime,
  "jobs.release": "at the start of a process that is the only one",
  "outbox.claim": dueTime,
  "outbox.claimForHandler": dueTime,
  "outbox.pendingForHandler": dueTime,
  "outbox.pending": dueTime,
  "outbox.partitions": dueTime,
  "outbox.backlog": dueTime,
  "outbox.release": "at the start of a process that is the only one"
}
