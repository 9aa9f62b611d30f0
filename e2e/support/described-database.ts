import { runSql } from "./run-sql";

/** Everything in a database that migrations make, but for the partitions of days, which differ from day to day. */
export async function describeDatabase(url: string) {
  const own = "n.nspname = 'public' and relname !~ '_\\d{8}(_pkey)?$'";
  const rows = (sql: string) => runSql(url, sql);
  return {
    columns: await rows(
      `select c.relname, c.relkind, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
         pg_get_expr(d.adbin, d.adrelid) as "default"
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
         left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where ${own} and a.attnum > 0 and not a.attisdropped order by 1, 2, 3`,
    ),
    // Without parentheses: a dump writes fewer of them. Without NOT NULL, which has names since PostgreSQL 18: columns say it.
    constraints: await rows(
      `select relname, conname, convalidated, translate(pg_get_constraintdef(c.oid), '()', '') as definition
       from pg_constraint c join pg_namespace n on n.oid = c.connamespace join pg_class t on t.oid = conrelid
       where ${own} and contype <> 'n' order by 1, 2, 4`,
    ),
    indexes: await rows(
      `select relname, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class t on t.oid = i.indexrelid join pg_namespace n on n.oid = t.relnamespace
       where ${own} order by 2`,
    ),
    functions: await rows(
      `select p.proname, pg_get_functiondef(p.oid) as definition
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public' order by 1`,
    ),
    triggers: await rows(
      `select tgrelid::regclass::text as relname, tgname, pg_get_triggerdef(oid) as definition
       from pg_trigger where not tgisinternal order by 1, 2`,
    ),
    settings: await rows(
      `select relname, relkind, reloptions, relispartition
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and relkind <> 'i' order by 1`,
    ),
  };
}
