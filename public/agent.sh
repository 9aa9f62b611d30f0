#!/bin/sh
# Reports the health of this machine to the console, every 30 seconds. Plain POSIX sh with curl or GNU wget; root only to
# install. What it reads is public to every user of the machine; see for yourself with "print".
#
#   sh agent.sh print [URL]    shows what would be sent, and sends nothing
#   sh agent.sh once URL       checks in once, with the server key from standard input
#   sh agent.sh install URL    asks for the server key, or reads it from standard input, and installs a service
#   sh agent.sh status         says how the installed service is doing
#   sh agent.sh uninstall      removes everything that install made
#   sh agent.sh unit URL       shows the service that install makes
#   sh agent.sh run URL        what the service does: the key from its credentials, or from standard input
#
# PROC_ROOT names another /proc, STATE_DIRECTORY where to keep what could not be delivered yet, and DESTDIR another root to
# install into.
set -u
umask 077
LC_ALL=C
export LC_ALL

VERSION=1.0
EVERY=30     # seconds between check-ins
JITTER=3     # seconds more or less, so that machines do not all come at once
KEEP=150     # check-ins kept while the console does not answer: more than an hour
WINDOW=20    # check-ins over which lost packets and retransmissions are counted: ten minutes
LONGEST=900  # seconds that the console may ask to wait
SLACK=60     # seconds that this machine's clock and the console's may differ before the console's counts

PROC=${PROC_ROOT:-/proc}
ROOT=${DESTDIR:-}
HOME_DIR=/usr/local/lib/console-agent
KEY_FILE=/etc/console-agent/key
UNIT=/etc/systemd/system/console-agent.service

fail() { echo "agent.sh: $*" >&2; exit 1; }

# The same line again and again would only fill the log.
said=
say() { [ "$1" = "$said" ] || echo "$1" >&2; said=$1; }

random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

# ---- what is measured

# Ticks of all cores in all, idle, waiting for disks and stolen; TCP segments sent and sent again; processes killed.
counters() {
  cat "$PROC/stat" "$PROC/net/snmp" "$PROC/vmstat" 2>/dev/null | awk '
    BEGIN { total = idle = iowait = steal = out = again = kills = "-" }
    $1 == "cpu" { total = 0; for (i = 2; i <= 9; i++) total += $i; idle = $5; iowait = $6; steal = $9 + 0 }
    $1 == "Tcp:" && !named { for (i = 2; i <= NF; i++) at[$i] = i; named = 1; next }
    $1 == "Tcp:" { out = $(at["OutSegs"]); again = $(at["RetransSegs"]) }
    $1 == "oom_kill" { kills = $2 }
    function whole(n) { return n == "-" ? n : sprintf("%.0f", n) }
    END { print whole(total), whole(idle), whole(iowait), whole(steal), whole(out), whole(again), whole(kills) }'
}

# Five packets to the console: "sent received". The time it takes is the time over which a first check-in is measured.
ping_console() {
  if [ -z "$host" ] || ! command -v ping >/dev/null; then
    sleep 1
    return
  fi
  ping -q -c 5 -W 2 -w 8 "$host" 2>/dev/null </dev/null | awk '/packets transmitted/ { print $1, $4 }'
}

# Of the fullest file system that keeps files, in percent, as df computes it. Network file systems are left alone: one
# that is away would hold up everything.
disk_used() {
  awk '$2 == "/" || $3 ~ /^(ext[234]|xfs|btrfs|zfs|f2fs|jfs|bcachefs|reiserfs|vfat)$/ { gsub(/\\040/, " ", $2); print $2 }' \
    "$PROC/self/mounts" 2>/dev/null | sort -u | while read -r mount; do df -Pk "$mount" 2>/dev/null </dev/null; done |
    awk '$3 ~ /^[0-9]+$/ && $3 + $4 > 0 { used = 100 * $3 / ($3 + $4); if (used >= most) most = used; any = 1 }
      END { if (any) printf "%.2f", most }'
}

# Nothing where there is no systemd.
failed_units() {
  [ -d "$ROOT/run/systemd/system" ] && systemctl list-units --state=failed --no-legend --plain </dev/null 2>/dev/null | awk 'END { print NR }'
}

