/**
 * Faults in the stock, its levels, what is bought for it, and the polls of the SIMs of suppliers:
 * I11, I12, I15, I16, T3, R1 and R4. And those of the ledger of what is bought: C1 to C4.
 */
import { faultsIn, faultsOf, instead, without } from "./Fault.ts"

export const stock = faultsOf("Stock.ts", "stock", [
  ["I11", "a downloaded eSIM counts as free", 'if (sim.isEsim && sim.downloaded) return "downloaded"', ""],
  [
    "I11",
    "a downloaded physical SIM is not free",
    'if (sim.isEsim && sim.downloaded) return "downloaded"',
    'if (sim.downloaded) return "downloaded"'
  ],
  ["I11", "an eSIM that nobody is given counts as free", '? "free" : "lapsed"', '? "free" : "free"'],
  ["I11", "physical SIMs count as eSIMs", "one.label === label && one.isEsim === isEsim", "one.label === label"],
  ["I12", "a stock at its level is low", "const isLow = free < level", "const isLow = free <= level"],
  ["I12", "a low stock is notified with each check", "isLow && !stored.isLow ?", "isLow ?"],
  [
    "I12",
    "a stock that has recovered counts as low",
    "level: { ...stored, isLow }",
    "level: { ...stored, isLow: isLow || stored.isLow }"
  ],
  [
    "I12",
    "another level is not notified anew",
    "label, level, isLow: false,",
    "label, level, isLow: before?.isLow ?? false,"
  ],
  [
    "I12",
    "a level that stays is notified anew",
    "if ((before?.level ?? 0) !== level) {",
    "if (before !== undefined || level > 0) {"
  ],
  ["I12", "a level of 0 can be set", "level < 1 ||", "level < 0 ||"],
  ["I12", "a higher level than the highest can be set", "level > HIGHEST", "level > HIGHEST + 1"],
  ["I12", "a label may have two levels", "if (numbers.has(label)) return", "if (false) return"],
  [
    "I12",
    "another label of a free eSIM is not checked",
    "return before === after ? []",
    "return (before === undefined) === (after === undefined) ? []"
  ],
  [
    "I12",
    "a download leaves an eSIM free",
    "!isUsed({ allocation }) && downloaded === false",
    "!isUsed({ allocation })"
  ],
  ["I12", "the check comes before its second is over", "Math.floor(now / span) + 1 + skipped", without("1 + ")],
  ["I12", "the second check may come before a long commit ends", "checkIn(of, now, LATER, 1)", instead("1", "0")]
])

