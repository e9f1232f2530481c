/**
 * What an audit entry says, and which entries a filter selects (rule W11).
 */
import { describe, expect, it } from "vitest"
import * as AuditEntry from "../../src/domain/AuditEntry.ts"
import * as Values from "./Values.ts"

const entry: AuditEntry.AuditEntry = Values.auditEntry({
  organizationId: "o",
  entryId: "e",
  createdAt: 100,
  action: "subscription.create",
  resourceId: "s",
  iccid: "89"
})

const all: AuditEntry.Filter = { from: null, to: null, actor: null, action: null, resourceId: null }

describe("An audit entry", () => {
  it("names the type of its resource by its action", () => {
    expect(AuditEntry.resourceType("webhook_endpoint.rotate_key")).toBe("webhook_endpoint")
    expect(AuditEntry.actions.every((action) => /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(action))).toBe(true)
  })

  it.each<[Partial<AuditEntry.Filter>, boolean]>([
    [{}, true],
    [{ from: 100 }, true],
    [{ from: 101 }, false],
    [{ to: 101 }, true],
    [{ to: 100 }, false],
    [{ actor: "admin" }, true],
    [{ actor: "telco" }, false],
    [{ action: "subscription.create" }, true],
    [{ action: "plan.create" }, false],
    [{ resourceId: "s" }, true],
    [{ resourceId: "89" }, true],
    [{ resourceId: "e" }, false],
    [{ from: 100, to: 101, actor: "admin", action: "subscription.create", resourceId: "x" }, false]
  ])("is selected by %o: %s", (filter, isAsked) => {
    expect(AuditEntry.isAsked(entry, { ...all, ...filter })).toBe(isAsked)
  })
})

describe("an actor", () => {
  it("W11: is shown to an organization unless it may be an operator", () => {
    const key = "0195d3f2-7a01-7c3e-8f00-000000000001"
    for (const shown of [null, key, "host", "telco"])
      expect(AuditEntry.shownToOrganization(shown, "user 7")).toBe(shown)
    expect(AuditEntry.shownToOrganization("user 7", "user 7")).toBe("user 7")
    for (const name of ["bootstrap", "Ada", "oidc:ada@example.com", "user 7", "", "host ", `${key} `]) {
      expect(AuditEntry.shownToOrganization(name, "user 8")).toBe("the operator of the service")
      expect(AuditEntry.shownToOrganization(name, null)).toBe("the operator of the service")
    }
  })
})
