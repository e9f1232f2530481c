/**
 * Faults in pauses and resumptions: S7.
 */
import { faultsOf, instead } from "./Fault.ts"

const inPause = faultsOf("Pause.ts", "pauses", [
  [
    "S7",
    "a second pause moves the first one",
    "if ((service.pausedAt === null) === (pausedAt === null))",
    "if (false)"
  ],
  ["S7", "a change overtakes the one under way", "if (!isRefused) return", "if (false) return"],
  ["S7", "what the telco has refused for good is under way", "if (!isRefused) return", "if (true) return"],
  [
    "S7",
    "what the telco has refused for good counts as done",
    "return isWanted(wanted) ? changing(sim, pausedAt, changeId, now) : settled(sim, pausedAt)",
    "return settled(sim, pausedAt)"
  ],
  [
    "S7",
    "what was asked for meanwhile is forgotten",
    "isWanted(service) ? settled(sim, service.pausedAt) : changing(sim, service.pausedAt, nextId, now)",
    "settled(sim, service.pausedAt)"
  ],
  ["S7", "a pause starts the service", "changeId, active: pausedAt === null }", instead("===", "!==")],
  ["S7", "the answer to another change counts", "&& sim.service.changeId === changeId", ""],
  [
    "S7",
    "a SIM whose resumption is under way is resumed",
    'service._tag === "Settled" && service.pausedAt === null',
    "service.pausedAt === null"
  ]
])

const inAggregate = faultsOf("SimAggregate.ts", "pauses", [
  [
    "S7",
    "an invisible subscription is paused",
    "isLive(aggregate.subscription) &&\n",
    "aggregate.subscription !== null &&\n"
  ]
])

const inDeletion = faultsOf("Deletion.ts", "pauses", [
  ["S7", "a SIM is free before it is resumed", "if (!Pause.isResumed(sim)) return sim", ""],
  [
    "S7",
    "a deletion leaves the SIM paused",
    "Pause.asked(sim, null, given, now)",
    "Pause.asked(sim, sim.service.pausedAt, given, now)"
  ],
  ["S7", "a SIM is free while its release is under way", "isReleased ? afterRelease(sim) : sim", "afterRelease(sim)"],
  ["S7", "a SIM whose release was done first is never free", "isReleased ? afterRelease(sim) : sim", "sim"]
])

const inLifecycle = faultsOf("Lifecycle.ts", "pauses", [
  ["S7", "a deletion notifies of a resumption", "=== (after === null) || isDeletion(change))", "=== (after === null))"],
  ["S7", "each change of a SIM notifies of its pause", "if ((before === null) === (after === null) || ", "if ("]
])

export const pauses = [...inPause, ...inAggregate, ...inDeletion, ...inLifecycle]
