/**
 * The first schema.
 *
 * Instants are UTC milliseconds in `bigint`. What is keyed, filtered or guarded has a column of its own; the rest of a
 * nested value is `jsonb`, and `json` where the order of the keys matters. Keys are compared byte by byte (collation
 * "C"), so that their order is the same on every server. `organization_id` leads every key but three: the ICCIDs and
 * key hashes, which are unique in the whole service, and the work that is claimed by its due time.
 *
 * There are no foreign keys: what belongs to a SIM is written under the guard of that SIM's version. Rows that change over
 * and over have room beside them (`fillfactor`), so that a change stays on its page and leaves the indexes alone.
 */

/** The statements, in their order, for the schema `simplan`. */
export const statements: ReadonlyArray<string> = [
  `create table simplan.organization (
    organization_id text collate "C" primary key,
    name text not null,
    created_at bigint not null
  )`,
  `create index organization_listed on simplan.organization (created_at, organization_id)`,

  `create table simplan.api_key (
    organization_id text collate "C" not null,
    api_key_id text collate "C" not null,
    name text not null,
    scope text not null,
    hash text collate "C" not null,
    hint text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    version bigint not null,
    primary key (organization_id, api_key_id),
    constraint api_key_hash unique (hash)
  )`,
  `create index api_key_listed on simplan.api_key (organization_id, created_at, api_key_id)`,

  `create table simplan.webhook_endpoint (
    organization_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    url text not null,
    events text[],
    description text not null,
    disabled_reason text,
    disabled_at bigint,
    failing_since bigint,
    signing_keys jsonb not null,
    created_at bigint not null,
    deleted_at bigint,
    version bigint not null,
    primary key (organization_id, endpoint_id)
  )`,
  `create index webhook_endpoint_listed on simplan.webhook_endpoint (organization_id, created_at, endpoint_id)
    where deleted_at is null`,

  // organization_id: whose events it takes; null for all.
  `create table simplan.event_handler (
    name text collate "C" primary key,
    types text[] not null,
    organization_id text collate "C",
    created_at bigint not null
  )`,

  // folded_name is the name as `toLowerCase()` has it, which no server locale agrees on.
  `create table simplan.plan (
    organization_id text collate "C" not null,
    plan_id text collate "C" not null,
    label text collate "C" not null,
    coverage_id text collate "C" not null,
    folded_name text collate "C" not null,
    terms jsonb not null,
    created_at bigint not null,
    archived_at bigint,
    deleted_at bigint,
    version bigint not null,
    primary key (organization_id, plan_id)
  )`,
  `create index plan_listed on simplan.plan (organization_id, created_at, plan_id) where deleted_at is null`,

  // countries is the set of iso2_list as text (`Region.countriesKey`): each one once, in order.
  `create table simplan.region (
    organization_id text collate "C" not null,
    coverage_id text collate "C" not null,
    region_code text not null,
    region_name text collate "C" not null,
    label text not null,
    iso2_list text[] collate "C" not null,
    countries text collate "C" not null,
    created_at bigint not null,
    primary key (organization_id, coverage_id),
    constraint region_name unique (organization_id, region_name),
    constraint region_countries unique (organization_id, countries)
  )`,
  `create index region_listed on simplan.region (organization_id, created_at, coverage_id)`,

  `create table simplan.iccid (
    iccid text collate "C" primary key,
    organization_id text collate "C" not null
  )`,

  // The last import sequence of each organization that has SIMs.
  `create table simplan.import_sequence (
    organization_id text collate "C" primary key,
    last bigint not null
  )`,

  `create table simplan.sim (
    organization_id text collate "C" not null,
    iccid text collate "C" not null,
    sim_id text not null,
    import_sequence bigint not null,
    label text collate "C" not null,
    is_esim boolean not null,
    lpa text,
    created_at bigint not null,
    allocation text collate "C" not null,
    allocated_to text,
    recycled_at bigint,
    downloaded boolean not null,
    smdp jsonb,
    location jsonb,
    last_activity_at bigint,
    mobile_plan_applied boolean not null,
    mobile_plan_target boolean,
    version bigint not null,
    reservation_token text,
    reserved_until bigint,
    primary key (organization_id, iccid)
  ) with (fillfactor = 50)`,
  `create index sim_listed on simplan.sim (organization_id, import_sequence)`,
  `create index sim_listed_by_label on simplan.sim (organization_id, label, import_sequence)`,
  `create index sim_listed_by_kind on simplan.sim (organization_id, is_esim, import_sequence)`,
  // Depends on who has a SIM and not on how, so that a SIM that goes into service changes its entries once.
  `create index sim_free on simplan.sim (organization_id, label, recycled_at nulls first, import_sequence)
    where is_esim and allocated_to is null and not downloaded`,
  `create index sim_without_mobile_plan on simplan.sim (organization_id, label, import_sequence)
    where is_esim and not mobile_plan_applied and mobile_plan_target is null`,

  `create table simplan.subscription (
    organization_id text collate "C" not null,
    subscription_id text collate "C" not null,
    iccid text collate "C" not null,
    metadata text not null,
    created_at bigint not null,
    status text collate "C" not null,
    primary key (organization_id, subscription_id)
  )`,
  `create index subscription_present on simplan.subscription (organization_id, iccid) where status <> 'Deleted'`,
  `create index subscription_listed on simplan.subscription (organization_id, created_at, subscription_id)
    where status = 'Live'`,

  `create table simplan.attachment (
    organization_id text collate "C" not null,
    attachment_id text collate "C" not null,
    subscription_id text collate "C" not null,
    iccid text collate "C" not null,
    plan_id text not null,
    terms jsonb not null,
    active_period jsonb,
    metadata text not null,
    created_at bigint not null,
    confirmed boolean not null,
    anchor bigint,
    suspended_at bigint,
    last_threshold_notified integer not null,
    primary key (organization_id, attachment_id)
  ) with (fillfactor = 60)`,
  `create index attachment_of_subscription
    on simplan.attachment (organization_id, subscription_id, created_at, attachment_id)`,

  `create table simplan.package (
    organization_id text collate "C" not null,
    attachment_id text collate "C" not null,
    occurrence integer not null,
    iccid text collate "C" not null,
    status text not null,
    telco_package_id text collate "C",
    activation_at bigint,
    expiration_at bigint,
    used_bytes bigint not null,
    primary key (organization_id, attachment_id, occurrence)
  ) with (fillfactor = 50)`,

  `create table simplan.smdp_entry (
    organization_id text collate "C" not null,
    iccid text collate "C" not null,
    modified_at bigint not null,
    position bigint generated always as identity,
    report_id text not null,
    state text not null,
    modification_result text not null,
    primary key (organization_id, iccid, modified_at, position)
  )`,

  `create table simplan.seen_report (
    organization_id text collate "C" not null,
    report_id text collate "C" not null,
    received_at bigint not null,
    primary key (organization_id, report_id)
  )`,
  `create index seen_report_received on simplan.seen_report (received_at)`,

  `create table simplan.idempotency (
    organization_id text collate "C" not null,
    key text collate "C" not null,
    fingerprint text not null,
    created_at bigint not null,
    outcome json not null,
    primary key (organization_id, key)
  )`,
  `create index idempotency_created on simplan.idempotency (created_at)`,

  `create table simplan.command (
    organization_id text collate "C" not null,
    command_id text collate "C" not null,
    request json not null,
    created_at bigint not null,
    outcome json not null,
    settled_at bigint,
    primary key (organization_id, command_id)
  )`,
  `create index command_settled on simplan.command (settled_at) where settled_at is not null`,

  `create table simplan.event (
    organization_id text collate "C" not null,
    event_id text collate "C" not null,
    created_at bigint not null,
    payload json not null,
    primary key (organization_id, event_id)
  )`,
  `create index event_created on simplan.event (created_at)`,
  `create index event_of_sim on simplan.event (
    organization_id, coalesce(payload->'data'->>'sim', payload->'data'->>'esim')
  )`,

  // handler and iccid: the handler that it is to in place of an endpoint, and the SIM whose order it keeps.
  `create table simplan.delivery (
    organization_id text collate "C" not null,
    delivery_id text collate "C" not null,
    event_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    status text collate "C" not null,
    attempts integer not null,
    retry_step integer not null,
    response_status integer,
    last_error text,
    last_attempt_at bigint,
    next_attempt_at bigint,
    created_at bigint not null,
    lease_token text,
    lease_until bigint,
    handler text collate "C",
    iccid text collate "C",
    primary key (organization_id, delivery_id)
  ) with (fillfactor = 50)`,
  `create index delivery_listed on simplan.delivery (organization_id, created_at, delivery_id) where handler is null`,
  `create index delivery_listed_by_endpoint
    on simplan.delivery (organization_id, endpoint_id, created_at, delivery_id) where handler is null`,
  `create index delivery_due on simplan.delivery (next_attempt_at, delivery_id)
    where status = 'Pending' and handler is null`,
  `create index delivery_of_endpoint on simplan.delivery (endpoint_id, next_attempt_at, delivery_id)
    where status = 'Pending' and handler is null`,
  `create index delivery_of_handler on simplan.delivery (handler, next_attempt_at, delivery_id)
    where status = 'Pending' and handler is not null`,
  `create index delivery_of_handler_and_sim on simplan.delivery (handler, iccid, created_at, delivery_id)
    where status = 'Pending' and handler is not null`,

  `create table simplan.delivery_attempt (
    organization_id text collate "C" not null,
    delivery_id text collate "C" not null,
    number integer not null,
    at bigint not null,
    duration_millis integer,
    response_status integer,
    error text,
    response_body text,
    primary key (organization_id, delivery_id, number)
  )`,

  `create table simplan.job (
    job_id text collate "C" primary key,
    organization_id text collate "C" not null,
    work jsonb not null,
    due_at bigint not null,
    attempts integer not null,
    created_at bigint not null,
    idempotency_key text,
    origin jsonb,
    command jsonb,
    refused jsonb,
    ended_at bigint,
    lease_token text,
    lease_until bigint
  ) with (fillfactor = 50)`,
  `create index job_due on simplan.job (due_at, job_id) where ended_at is null`,
  `create index job_of_organization on simplan.job (organization_id, due_at, job_id) where ended_at is null`,
  `create index job_ended on simplan.job (created_at, job_id) where ended_at is not null`,

  // Purged by organization, so that it needs no second index.
  `create table simplan.audit_entry (
    organization_id text collate "C" not null,
    created_at bigint not null,
    entry_id text collate "C" not null,
    actor text collate "C" not null,
    action text collate "C" not null,
    resource_id text collate "C" not null,
    iccid text collate "C",
    address text,
    request_id text,
    primary key (organization_id, created_at, entry_id)
  )`,

  `create table simplan.catalogue (
    singleton boolean primary key default true check (singleton),
    version bigint not null,
    value json not null
  )`,

  `create table simplan.clock (
    singleton boolean primary key default true check (singleton),
    instant bigint not null
  )`,

  // The keys that secrets may be encrypted with; each has encrypted its check value.
  `create table simplan.encryption_key (
    key_id text collate "C" primary key,
    check_value text not null
  )`,

  // What a commit's guards call: the message is the `on` of the `Conflict`.
  `create function simplan.ensure(holds boolean, otherwise text) returns boolean language plpgsql as $$
    begin
      if holds then return true; end if;
      raise exception using errcode = 'SP409', message = otherwise;
    end
  $$`
]
