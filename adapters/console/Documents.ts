/** The page of the documents that explains what a page shows. */

const HOME = "https://github.com/simplan/simplan/blob/main/"

/** By the names of the pages. */
export const pages: Readonly<Record<string, string>> = {
  "": "adapters/http/operators.md#what-to-see-first",
  sim: "adapters/cli/tasks.md#a-customer-has-no-data",
  search: "adapters/cli/tasks.md#whose-sim-is-this",
  problems: "adapters/cli/trouble.md#problems",
  organizations: "adapters/http/operators.md#what-operators-do-for-organizations",
  organization: "adapters/http/operators.md#what-operators-do-for-organizations",
  sims: "adapters/cli/tasks.md#a-label-or-an-activation-code-is-wrong-or-a-sim-is-broken",
  imports: "adapters/cli/tasks.md#a-delivery-of-sims-has-arrived",
  stock: "adapters/cli/tasks.md#do-the-esims-run-out",
  plans: "adapters/cli/tasks.md#a-shop-sells-a-plan",
  bundles: "adapters/cli/telcos.md#the-days-work-with-the-file",
  coverage: "adapters/cli/tasks.md#a-shop-sells-a-plan",
  keys: "adapters/cli/tasks.md#a-customers-key-has-to-change",
  endpoints: "adapters/http/webhooks.md",
  subscriptions: "adapters/cli/tasks.md#many-customers-at-once",
  deliveries: "adapters/cli/trouble.md#webhooks-that-failed",
  delivery: "adapters/http/webhooks.md#deliveries",
  usage: "adapters/cli/finance.md#what-did-we-use-this-month",
  costs: "adapters/cli/finance.md#what-did-we-earn-this-month",
  audit: "adapters/cli/commands.md#who-changed-what",
  catalogue: "adapters/cli/telcos.md",
  operators: "adapters/cli/tasks.md#a-colleague-needs-access"
}

/** The address of what explains a page. */
export const of = (page: string): string => HOME + (pages[page] ?? "adapters/cli/console.md")
