/** See `Telco.mjs`. */
import type { Telco } from "simplan/promise"

export const telco: (pool: { query(text: string, values?: Array<unknown>): Promise<unknown> }) => Telco