export const purchases = [
  ...faultsOf("Purchase.ts", "stock", [
    ["S2", "a load is given that has to be put into use at once", "now + MARGIN", "now"],
    ["I12", "a stock that lapses is counted too late", "sellBy - MARGIN", "sellBy"],
    [
      "I15",
      "a SIM comes into the stock without its load",
      "purchase: { purchaseId, load, sellBy, cost, boughtAt: of.createdAt, ...known }",
      "purchase: null"
    ],
    ["I15", "a SIM of another purchase counts", "purchase?.purchaseId === bought.purchaseId", "purchase !== null"],
    ["I15", "a purchase brings its SIM again when another has brought it since", "sim.simId === simId(bought) ||", ""],
    ["I15", "a SIM that a customer has is sold again", "(isOut(sim) ||", "(true ||"],
    ["I15", "a SIM that can be sold is sold again", "!isUsed(sim) && isLapsed(sim, now)", "!isUsed(sim)"],
    ["I15", "a SIM that is sold again has its former purchase", "...stored, ...stocked(", "...stocked("],
    ["I15", "what a former customer did counts", "at < purchase.boughtAt", "false"],
    ["I16", "each purchase that is refused is a problem", "(reason) => reason === said.reason", "() => false"],
    [
      "I16",
      "a price beyond the limit is a problem of the load",
      "shared === undefined ? job.jobId",
      "false ? job.jobId"
    ]
  ]),
  ...faultsOf("PurchaseLimits.ts", "stock", [
    [
      "I16",
      "one more than the limit is bought",
      "unsold !== null && count > unsold",
      "unsold !== null && count > unsold + 1"
    ],
    ["I16", "free eSIMs do not count as unsold", "isTooMany(limits, free + others", "isTooMany(limits, others"],
    ["I16", "only earlier purchases count", 'if (!isBeyond(limits, of, counted, others)) return "Made"', ""],
    [
      "I16",
      "of too many purchases all withdraw",
      'isBeyond(limits, of, counted, before) ? "Withdrawn"',
      'true ? "Withdrawn"'
    ],
    ["I16", "what was spent in the day does not count", "sum + row.sum, 0n", "sum, 0n"],
    ["I16", "what another supplier has charged counts", "&& isOfSupplier(row.telco)", ""],
    ["I16", "outstanding purchases cost nothing", "prices.get(jobId) ?? (prices.has(jobId) ? null : 0n)", "0n"],
    ["I16", "a price that is not known is no price", "all.includes(null) ||", ""],
    ["I16", "a price in another currency counts", "known?.currency === currency ?", "known != null ?"],
    ["I16", "spending is limited while a purchase may be refused", "isAlone && isTooDear", "isTooDear"]
  ]),
  ...faultsOf("SimReturn.ts", "stock", [
    [
      "I15",
      "an eSIM is returned while it may be sold",
      '{ _tag: "Withdrawn", reason: "returned", ending: null }',
      "sim.allocation"
    ],
    ["I15", "what a customer may have used is returned", "if (downloaded) return refuse(", "if (false) return refuse("],
    ["I15", "an eSIM is returned twice", "if (isGivenBack(sim)) return Result.succeed(null)", ""],
    ["I15", "what was made available is returned", "!isOut(sim) ||", ""],
    ["I15", "an eSIM that was sold again is returned", "sim.purchase?.purchaseId !== purchaseId", "false"],
    ["C1", "nobody asks what people have decided", 'returned === "asked" && now + DAY', "false && now + DAY"],
    [
      "I15",
      "what people go on to decide may be sold",
      'before !== "asked" && before !== returned',
      "before !== returned"
    ],
    ["C1", "what is credited late is that of the eSIM which was sold next", "...(work.charged ?? sim)", "...sim"],
    [
      "C1",
      "nobody asks what was credited for an ICCID that was sold again",
      'work.charged === undefined ? "Nothing" : "Ask"',
      '"Nothing"'
    ],
    [
      "C1",
      "an eSIM that its supplier has credited is in the ledger as before",
      '...(returned === "credit" && {',
      "...(false && {"
    ]
  ]),
  ...faultsOf("Cost.ts", "stock", [
    ["C1", "what came back is added to what was charged", "units: 0 - units", "units: 0 + units"],
    ["C1", "what was credited is an eSIM that was bought", 'kind: "refund", at }', 'kind: "purchase", at }'],
    [
      "C1",
      "a top-up is not booked whose order had no answer",
      "put: back === undefined ? [charge] : [charge, back]",
      "put: back === undefined ? [] : [back]"
    ],
    ["C1", "what came back for a top-up is not booked", "[charge] : [charge, back]", "[charge] : [charge]"],
    ["C1", "what came back for a load is what it has cost", ", cost: credit } }, at)", " } }, at)"],
    ["C1", "what came back is of the purchase before", "purchaseId: purchaseId ?? purchase.purchaseId, ", ""],
    ["C1", "a top-up is an eSIM that was bought", 'kind: "top_up", at, telco', 'kind: "purchase", at, telco'],
    [
      "C2",
      "what was credited is still somebody's",
      "allotted: [{ ...unallotted, organizationId, costId: purchaseId(id), regionCode: null }]",
      "allotted: []"
    ],
    [
      "C2",
      "the load that a SIM was bought with is bought again",
      "if (isLoad && purchase !== null)",
      "if (purchase === null)"
    ],
    [
      "C2",
      "what is claimed keeps the region that it was bought for",
      "regionCode ?? entry.regionCode",
      "entry.regionCode"
    ],
    ["C3", "a price is a cost", 'cost + (kind === "sale" ? 0n : sum)', "cost + sum"],
    [
      "C3",
      "an eSIM that was credited counts as another one",
      'purchases + Number(kind === "purchase")',
      'purchases + Number(kind !== "sale")'
    ],
    ["C3", "what was not sold at a price has a margin", "sales === 0 ? null : price - cost", "price - cost"],
    ["C3", "a month has no first instant", "month: monthOf(at)", "month: at"],
    [
      "C4",
      "a charge that is not in the ledger is no problem",
      'found === null) return "no charge"',
      "found === null) return null"
    ],
    [
      "C4",
      "a charge without an amount is as the supplier lists it",
      'return "a charge without an amount"',
      "return null"
    ],
    ["C4", "any amount of the same currency is the one that is listed", "&& sum === millionths(listed)", ""],
    ["C4", "the same number of another currency is the same amount", "currency === listed.currency &&", ""],
    ["I16", "what came back may be spent again in the day", 'kind === "refund" || kind === "sale"', 'kind === "sale"']
  ]),
  ...faultsIn("src/ports", "TelcoAnswers.ts", "stock", [
    ["C1", "what is no amount came back", "isAmount(credit) &&", "credit !== undefined &&"],
    ["C1", "a top-up without a cost is none", "isText(load) &&", "isText(load) && isAmount(cost) &&"],
    ["S3", "a telco does not say that a load was used", '["isLoadUsed"] === true', '["isLoadUsed"] === false']
  ]),
  ...faultsOf("SimCorrection.ts", "stock", [
    ["I15", "an eSIM that its supplier has is made available", "isGivenBack(sim) && reason !== null &&", "false &&"],
    [
      "I15",
      "an eSIM is returned once in its life",
      "const { returned: _, ...purchase } = next.purchase",
      "const { ...purchase } = next.purchase"
    ]
  ]),
  ...faultsOf("TelcoReport.ts", "stock", [
    ["I15", "a customer's eSIM that is gone is withdrawn", "isUsed({ allocation }) || purchase", "purchase"],
    [
      "I15",
      "an eSIM that is gone was used",
      'applyEnd(aggregate, found, at, "revoked", now)',
      instead("revoked", "depleted")
    ],
    ["I15", "an imported SIM may be gone", "return aggregate.sim.purchase === null\n        ?", "return false ?"],
    [
      "I15",
      "a telco's clock that is behind loses reports",
      "isBefore(occurredAt + AHEAD_LIMIT, sim)",
      without(" + AHEAD_LIMIT")
    ]
  ]),
  ...faultsOf("Sim.ts", "stock", [
    ["S2", "a plan of no bundle takes bought SIMs", "? purchase === null", "? true"],
    ["S2", "a SIM with another load is taken", "purchase?.load === wanted.load &&", "purchase !== null &&"],
    [
      "S2",
      "a SIM is given on the day it lapses",
      "Number.POSITIVE_INFINITY) > sellAfter",
      "Number.POSITIVE_INFINITY) >= sellAfter"
    ]
  ]),
  ...faultsOf("Plan.ts", "stock", [
    ["P5", "a top-up is ordered by the load", "isFirst ? load : (topUpLoad ?? load)", "load"],
    ["P5", "a plan has what it was before", "return { ...plan, bundle }", "return plan"],
    ["P5", "an attachment has no top-up of its own", "...(bundle.topUpLoad !== null &&", "...(false &&"]
  ])
]

