import { test as base } from "vitest";
import { AgentBench } from "./agent";

/**
 * A test of the agent on a bench of its own: no hypervisor, no ping. Several run at once, because most of their time is the
 * agent's own waiting.
 */
export const agentTest = base.extend<{ bench: AgentBench }>({
  bench: async ({ task: _ }, use) => {
    const bench = new AgentBench();
    bench.shim("systemd-detect-virt", "exit 1");
    bench.shim("ping", "exit 2");
    // What it measures is recorded: nothing becomes truer in a second of the clock.
    bench.shim("sleep", "exec /bin/sleep 0.2");
    await use(bench);
    await bench.remove();
  },
}).concurrent;