# A text of this machine as JSON can hold it without more ado.
plain() { tr -cd '\040-\176' | tr -d '\042\134' | cut -c1-200; }

facts() {
  os=$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release 2>/dev/null | plain)
  kernel=$(head -n 1 "$PROC/sys/kernel/osrelease" 2>/dev/null | plain)
  model=$(sed -n 's/^model name[^:]*: *//p' "$PROC/cpuinfo" 2>/dev/null | head -n 1 | plain)
  cores=$(grep -c '^cpu[0-9]' "$PROC/stat" 2>/dev/null)
  memory=$(awk '/^MemTotal:/ { printf "%.0f", $2 / 1024 }' "$PROC/meminfo" 2>/dev/null)
  virtual=$(systemd-detect-virt 2>/dev/null | plain)
  [ "${cores:-0}" -gt 0 ] || return
  printf '"facts":{"os":"%s","kernel":"%s","cores":%d,"arch":"%s"' "${os:-$(uname -s)}" "${kernel:-unknown}" "$cores" "$(uname -m | plain)"
  [ -z "$memory" ] || printf ',"memory_mb":%d' "$memory"
  [ -z "$model" ] || printf ',"cpu_model":"%s"' "$model"
  [ -z "$virtual" ] || printf ',"virtualization":"%s"' "$virtual"
  printf ',"agent":"%s"},' "$VERSION"
}

# One check-in: $1 its time in seconds, $2 the counters at the one before, $3 those at the start of the window, $4 now;
# $5 the pings of the window. What could not be measured is left out.
check_in() {
  printf '{"sampled_at":%s000,"daemon":"%s",%s' "$1" "$daemon" "$(facts)"
  grep : "$PROC/meminfo" 2>/dev/null | awk -v before="$2" -v first="$3" -v now="$4" -v pings="$5" -v replied="$replied" \
    -v load="$(cat "$PROC/loadavg" 2>/dev/null)" -v up="$(cat "$PROC/uptime" 2>/dev/null)" \
    -v disk="$(disk_used)" -v units="$(failed_units)" '
    function put(name, value) { body = body (body == "" ? "" : ",") "\"" name "\":" value }
    function share(name, part, whole) {
      if (whole <= 0) return
      part = 100 * part / whole
      put(name, sprintf("%.2f", part < 0 ? 0 : part > 100 ? 100 : part))
    }
    { kb[$1] = $2 }
    END {
      split(before, b); split(first, f); split(now, n); split(pings, p); split(load, l); split(up, u)
      if (n[1] != "-" && b[1] != "-") {
        ticks = n[1] - b[1]
        share("cpu_pct", ticks - (n[2] - b[2]) - (n[3] - b[3]), ticks)
        share("cpu_steal_pct", n[4] - b[4], ticks)
        share("cpu_iowait_pct", n[3] - b[3], ticks)
      }
      if (l[2] != "") put("load5", l[2])
      if ("MemAvailable:" in kb) {
        put("mem_used_mb", sprintf("%.2f", (kb["MemTotal:"] - kb["MemAvailable:"]) / 1024))
        put("mem_total_mb", sprintf("%.2f", kb["MemTotal:"] / 1024))
      }
      if (kb["SwapTotal:"] > 0) share("swap_used_pct", kb["SwapTotal:"] - kb["SwapFree:"], kb["SwapTotal:"])
      else if ("SwapTotal:" in kb) put("swap_used_pct", 0)
      if (disk != "") put("disk_used_pct", disk)
      for (i = 1; i in p; i += 2) { sent += p[i]; received += p[i + 1] }
      # A console that never answers pings says nothing about lost packets.
      if (replied) share("net_loss_pct", sent - received, sent)
      if (n[5] != "-" && f[5] != "-") share("net_retransmit_pct", n[6] - f[6], n[5] - f[5])
      if (u[1] != "") put("uptime_s", u[1])
      # The count starts again with the machine.
      if (n[7] != "-" && b[7] != "-") put("oom_kills", n[7] >= b[7] ? n[7] - b[7] : n[7])
      if (units != "") put("failed_units", units)
      print body "}"
    }'
}

# ---- how it is sent

