/**
 * Faults in what support finds, and is told: L1 to L3.
 */
import { faultsOf } from "./Fault.ts"

export const search = faultsOf("SimSearch.ts", "state", [
  [
    "L1",
    "the last digits find nothing",
    "sim.iccid.startsWith(iccid) || sim.iccid.endsWith(iccid)",
    "sim.iccid.startsWith(iccid)"
  ],
  ["L1", "digits find any part of an ICCID", "sim.iccid.startsWith(iccid) ||", "sim.iccid.includes(iccid) ||"],
  ["L1", "metadata are searched as they are", "text += lowered.get(character) ?? character", "text += character"],
  ["L1", "one character less is searched", "if (++count > METADATA) break", "if (++count >= METADATA) break"],
  [
    "L1",
    "any part of metadata is found",
    "folded(metadata).startsWith(search.metadata)",
    "folded(metadata).includes(search.metadata)"
  ],
  [
    "L1",
    "paused subscriptions are taken for active ones",
    "filter.status === serviceStatus(of.sim)",
    "filter.status !== serviceStatus(of.sim)"
  ]
])

export const reasons = faultsOf("Reason.ts", "state", [
  [
    "L2",
    "a package that begins now gives no service",
    "pack.activationAt !== null && pack.activationAt <= now",
    "pack.activationAt !== null && pack.activationAt < now"
  ],
  [
    "L2",
    "a package that ends now gives service",
    "pack.activationAt <= now && isAtTelco(pack, now)",
    'pack.activationAt <= now && pack.status === "Created" && (pack.expirationAt === null || now <= pack.expirationAt)'
  ],
  [
    "L2",
    "a package that the telco refused gives service",
    "pack.activationAt <= now && isAtTelco(pack, now)",
    "pack.activationAt <= now && (pack.expirationAt === null || now < pack.expirationAt)"
  ],
  ["L2", "an order is looked for that is not due", "now < next.dueAt || of.packages", "of.packages"],
  [
    "L2",
    "a suspended attachment waits for an order",
    'state === "SUSPENDED" || state === "EXPIRED"',
    'state === "EXPIRED"'
  ],
  [
    "L2",
    "a paused subscription gives service",
    'return pausedAt === null ? null : { _tag: "Paused", at: pausedAt }',
    "return null"
  ],
  [
    "L2",
    "the first use of a paused subscription is waited for",
    '{ _tag: "WaitsForFirstUse", pausedAt }',
    '{ _tag: "WaitsForFirstUse", pausedAt: null }'
  ]
])

export const history = faultsOf("SimHistory.ts", "state", [
  [
    "L3",
    "of an instant what was given comes again",
    '{ createdAt: createdAt + 1, id: "" } : { createdAt, id: "" }',
    '{ createdAt: createdAt + 1, id: "" } : { createdAt: createdAt + 1, id: "" }'
  ],
  ["L3", "of an instant what was not given is left out", "rank < reached ?", "rank > reached ?"],
  ["L3", "what lies before a place that was not reached is given", "stop === null ? all :", "stop !== null ? all :"],
  ["L3", "what is to come has happened", "instant === null || instant > now", "instant === null"]
])
