/**
 * What each operation does beyond its summary, by the operation's id, and what each group of operations is about.
 */

const operations: Readonly<Record<string, string>> = {
  "subscriptions.list":
    "All subscriptions of the organization, in the order of their creation. The list is streamed: read it as it comes.",
  "subscriptions.create":
    "Takes a SIM and attaches the plan to it. Without `iccid` a free eSIM of the plan's label is chosen. With the ICCID " +
    "of a SIM in service, the plan is added to that SIM's subscription. The packages that are due are made at the telco " +
    "before the answer; a 502 or 503 of the telco leaves nothing behind.",
  "subscriptions.get": "The subscription of the SIM.",
  "subscriptions.remove":
    "Ends the subscription. The packages are cancelled at the telco, and then the SIM is free for another one. The " +
    "subscription of an eSIM that shows a sign of a download stays (403).",
  "subscriptions.attachments": "All plan attachments of the subscription, oldest first, with their states and usage.",
  "subscriptions.attachment":
    "One attachment, by its id or by its plan's. Of several attachments of a plan, the newest active one is taken, else the newest.",
  "subscriptions.suspend":
    "Stops the attachment's services for good. Suspending it again changes nothing; an expired one is refused (409).",
  "subscriptions.sendSms":
    "Sends the SMS through the telco, once for each `Idempotency-Key`. A 503 means that it may have been sent: repeat the " +
    "request under the same key.",
  "subscriptions.location": "The operator that the SIM was seen at last, within the last 7 days.",
  "plans.list": "A page of the organization's plans.",
  "plans.create":
    "Makes a plan. Its label is that of its coverage profile. Fields of a feature that is off are ignored.",
  "plans.get": "The plan's terms, archived or not.",
  "plans.remove": "Deletes the plan. Attachments keep a copy of its terms and go on.",
  "plans.archive": "An archived plan takes no new attachments (409). Archiving it again changes nothing.",
  "plans.unarchive": "Makes an archived plan available again. Restoring a live plan changes nothing.",
  "coverage.list":
    "The standard profiles and the organization's own, with their countries and operators. The list is large and streamed.",
  "coverage.get": "One profile, with its countries and operators.",
  "coverage.createRegion":
    "Makes a profile of the countries, for plans of the label. A profile never changes and cannot be deleted.",
  "sims.list": "A page of the organization's SIMs, in the order of their import.",
  "sims.get": "One SIM of the inventory.",
  "sims.smdpInfo": "What the SM-DP+ reported of the eSIM's profile. A physical SIM has no profile (404).",
  "operators.list": "The mobile network operators of the catalogue.",
  "operators.get": "One mobile network operator.",
  "wallet.setMobilePlan":
    "Applies the organization's mobile plan to an eSIM or removes it. Without `iccid`, an eSIM of the label that has none is chosen.",
  "organizations.create": "Makes a tenant: it owns keys, SIMs, plans, regions, subscriptions and webhook endpoints.",
  "organizations.list": "A page of all organizations.",
  "organizations.createKey": "Makes a key for `/v3`. The key is shown this once; only its hash is stored.",
  "organizations.keys": "A page of the organization's keys, without their secrets.",
  "organizations.revokeKey": "Ends the key: at once in the process that is asked, within 5 s in all.",
  "organizations.rotateKey":
    "Gives the key another secret, shown this once. The one before ends as a revoked one does.",
  "imports.importSims":
    "Adds SIMs to the inventory, as JSON or as CSV of at most 64 MiB and 3,000,000 rows. A SIM that the organization has already gets the " +
    "`imsi`, `msisdn` and `subscriber_id` of its row, and the `lpa` if it is an eSIM without one; it is a duplicate " +
    "otherwise. One of another organization is an error.",
  "imports.replaceCatalogue":
    "Replaces all countries, operators and standard coverage profiles at once, by at most 4 MiB and 200,000 values.",
  "imports.catalogue": "The catalogue that is in use, in the form that replaces it.",
  "webhooks.create": "Registers a URL to which the organization's events are sent, signed with a key of its own.",
  "webhooks.list": "A page of the organization's endpoints.",
  "webhooks.get": "One endpoint.",
  "webhooks.update":
    "Changes the fields that are given. An endpoint that was disabled can be enabled again; what it missed since the " +
    "service disabled it is among its failed deliveries, to be replayed.",
  "webhooks.remove": "Removes the endpoint. What was not delivered to it is not sent any more.",
  "webhooks.rotateKey": "Makes a new signing key. For 24 h each call has a signature by either key.",
  "webhooks.test": "Sends an event of the type `endpoint.test` to this endpoint only.",
  "webhooks.deliveries": "A page of what was sent to the organization's endpoints, and of what is to be sent.",
  "webhooks.delivery": "One delivery, with each attempt to deliver it.",
  "webhooks.replay": "Sends the event of the delivery again, under the same event id.",
  "webhooks.replayAll": "Sends the events of all deliveries that the filter takes again.",
  "jobs.retry":
    "Has the job tried at once, if it waits for its next try. One that is done meanwhile, or has become a problem, is 404.",
  "jobs.retryAll":
    "Has all jobs that the filter takes tried at once: after an outage of the telco, say. It stops after 10,000: `next` is " +
    "where to go on.",
  "problems.retry":
    "Has the telco asked again: at once, and up to three times. Retrying a problem that is being retried changes nothing; one " +
    "that the telco has taken meanwhile is gone (404).",
  "problems.resolve":
    "Say this when the telco was told by other means. The problem is gone, and what waited for the telco goes on as if it had " +
    "taken the work: the SIM of a deleted subscription is free. Before a SIM is free, its telco is asked what it lists on it: " +
    "anything of ours is 409, no answer 502 or 503, and nothing is resolved, unless by force. A problem that is gone already, or is being retried, is 404.",
  "telcos.zones": "The location zones that were set for coverage profiles at this telco, by label and coverage id.",
  "telcos.setZone":
    "Says which location zone of the telco a coverage profile is, for plans of the label. A custom region needs it before its " +
    "first plan; for a standard profile it goes before the settings file. Packages that exist keep theirs.",
  "notifications.ocs":
    "Takes what an online charging system notifies by itself: the usage of packages and the states of eSIM profiles. The secret " +
    "of the settings file in the path says who sends it; another one is 404.",
  "notifications.es2plus":
    "Takes `HandleDownloadProgressInfo` of GSMA SGP.22 (ES2+), version 2. The path up to the secret is the address that the " +
    "SM-DP+ is given; another secret is 404.",
  "notifications.es2plus3":
    "Takes `HandleNotification` of GSMA SGP.22 (ES2+), version 3. The path up to the secret is the address that the SM-DP+ is " +
    "given; another secret is 404.",
  "clock.read": "The time that all rules go by, which may be virtual.",
  "clock.advance":
    "Moves a virtual clock from due instant to due instant, and answers when all work that was due by then is done. Exactly " +
    "one of `to` and `by` is given.",
  "reports.take":
    "Takes what the telco saw. A report counts once, by its id, and a bad one stops no other: the answer names it.",
  "system.health": "Answers as long as the process lives. It touches nothing else.",
  "system.readiness":
    "Answers 503 while the process starts or stops, or its storage is out of reach or takes no writes.",
  "system.metrics": "The process's metrics in the text format of Prometheus."
}

