/**
 * Which fast paths the adapter takes. Each one can be switched off: the adapter then sends each read, each commit by
 * itself, and decrypts each secret. `npm run test:plain` runs the suite with all of them off.
 */
export interface FastPaths {
  /** One statement answers reads of several callers. */
  readonly batchedReads: boolean
  /** One statement writes the commits of several callers. */
  readonly batchedCommits: boolean
  /** Secrets that were decrypted lately are remembered (`RecentSecrets`). */
  readonly recentSecrets: boolean
}

export const defaults: FastPaths = { batchedReads: true, batchedCommits: true, recentSecrets: true }
