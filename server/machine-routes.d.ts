// The build writes this module (scripts/server-bundle.ts): each machine route of `app/` with its handlers by method.
declare module "@/server/machine-routes" {
  export const routes: readonly { pattern: string; handlers: object }[];
}
