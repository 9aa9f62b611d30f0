import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { startConsoleWithoutDirectDoor } from "@/e2e/support/next-door";
import { startReadyProcess } from "@/e2e/support/ready-process";
import { PlainError } from "@/lib/failures";
import type { Filled } from "./database";
import type { Measured, Order } from "./load";

/** The server under test: its port, and the process whose resource use is measured. */
export type Target = { port: number; child: ChildProcess };

/** The request to a target. Everything but the path has a default. */
export type BenchRequest = Partial<Omit<Order, "port">> & { path: string };

/** One run of the benchmark: a filled database and the servers that were started on it. */
export class Bench {
  readonly #started: { stop(): Promise<void> }[] = [];
  readonly #loads: { child: ChildProcess; ended: Promise<[{ error: string }]> }[] = [];
  readonly #targets = new Map<string, Target>();

  /** `variables` are added to those of the app with the direct door and the limit in process. */
  constructor(
    readonly data: Filled,
    readonly variables: Readonly<Record<string, string>>,
  ) {}

  peer(): Promise<Target> {
    return this.#once("peer", async () => {
      const { message: port, child, stop } = await startReadyProcess<number>("bench/peer.ts", [this.data.url]);
      return { port, child, stop };
    });
  }

  direct(): Promise<Target> {
    return this.#once("direct", () => startConsole(this.data.url, this.variables));
  }

  next(): Promise<Target> {
    return this.#once("next", () => startConsoleWithoutDirectDoor(this.data.url));
  }

  /** Starts an app for one section, which must stop it. */
  async startApp(variables: Record<string, string>, workers = 1): Promise<ConsoleServer> {
    return this.own(await startConsole(this.data.url, variables, workers));
  }

  /** Registers something to be stopped at the end of the run. Stopping it twice is harmless. */
  own<Started extends { stop(): Promise<void> }>(started: Started): Started {
    const stop = started.stop.bind(started);
    let stopped: Promise<void> | undefined;
    started.stop = () => (stopped ??= stop());
    this.#started.push(started);
    return started;
  }

  async ask(target: Target, request: BenchRequest): Promise<Measured> {
    return this.#order(0, target, request);
  }

  /** Sends several loads at once, each from a separate process. */
  async askAll(target: Target, requests: readonly BenchRequest[]): Promise<Measured[]> {
    return Promise.all(requests.map((request, load) => this.#order(load, target, request)));
  }

  /** Ends everything, the last one started first. */
  async stop(): Promise<void> {
    for (const started of this.#started.reverse()) await started.stop().catch(console.error);
  }

  async #once(name: string, start: () => Promise<Target & { stop(): Promise<void> }>): Promise<Target> {
    const target = this.#targets.get(name) ?? this.own(await start());
    this.#targets.set(name, target);
    return target;
  }

  async #order(load: number, { port }: Target, request: BenchRequest): Promise<Measured> {
    const defaults = { tokens: this.data.tokens[100], status: 200, connections: 16, ms: 1000, pauseMs: 0 };
    const order: Order = { port, ...defaults, ...request };
    this.#loads[load] ??= await this.#startLoad();
    const { child, ended } = this.#loads[load];
    child.send(order);
    const [answer] = (await Promise.race([once(child, "message"), ended])) as [Measured | { error: string }];
    if ("error" in answer) throw new PlainError(answer.error);
    return answer;
  }

  async #startLoad() {
    const { child } = this.own(await startReadyProcess<string>("bench/load.ts"));
    const ended = once(child, "exit").then((): [{ error: string }] => [{ error: "The process that asks has ended." }]);
    return { child, ended };
  }
}
