/** See `Fake.mjs`. Times are milliseconds, dates of requests as the documents have them. */

export interface Options {
  /** 0, which is also the default, takes any free port. */
  readonly port?: number
  readonly host?: string
  readonly path?: string
  readonly token?: string
  readonly resellerId?: number
  /** How many eSIMs account 1 has at the start. */
  readonly subscribers?: number
  /** More calls in a second are answered with code 100; null: any number. */
  readonly callsPerSecond?: number | null
  /** How many subscribers `listSubscriber` lists at most. */
  readonly mostListed?: number
  /** Its clock. */
  readonly now?: () => number
  /** The zone in which it reads the periods of orders; its lists are UTC. UTC by default. */
  readonly timeZone?: string
  /** How much lists of packages are behind, in milliseconds; 0 by default. */
  readonly listLag?: number
}

/** See `Faults.mjs`. */
export interface Fault {
  readonly fault:
    | "lose_request"
    | "lose_answer"
    | "late"
    | "slow"
    | "twice"
    | "garbage"
    | "refuse"
    | "traffic_control"
    | "http"
  readonly operation?: string
  readonly containing?: string
  readonly times?: number | null
  readonly at?: "start" | "headers" | "body" | number
  readonly millis?: number
  readonly cut?: boolean
  readonly code?: number
  readonly text?: string
  readonly status?: number
}

export interface Package {
  readonly id: number
  readonly iccid: string
  readonly subscriberId: number
  readonly templateId: number
  readonly allowanceBytes: number
  readonly usedBytes: number
  readonly periodDays: number
  readonly assignedAt: number
  readonly activationAt: number | null
  readonly expirationAt: number | null
  readonly isActive: boolean
  readonly deletedAt: number | null
}

export interface Subscriber {
  readonly subscriberId: number
  readonly iccid: string
  readonly imsi: string
  readonly msisdn: string
  readonly eid: string
  readonly accountId: number
  /** `Suspended`: it has no service, until that is changed or it is given a package. */
  readonly status: string
  readonly sim: { readonly id: number; readonly status: string; readonly activationCode: string }
  readonly network: { readonly at: number; readonly mcc: number; readonly mnc: number } | null
  readonly mobilePlanId: number | null
  readonly history: ReadonlyArray<{ readonly status: string; readonly start: string; readonly end?: string }>
}

export interface Template {
  readonly prepaidpackagetemplateid: number
  readonly prepaidpackagetemplatename: string
  readonly locationzoneid: number
  readonly databyte?: number
  readonly perioddays: number
}

/** What was used of data at some time. */
export interface Usage {
  readonly iccid: string
  readonly subscriberId: number
  readonly at: number
  readonly bytes: number
  readonly mcc: number
  readonly mnc: number
}

/** A request. `code` is null if it was lost before anything was done. */
export interface Call {
  readonly at: number
  /** `as`: it was about the book of usage. */
  readonly version: number | "as"
  readonly operation: string | null
  readonly request: unknown
  readonly code: number | null
  readonly fault: string | null
  readonly answer?: unknown
}

export interface Notification {
  readonly url: string
  readonly body: unknown
  readonly status: number | null
  readonly answer: unknown
  /** The customer has answered `{"result": {"code": 0}}`. */
  readonly isAcknowledged: boolean
}

export interface Books {
  readonly subscribers: ReadonlyArray<Subscriber>
  readonly templates: ReadonlyArray<Template>
  /** Deleted ones too. */
  readonly packages: ReadonlyArray<Package>
  readonly messages: ReadonlyArray<{ readonly iccid: string; readonly from: string; readonly text: string }>
  readonly usages: ReadonlyArray<Usage>
  readonly notifications: ReadonlyArray<Notification>
  readonly calls: ReadonlyArray<Call>
}

export interface Fake {
  readonly origin: string
  readonly url: string
  readonly urlV2: string
  readonly urlUsage: string
  /** Adds free eSIMs; gives their ICCIDs. */
  readonly addSubscribers: (of?: {
    readonly accountId?: number
    readonly count?: number
    readonly iccids?: ReadonlyArray<string>
    readonly isEsim?: boolean
    /** Of a single one; they follow from the number of the subscriber otherwise. */
    readonly imsi?: string
    readonly msisdn?: string
    /** What answers say instead of the time at which they were added. */
    readonly startDate?: string
  }) => ReadonlyArray<string>
  /** Replaces all faults. */
  readonly setFaults: (faults: ReadonlyArray<Fault>) => void
  readonly faults: () => ReadonlyArray<Fault>
  readonly configureNotifications: (of: {
    readonly packages?: string | null
    readonly es2plus?: string | null
    readonly thresholds?: ReadonlyArray<number>
  }) => void
  /** Uses data, and waits until the notifications are answered. Gives the bytes that packages had room for. */
  readonly useData: (usage: {
    readonly iccid: string
    readonly bytes: number
    readonly packageId?: number
    readonly mcc?: number
    readonly mnc?: number
    readonly rat?: string
    readonly imei?: string
  }) => Promise<number>
  /** A new state of an eSIM's profile; waits until the notification is answered. */
  readonly setProfile: (of: {
    readonly iccid: string
    readonly status: string
    readonly modification?: string
  }) => Promise<void>
  /** Writes usage into the book of usage for which no package is charged. */
  readonly addUsage: (usage: {
    readonly iccid: string
    readonly bytes: number
    readonly at?: number
    readonly mcc?: number
    readonly mnc?: number
  }) => void
  /** What somebody at the system changes of a package by hand; one with `deletedAt` is gone. */
  readonly changePackage: (
    to: Pick<Package, "id"> & Partial<Pick<Package, "allowanceBytes" | "expirationAt" | "isActive" | "deletedAt">>
  ) => void
  /** What somebody changes of a template by hand: the fields of `createPrepaidPackageTemplate`. */
  readonly changeTemplate: (to: { readonly id: number; readonly [field: string]: unknown }) => void
  /** Ends all connections, with the requests on them. */
  readonly cut: () => void
  readonly settled: () => Promise<void>
  readonly books: () => Books
  readonly close: () => Promise<void>
}

export const start: (options?: Options) => Promise<Fake>

/** The ICCID of the nth eSIM; the first is 1. */
export const iccidOf: (n: number) => string

export const statusNames: Readonly<Record<number, string>>
