/** Fakes of suppliers over sockets, and what a settings file says of an account at each. */
import { Effect, Exit, Scope } from "effect"
import * as FakeAiralo from "../telco-airalo/FakeAiralo.ts"
import * as FakeEsimAccess from "../telco-esim-access/FakeEsimAccess.ts"
import * as SupplierServer from "../telco-esim-go/SupplierServer.ts"
import * as Supplier from "../telco-esim-go/Supplier.ts"
import * as Leaks from "../setup/Leaks.ts"

const MEGABYTE = 1_048_576

export interface Started {
  /** One telco of the settings file, with the place of its secret. */
  readonly telco: (secret: unknown) => Readonly<Record<string, unknown>>
  readonly secret: string
  /** A bundle that eSIMs are bought with; 1 GB for 7 days, as near as the supplier has it. */
  readonly load: string
  /** How many eSIMs it has sold. */
  readonly sold: () => number
  /** Its customer uses 1 MB of the bundle that an eSIM was bought with. */
  readonly use: (iccid: string) => void
  /** Has the account so many cents left. */
  readonly setBalance: (cents: number) => void
  /** Sells an eSIM to somebody who uses the account by other means: the order's reference. */
  readonly sellElsewhere: () => string
  /** Has charged a cent more for the last order, if its lists have amounts. Its reference. */
  readonly chargeMore: () => string
  /** What the supplier tells of that. */
  readonly callback: (iccid: string) => string
  readonly close: () => Promise<void>
}

const known = (started: Started): Started => {
  Leaks.know(started.secret)
  return started
}

export const start = {
  "esim-go": async (): Promise<Started> => {
    const server = await SupplierServer.start({ now: () => Date.now() })
    return known({
      telco: (key) => ({ kind: "esim-go", url: server.url, key }),
      secret: SupplierServer.KEY,
      load: Supplier.week.name,
      sold: () => server.supplier.orders.filter(({ isNewEsim }) => isNewEsim).length,
      use: (iccid) => server.supplier.use(iccid, MEGABYTE),
      setBalance: (cents) => void Object.assign(server.supplier, { balance: cents }),
      sellElsewhere: () => server.supplier.order(Supplier.week.name, null).reference,
      chargeMore: () => {
        const last = server.supplier.orders.at(-1)
        if (last === undefined) throw new Error("Nothing was ordered")
        return Object.assign(last, { cents: last.cents + 1 }).reference ?? ""
      },
      // An example of its documents has a number of 19 digits.
      callback: (iccid) =>
        `{"iccid": ${iccid}, "alertType": "Utilisation", "bundle": {"name": "${Supplier.week.name}"}}`,
      close: server.close
    })
  },
  "esim-access": async (): Promise<Started> => {
    const scope = Effect.runSync(Scope.make())
    const fake = await Effect.runPromise(Scope.provide(FakeEsimAccess.make, scope))
    return known({
      telco: (access_code) => ({ kind: "esim-access", url: fake.url, access_code }),
      secret: fake.accessCode,
      load: "AU_1_7",
      sold: () => fake.profiles.length,
      use: (iccid) => {
        const own = fake.profiles.findLast((one) => one.iccid === iccid)
        if (own === undefined) throw new Error(`${iccid} was not sold`)
        const activateTime = `${new Date().toISOString().slice(0, 19)}+0000`
        Object.assign(own, { esimStatus: "IN_USE", orderUsage: MEGABYTE, activateTime })
      },
      setBalance: (cents) => void Object.assign(fake.state, { balance: cents * 100 }),
      sellElsewhere: () => {
        const packageInfoList = [{ slug: "AU_1_7", count: 1 }]
        fake.answer("/esim/order", fake.accessCode, { transactionId: "by hand", packageInfoList })
        return fake.profiles.at(-1)?.orderNo ?? ""
      },
      chargeMore: () => fake.profiles.at(-1)?.orderNo ?? "",
      callback: (iccid) => JSON.stringify({ notifyType: "DATA_USAGE", content: { iccid, orderUsage: 1 } }),
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    })
  },
  airalo: async (): Promise<Started> => {
    const fake = await FakeAiralo.start({ usedAt: Date.now, orderedAt: Date.now, listsNetPrice: true })
    return known({
      telco: (client_secret) => ({ kind: "airalo", url: fake.url, client_id: fake.clientId, client_secret }),
      secret: fake.clientSecret,
      load: "kallur-digital-7days-1gb",
      sold: () => fake.sims.size,
      use: (iccid) => fake.use(iccid, "sim", 1),
      setBalance: (cents) => void Object.assign(fake, { balance: cents }),
      sellElsewhere: () => {
        const sim = { id: 1, iccid: "8944465400001111116", matchingId: "MATCH-1", isRecycled: false }
        const of = { kind: "sim", packageId: "kallur-digital-7days-1gb", charged: 450, status: "completed" } as const
        fake.orders.push({ ...of, id: 77, description: null, createdAt: Date.now(), sims: [sim], listedFrom: 0 })
        return "77"
      },
      chargeMore: () => {
        const last = fake.orders.at(-1)
        if (last === undefined) throw new Error("Nothing was ordered")
        return String(Object.assign(last, { charged: last.charged + 1 }).id)
      },
      callback: (iccid) => JSON.stringify({ level: "75%", package_name: "Kallur", iccid }),
      close: fake.close
    })
  }
}

export type Kind = keyof typeof start

export const kinds = ["esim-go", "esim-access", "airalo"] as const satisfies ReadonlyArray<Kind>