parse_url() {
  url=${1%/}
  case $url in http://?* | https://?*) ;; *) fail "URL must be the console's, such as https://console.example.com." ;; esac
  case $url in *[!][A-Za-z0-9.:/_-]*) fail "URL holds a character that does not belong there." ;; esac
  host=${url#*://}
  host=${host%%/*}
  case $host in \[*) host=${host#\[} host=${host%%\]*} ;; *) host=${host%%:*} ;; esac
}

read_key() {
  if [ -r "${CREDENTIALS_DIRECTORY:-/nonexistent}/key" ]; then
    read -r key <"$CREDENTIALS_DIRECTORY/key"
  elif [ -t 0 ]; then
    printf 'Server key (csrv_…): ' >&2
    stty -echo
    trap 'stty echo' EXIT
    read -r key
    stty echo
    trap - EXIT
    echo >&2
  else
    read -r key
  fi
  case $key in csrv_*) ;; *) key= ;; esac
  case ${key#csrv_} in *[!0-9A-Za-z]*) key= ;; esac
  [ ${#key} -eq 41 ] || fail "That is no server key: it has the form csrv_ and 36 letters and digits."
}

require_client() {
  if command -v curl >/dev/null; then
    client=curl
  elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then
    client=wget
  else
    fail "This needs curl or GNU wget (the wget of busybox cannot keep a key secret). Install one of them."
  fi
}

# Seconds since 1970 of the answer's Date; nothing without one.
answered_at() {
  tr -d '\r' <"$work/head" | awk 'tolower($1) == "date:" && NF == 7 {
    month = index("  JanFebMarAprMayJunJulAugSepOctNovDec", $4) / 3
    year = month < 3 ? $5 - 1 : $5
    # Years begin in March here, so that the day too many is the last one.
    days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * ((month + 9) % 12) + 2) / 5) + $3
    split($6, at, ":")
    printf "%.0f\n", (days - 719469) * 86400 + at[1] * 3600 + at[2] * 60 + at[3]
  }' | tail -n 1
}

# Whether the answer shows that this machine's clock is off, otherwise than was known. By how much is kept, so that a
# check-in that goes out twice has the same time twice.
correct_clock() {
  off=$(answered_at)
  [ -n "$off" ] || return
  off=$((off - $(date +%s)))
  [ $((off - offset)) -gt $SLACK ] || [ $((offset - off)) -gt $SLACK ] || return
  offset=$off
  [ -z "${STATE_DIRECTORY:-}" ] || echo "$offset" >"$STATE_DIRECTORY/offset"
  say "The clocks of this machine and of the console differ by ${offset#-} seconds; check-ins carry the console's time."
}

# Sends the file $1 with the console's time; again, if only its answer says what time that is. Nothing is lost to a clock
# that is wrong.
send() {
  post "$1"
  case $code in
    200) correct_clock ;;
    400) if correct_clock; then post "$1"; fi ;;
  esac
}

# The check-in $1 with a sampled_at $2 seconds later.
moved() {
  awk -v by="$2" '{
    match($0, /[0-9]+/)
    printf "%s%.0f%s\n", substr($0, 1, RSTART - 1), substr($0, RSTART, RLENGTH) + 1000 * by, substr($0, RSTART + RLENGTH)
  }' "$1"
}

# When somebody sets this machine's clock, whatever is kept moves along, so that the console's time of it stays the same.
follow_clock() {
  up=$(cut -d . -f 1 "$PROC/uptime" 2>/dev/null)
  started=$((at - ${up:-$at}))
  set_by=$((started - ${was_started:=$started}))
  was_started=$started
  [ $set_by -gt $SLACK ] || [ $set_by -lt -$SLACK ] || return
  for file in "$spool"/*.json; do
    if [ -e "$file" ]; then moved "$file" $set_by >"$work/moved" && mv "$work/moved" "$file"; fi
  done
  offset=$((offset - set_by))
}

# Sends the file $1; sets code (000: no answer), message and retry_after. The key goes through a pipe: arguments and
# variables of a process can be read by others.
post() {
  moved "$1" "$offset" >"$work/sent"
  : >"$work/body"
  : >"$work/head"
  if [ $client = curl ]; then
    code=$(printf 'header = "Authorization: Bearer %s"\n' "$key" | curl -sS -K - -m 20 -o "$work/body" -D "$work/head" \
      -w '%{http_code}' -H 'Content-Type: application/json' -A "console-agent/$VERSION" --data-binary "@$work/sent" \
      "$url/ingest/v1/check-ins" 2>"$work/error")
  else
    # It reads its configuration from files alone; nobody else can read this one.
    printf 'header = Authorization: Bearer %s\n' "$key" >"$work/wgetrc"
    wget --config="$work/wgetrc" -q -S -t 1 -T 20 --content-on-error --max-redirect=0 -O "$work/body" \
      --header='Content-Type: application/json' -U "console-agent/$VERSION" \
      --post-file="$work/sent" "$url/ingest/v1/check-ins" 2>"$work/head"
    rm -f "$work/wgetrc"
    code=$(awk '$1 ~ /^HTTP\// { code = $2 } END { print code == "" ? "000" : code }' "$work/head")
    cp "$work/head" "$work/error"
  fi
  retry_after=$(awk 'tolower($1) == "retry-after:" { print int($2) }' "$work/head" | tail -n 1)
  message=$(sed -n 's/.*"error":"\([^"]*\)".*/\1/p' "$work/body" | plain)
  [ "$code" != 000 ] || message=$(head -n 1 "$work/error" | plain)
}

# Delivers what is kept, oldest first, until something has to wait or the next check-in is due.
deliver() {
  for file in "$spool"/*.json; do
    now_s=$(date +%s)
    # A clock that was set back must not keep everything waiting.
    [ $((not_before - now_s)) -lt $LONGEST ] || not_before=0
    [ -e "$file" ] && [ "$now_s" -ge "$not_before" ] && [ "$now_s" -lt "$next" ] || return
    send "$file"
    case $code in
      200) rm -f "$file"; say "Checked in at $url." ;;
      400 | 413 | 415) rm -f "$file"; say "The console cannot use a check-in, which is left out: $message" ;;
      429 | 503) not_before=$((now_s + ${retry_after:-$EVERY})); say "The console asks to wait: $message"; return ;;
      *) say "Not delivered yet ($code): $message"; return ;;
    esac
  done
}

# The oldest give way: there is room for an hour.
keep_within_bounds() {
  set -- "$spool"/*.json
  while [ $# -gt $KEEP ]; do
    rm -f "$1"
    shift
  done
}

run() {
  require_client
  spool=${STATE_DIRECTORY:-$work}/spool
  mkdir -p "$spool" || fail "There is no room to keep check-ins in."
  [ ! -r "${STATE_DIRECTORY:-$work}/offset" ] || read -r offset <"$STATE_DIRECTORY/offset"
  not_before=0 windows='' pings=''
  before=$(counters)
  while :; do
    pings="$pings $(ping_console)"
    now=$(counters)
    at=$(date +%s)
    follow_clock
    windows="$windows$before;"
    trim
    check_in "$at" "$before" "${windows%%;*}" "$now" "$pings" >"$work/new" && mv "$work/new" "$spool/$at.json"
    before=$now
    keep_within_bounds
    next=$((at + EVERY - JITTER + 0x$(random 2) % (2 * JITTER + 1)))
    deliver
    pause=$((next - $(date +%s)))
    [ $pause -le $((EVERY + JITTER)) ] || pause=$EVERY
    # Pings take their time as well.
    sleep $((pause > 5 ? pause - 4 : 1))
  done
}

# Forgets what is older than the window, and remembers whether the console ever answered a ping.
trim() {
  # shellcheck disable=SC2086 # words are wanted
  set -- $pings
  while [ $# -gt $((2 * WINDOW)) ]; do shift 2; done
  pings=$*
  while [ $# -gt 1 ]; do
    [ "$2" = 0 ] || replied=1
    shift 2
  done
  while [ "$(printf %s "$windows" | tr -cd ';' | wc -c)" -gt $WINDOW ]; do windows=${windows#*;}; done
}

# ---- the commands

# Of "once" the machine itself is the daemon, whenever it runs: its name lasts until the next start of the machine.
machine_name() {
  seen=$(cat "$PROC/sys/kernel/random/boot_id" "$PROC/sys/kernel/hostname" 2>/dev/null)
  if [ -n "$seen" ]; then printf 'machine-%s' "$(printf %s "$seen" | cksum | cut -d ' ' -f 1)"; else random 8; fi
}

measure_once() {
  before=$(counters)
  pings=$(ping_console)
  case $pings in "" | *" 0") ;; *) replied=1 ;; esac
  check_in "$(date +%s)" "$before" "$before" "$(counters)" "$pings"
}

once() {
  require_client
  daemon=$(machine_name)
  measure_once >"$work/once"
  send "$work/once"
  [ "$code" = 200 ] || fail "Not checked in ($code): $message"
  echo "Checked in at $url."
}

unit() {
  cat <<EOF
[Unit]
Description=Reports the health of this machine to the console
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/bin/sh $HOME_DIR/agent.sh run $url
LoadCredential=key:$KEY_FILE
DynamicUser=yes
StateDirectory=console-agent
Restart=always
RestartSec=10
Nice=10
MemoryMax=64M
TasksMax=32
CapabilityBoundingSet=
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
EOF
}

install() {
  [ "$(id -u)" = 0 ] || fail "install needs root: sudo sh agent.sh install $url"
  [ -f "$0" ] || fail "Save agent.sh as a file first; it installs itself."
  read_key
  once
  mkdir -p "$ROOT$HOME_DIR" "$ROOT${KEY_FILE%/*}"
  cat "$0" >"$ROOT$HOME_DIR/agent.sh.new" && mv "$ROOT$HOME_DIR/agent.sh.new" "$ROOT$HOME_DIR/agent.sh"
  chmod 755 "$ROOT$HOME_DIR" "$ROOT$HOME_DIR/agent.sh"
  printf '%s\n' "$key" >"$ROOT$KEY_FILE"
  if [ -d "$ROOT/run/systemd/system" ]; then
    unit >"$ROOT$UNIT"
    chmod 644 "$ROOT$UNIT"
    if ! { systemctl daemon-reload && systemctl enable console-agent.service && systemctl restart console-agent.service; }; then
      fail "systemd did not start the service; see: journalctl -u console-agent"
    fi
    echo "Installed: this machine reports every $EVERY seconds. See: sh agent.sh status"
  else
    echo "There is no systemd here. To report every minute, put this line into root's crontab (crontab -e):"
    echo "* * * * * /bin/sh $HOME_DIR/agent.sh once $url <$KEY_FILE >/dev/null"
  fi
}

status() {
  [ -f "$ROOT$KEY_FILE" ] || fail "The agent is not installed here, or only root may see it."
  [ ! -f "$ROOT$UNIT" ] || systemctl status --no-pager --lines=5 console-agent.service
  set -- "$ROOT"/var/lib/console-agent/spool/*.json
  if [ -e "$1" ]; then echo "$# check-ins wait for the console."; else echo "No check-in waits for the console."; fi
}

uninstall() {
  [ "$(id -u)" = 0 ] || fail "uninstall needs root."
  [ ! -f "$ROOT$UNIT" ] || systemctl disable --now console-agent.service
  rm -rf "$ROOT$UNIT" "$ROOT$HOME_DIR" "$ROOT${KEY_FILE%/*}" "$ROOT/var/lib/console-agent" "$ROOT/var/lib/private/console-agent"
  [ ! -d "$ROOT/run/systemd/system" ] || systemctl daemon-reload
  echo "Removed. If a line of root's crontab names $HOME_DIR, remove that as well."
}

host='' url='' key='' replied='' was_started='' offset=0
daemon=$(random 8)
work=$(mktemp -d) || fail "There is no room for temporary files."
trap 'rm -rf "$work"' EXIT
trap 'exit 0' INT TERM

case ${1:-help}:$# in
  print:1) measure_once ;;
  print:2) parse_url "$2" && measure_once ;;
  once:2) parse_url "$2" && read_key && once ;;
  run:2) parse_url "$2" && read_key && run ;;
  install:2) parse_url "$2" && install ;;
  unit:2) parse_url "$2" && unit ;;
  status:1) status ;;
  uninstall:1) uninstall ;;
  *) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && [ "${1:-help}" = help ] ;;
esac
