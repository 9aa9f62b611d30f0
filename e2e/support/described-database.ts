import { runSql } from "./run-sql";

/** Everything in a database that migrations make, and what stands in Prisma's own table but for ids and instants. */
export async function describeDatabase(url: string) {
  const own = "n.nspname = 'public'";
  const rows = (sql: string) => runSql(url, sql);
  return {
    migrations: await rows(
      "select migration_name, checksum, applied_steps_count, rolled_back_at, logs from _prisma_migrations order by 1",
    ),
    columns: await rows(
      `select c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
         pg_get_expr(d.adbin, d.adrelid) as "default"
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
         left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where ${own} and a.attnum > 0 order by 1, 2, 3`,
    ),
    constraints: await rows(
      `select coalesce(conrelid::regclass::text, '') as relname, conname, convalidated,
         pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_namespace n on n.oid = c.connamespace where ${own} order by 1, 2, 4`,
    ),
    indexes: await rows(
      "select tablename as relname, indexdef from pg_indexes where schemaname = 'public' order by indexdef",
    ),
    functions: await rows(
      `select p.proname, pg_get_functiondef(p.oid) as definition
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${own} order by 1`,
    ),
    triggers: await rows(
      `select tgrelid::regclass::text as relname, tgname, pg_get_triggerdef(oid) as definition
       from pg_trigger where not tgisinternal order by 1, 2`,
    ),
    settings: await rows(
      `select c.relname, c.relkind, c.reloptions, c.relispartition
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and c.relkind <> 'i' order by 1`,
    ),
  };
}
