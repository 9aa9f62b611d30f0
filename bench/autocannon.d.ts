declare module "autocannon" {
  type Request = { method: string; path: string; headers: Record<string, string>; body?: string };
  type Options = {
    url: string;
    connections: number;
    /** In seconds. */
    duration: number;
    /** Requests a second of all connections. */
    overallRate?: number;
    requests: readonly Request[];
    /** Threads that ask. */
    workers: number;
  };
  type Result = {
    requests: { average: number };
    /** In milliseconds. */
    latency: { p97_5: number };
    errors: number;
    statusCodeStats: Record<string, { count: number }>;
  };
  export default function autocannon(options: Options): Promise<Result>;
}
