import { startReadyProcess } from "./ready-process";

export type Functions<Module> = {
  [Name in keyof Module as Module[Name] extends (...args: never[]) => Promise<unknown> ? Name : never]: Module[Name];
};

type Library = {
  /** The functions of a module under lib/, called over the library's database. Arguments travel as JSON. */
  use<Module>(module: string): Functions<Module>;
  stop(): Promise<void>;
};

/** The product's own functions over a database that is not the shared one. */
export async function openLibrary(databaseUrl: string): Promise<Library> {
  const { child, stop } = await startReadyProcess<string>("e2e/support/library-process.ts", [databaseUrl]);
  const pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  child.on("message", ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const call = pending.get(id);
    pending.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  let calls = 0;
  const call = (module: string, name: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      const id = calls++;
      pending.set(id, { resolve, reject });
      child.send({ id, module, name, args });
    });
  return {
    use: (module) =>
      new Proxy({} as never, {
        get:
          (_, name: string) =>
          (...args: unknown[]) =>
            call(module, name, args),
      }),
    stop,
  };
}