const POLLS = "adapters/telco-calls/polls"

export const polls = [
  ...faultsIn(POLLS, "PollState.ts", "polls", [
    ["T3", "a first use is left out", "if (activationAt !== null && !was.isBegun) {", "if (false) {"],
    [
      "R1",
      "what the core has not taken counts as reported",
      "usage === undefined ? pack.reportedBytes : usage.usage.bytes",
      "pack.usedBytes"
    ],
    [
      "R1",
      "a former customer's package is reported",
      "packageIds.includes(one.packageId) ? [observe(",
      instead("packageIds.includes(one.packageId)", "true")
    ],
    [
      "R1",
      "what was known of a former purchase stays known",
      "state.purchaseId === purchaseId ? state",
      "true ? state"
    ],
    [
      "R4",
      "an end is not remembered",
      'pack.overAt ?? (taken.some(({ _tag }) => _tag === "End") ? now : null)',
      "pack.overAt"
    ],
    ["R4", "an end is left out", "if (end !== null && was.overAt === null) {", "if (false) {"],
    [
      "R1",
      "what was notified is forgotten before it is found",
      "...(before.hintedAt !== undefined && !isNew &&",
      "...(false &&"
    ],
    ["R1", "what was notified is waited for again after it was found", "&& !isNew &&", "&&"],
    ["T6", "what is counted late is taken for counted", "[packageId, polledAt - lag]", "[packageId, polledAt]"],
    ["R4", "a SIM is gone that one poll has missed", "now - since >= MISSED", "true"],
    ["R4", "a SIM that is missing is never gone", "now - since >= MISSED", "false"],
    [
      "R4",
      "a SIM that has come back counts as missing",
      "(before.missingSince ?? now) : undefined",
      "(before.missingSince ?? now) : before.missingSince"
    ],
    ["R4", "a SIM is gone that the core has not taken as gone", "(gone !== null && isTaken(gone))", "gone !== null"],
    ["R4", "a SIM that is gone is polled on", "if (isGone === true) return null", ""],
    [
      "R4",
      "a SIM in stock is polled no more",
      "if (all.length === 0) return now + STOCK",
      "if (all.length === 0) return null"
    ],
    [
      "R4",
      "a package that no poll has known is not searched for",
      "packageIds.some((id) => own.packages[id] === undefined) ||",
      "false ||"
    ],
    ["R4", "what is over is searched for", "|| next(own, limits, lag, now) !== null", "|| true"]
  ]),
  ...faultsIn(POLLS, "Polls.ts", "polls", [
    ["R4", "a SIM in stock is polled as often as one in use", "begin(iccid, PollState.STOCK)", "begin(iccid, fastest)"],
    ["R1", "a SIM is not polled from its first package on", "begin(iccid, fastest)", "begin(iccid, slowest * 1_000)"]
  ]),
  ...faultsIn(POLLS, "Sweep.ts", "polls", [
    ["R4", "a SIM that was found is not polled", "yield* add(iccid, now)", ""],
    [
      "R4",
      "SIMs are searched for once",
      "dueAt: last === null ? now + every : now",
      "dueAt: last === null ? null : now"
    ]
  ])
]
