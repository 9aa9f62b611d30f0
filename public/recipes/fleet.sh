#!/bin/sh
# Prints every server in full, one JSON object per line, however many there are. At the limit it sleeps for as long as
# Retry-After says; while the console restarts it asks again, for up to five minutes.
#
#   ORIGIN=https://console.example.com TOKEN=cpat_… sh fleet.sh
set -eu
: "${ORIGIN:?Say where the console is.}" "${TOKEN:?Say which token to use.}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the answer to GET $1. It is quiet while it waits; a failure that waiting does not mend ends the script.
get() {
  tries=0
  while :; do
    # On standard input, so that the token is in no list of processes.
    status=$(printf 'Authorization: Bearer %s\n' "$TOKEN" |
      curl --silent --show-error --max-time 30 --header @- --output "$work/body" --dump-header "$work/head" \
        --write-out '%{http_code}' "$ORIGIN$1" 2>"$work/error") || status=000
    case $status in
      200) cat "$work/body"; return ;;
      429) ;;
      000 | 502 | 503 | 504)
        tries=$((tries + 1))
        if [ "$tries" -gt 60 ]; then cat "$work/error" "$work/body" >&2 2>/dev/null; exit 1; fi ;;
      *) cat "$work/body" >&2; echo >&2; exit 1 ;;
    esac
    wait=$(tr -d '\r' <"$work/head" 2>/dev/null | sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]\{1,3\}\)$/\1/p' | tail -n 1)
    : >"$work/head"
    sleep "${wait:-5}"
  done
}

servers=$(get /api/v1/servers)
for id in $(printf '%s' "$servers" | grep -o '"id":[0-9]*' | cut -d : -f 2); do
  get "/api/v1/servers/$id"
  echo
done
