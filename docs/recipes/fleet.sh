#!/bin/sh
# Prints every server in full, one JSON object per line, however many there are: at the limit of 120 requests per minute
# curl sleeps for as long as Retry-After says, and goes on.
#
#   ORIGIN=https://console.example.com TOKEN=cpat_… sh fleet.sh
set -eu
: "${ORIGIN:?Say where the console is.}" "${TOKEN:?Say which token to use.}"

get() {
  # On standard input, so that the token is in no list of processes.
  printf 'Authorization: Bearer %s\n' "$TOKEN" |
    curl --silent --show-error --fail --retry 5 --header @- "$ORIGIN$1"
}

servers=$(get /api/v1/servers)
for id in $(printf '%s' "$servers" | grep -o '"id":[0-9]*' | cut -d : -f 2); do
  get "/api/v1/servers/$id"
  echo
done
