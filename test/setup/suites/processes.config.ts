import { defineConfig } from "vitest/config"
import { processes } from "./processes.ts"
import { shared } from "./shared.ts"

export default defineConfig({ ...shared, test: { ...shared.test, include: [...processes] } })
