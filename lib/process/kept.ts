/** How much is kept, besides the samples of servers (KEEP_TELEMETRY_DAYS). The hourly sweep deletes the rest. */
export const KEPT = {
  /** Of the intervals of game services: one more than the longest range of the API. */
  metricsDays: 8,
  /** Of the hourly sums of samples, of events, of maintenance, and of notices of what goes on. */
  hoursDays: 400,
  /** Finished runs of each server, the latest. */
  benchmarkRuns: 200,
  /** After the end of a session; sign-in knows an owner's ip by them. */
  sessionsDays: 30,
  /** After a token was revoked or expired. */
  tokensDays: 90,
} as const;
