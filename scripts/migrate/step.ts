import type pg from "pg";
import type { MigrationSession } from "./session";

/** A step that is done or not, however often `npm run migrate` was killed. */
export type Step = {
  what: string;
  isDone(client: pg.ClientBase): Promise<boolean>;
} & (
  | { /** The script of one short transaction. */ quick(client: pg.ClientBase): Promise<string> }
  | {
      /** Blocks neither readers nor writers, however long it takes. */ long(session: MigrationSession): Promise<void>;
    }
);