const groups: Readonly<Record<string, string>> = {
  Subscriptions: "SIMs in service, the plans attached to them, messages to them and where they were seen.",
  Plans: "What can be sold: an allowance, a validity, and perhaps throttling and recurrence.",
  Coverage: "The sets of countries that plans are for: standard ones, and the organization's own.",
  SIMs: "The organization's inventory of eSIMs and physical SIMs.",
  Operators: "The mobile networks of the catalogue.",
  Wallet: "The organization's mobile plan on its eSIMs.",
  "Management: organizations": "Tenants and their API keys, for the operator of the service.",
  "Management: imports": "SIMs for an organization, and the catalogue for all.",
  "Management: webhooks": "Where an organization's events are sent, and what became of them.",
  "Management: clock": "The business clock, which tests and demonstrations can move.",
  "Management: audit": "Who changed what.",
  "Management: jobs": "Work that was tried and waits for its next try, of all organizations.",
  "Management: problems": "Work at the telco that ended in refusals, and needs a person.",
  "Management: telcos": "What the operator sets at the telcos of the settings file.",
  Notifications: "What telcos of the settings file tell by themselves, in their own words.",
  Telco: "What the underlying system reports.",
  System: "Health and metrics, for the platform that runs the service."
}

/** What an operation does; undefined where its summary says it all. */
export const description = (operation: string): string | undefined => operations[operation]

/** What a group of operations is about. */
export const ofGroup = (title: string): string => groups[title] ?? title
