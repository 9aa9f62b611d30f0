import type pg from "pg";
import type { Migration } from "../migrations";
import { type Batches, batchStep } from "./batches";
import { partitionSteps, planOfPartitions, takeBackBounds, wantsPartitions } from "./daily-partitions";
import type { MigrationSession } from "./session";
import { splitStatements } from "./statements";
import type { Step } from "./step";
import { estimateRows, hasColumn, hasRows } from "./tables";

/**
 * Several steps in the place of a migration's file, where the file would lock a table with rows for too long. Both ways
 * lead to the same schema.
 */
export type OnlineWay = {
  /** Whether there are rows that the file would take long for, or this way has been begun. */
  isNeeded(client: pg.ClientBase): Promise<boolean>;
  steps(migration: Migration): readonly Step[];
  /** What the steps that are left will lock and write, a sentence each. */
  plan(client: pg.ClientBase): Promise<string[]>;
  /** Takes back what must not stand alone, when the way is not gone to its end. */
  takeBack?(session: MigrationSession): Promise<void>;
};

/** The migrations that have one, by name. Every other one is quick: see CONTRIBUTING.md. */
export const ONLINE_WAYS: Readonly<Record<string, OnlineWay>> = {
  "20261122110000_daily_partitions": {
    isNeeded: wantsPartitions,
    steps: partitionSteps,
    plan: planOfPartitions,
    takeBack: takeBackBounds,
  },
  "20261122130000_session_public_id": {
    isNeeded: async (client) => (await hasColumn(client, "sessions", "public_id")) || hasRows(client, "sessions", FEW),
    steps: sessionSteps,
    plan: async (client) => [
      `writes the ${await estimateRows(client, "sessions")} rows of sessions, ${SESSIONS.size.toLocaleString("en")} at a time, and builds an index while they are used; locks sessions for moments`,
    ],
  },
  "20261122160000_latest_samples": {
    isNeeded: async (client) => (await hasColumn(client, "servers", "latest_sample")) || hasRows(client, "servers"),
    steps: latestSampleSteps,
    plan: async (client) => [
      "locks servers, then telemetry_samples, for a moment",
      `writes the ${await estimateRows(client, "servers")} rows of servers, ${LATEST_SAMPLES.size} at a time`,
    ],
  },
};

/** With at most so many rows, the file of a migration that rewrites a table is quick. */
const FEW = 10_000;

const LATEST_SAMPLES: Batches = { table: "servers", key: "id", size: 100, isOpen: "latest_sample_at is null" };
const SESSIONS: Batches = { table: "sessions", key: "token_hash", size: 1000, isOpen: "public_id is null" };

function latestSampleSteps(migration: Migration): readonly Step[] {
  const statements = splitStatements(migration.sql);
  const [update = ""] = statements.filter(isUpdate);
  return [
    {
      what: "adding the columns and triggers of the latest sample",
      isDone: (client) => hasColumn(client, "servers", "latest_sample"),
      quick: async () => statements.filter((statement) => !isUpdate(statement)).join(";\n"),
    },
    batchStep(
      "filling the latest sample of each server",
      migration,
      LATEST_SAMPLES,
      `${update} and s.id in (select key from free)`,
    ),
  ];
}

function sessionSteps(migration: Migration): readonly Step[] {
  const index = splitStatements(migration.sql).find((statement) => statement.startsWith("CREATE UNIQUE INDEX")) ?? "";
  const isValid = (client: pg.ClientBase) =>
    exists(client, "from pg_index where indexrelid = to_regclass('sessions_public_id_key') and indisvalid");
  const isCounted = "from pg_constraint where conname = 'sessions_public_id_there'";
  const isNotNull = "from pg_attribute where attrelid = 'sessions'::regclass and attname = 'public_id' and attnotnull";
  return [
    {
      what: "adding sessions.public_id",
      isDone: (client) => hasColumn(client, "sessions", "public_id"),
      quick: async () =>
        [
          "alter table sessions add column public_id uuid",
          "alter table sessions alter column public_id set default gen_random_uuid()",
        ].join(";\n"),
    },
    batchStep(
      "filling sessions.public_id",
      migration,
      SESSIONS,
      "update sessions set public_id = gen_random_uuid() where token_hash in (select key from free)",
    ),
    {
      what: INDEX,
      isDone: isValid,
      async long(session) {
        // A build that was cut off leaves an invalid index.
        await session.quick(INDEX, async () =>
          (await isValid(session.client)) ? null : "drop index if exists sessions_public_id_key",
        );
        await session.long(INDEX, index.replace("INDEX", "INDEX CONCURRENTLY"));
      },
    },
    {
      what: "adding the check of sessions.public_id",
      isDone: async (client) => (await exists(client, isCounted)) || exists(client, isNotNull),
      quick: async () =>
        "alter table sessions add constraint sessions_public_id_there check (public_id is not null) not valid",
    },
    {
      what: "validating the check of sessions.public_id",
      isDone: async (client) => (await exists(client, `${isCounted} and convalidated`)) || exists(client, isNotNull),
      long: (session) => session.long("sessions", "alter table sessions validate constraint sessions_public_id_there"),
    },
    {
      what: "setting sessions.public_id not null",
      isDone: (client) => exists(client, isNotNull),
      // PostgreSQL takes the constraint's word and reads no row.
      quick: async () =>
        [
          "alter table sessions alter column public_id set not null",
          "alter table sessions drop constraint sessions_public_id_there",
        ].join(";\n"),
    },
  ];
}

const INDEX = "building the index of sessions.public_id";

const isUpdate = (statement: string) => statement.startsWith("UPDATE");

async function exists(client: pg.ClientBase, from: string): Promise<boolean> {
  const { rowCount } = await client.query(`select ${from} limit 1`);
  return rowCount !== 0;
}
