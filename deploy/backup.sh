#!/bin/sh
# Dumps the database that PGHOST, PGUSER and the like name into a folder, and removes dumps older than so many days (14).
#   backup.sh FOLDER [DAYS]
# The new dump has its name only once it is whole; until then, and when it fails, the old ones stay.
set -eu
umask 077

folder=${1:?Usage: backup.sh FOLDER [DAYS]}
days=${2:-14}
dump=$folder/console-$(date -u +%Y%m%dT%H%M%SZ).dump

trap 'rm -f "$dump.part"' EXIT
pg_dump --format=custom --file="$dump.part"
# Reads the table of contents, so that a dump that nobody could restore is not kept as one.
pg_restore --list "$dump.part" >/dev/null
mv "$dump.part" "$dump"
# With what a kill left of earlier ones.
find "$folder" -name 'console-*.dump*' -mtime "+$days" -exec rm {} +
echo "Wrote $dump."
