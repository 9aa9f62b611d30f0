-- The zone that the pages write times in for this account: an IANA name, checked in code because PostgreSQL's list of
-- zones is not the one that the pages go by.
alter table accounts add column time_zone text not null default 'UTC';
