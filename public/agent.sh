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
#   sh agent.sh run URL        what the service does: the key from its credentials, standard input or its file
#
# PROC_ROOT names another /proc, CGROUP_ROOT another /sys/fs/cgroup, STATE_DIRECTORY where to keep what could not be delivered yet, and DESTDIR another root to
# install into; PUBLIC_IP the ip that the console cannot see by itself, because a private network is in between.
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
BLOCKS=256   # of 512 bytes: no answer is longer
DEADLINE=8   # seconds that df may take
LANES=4      # df at once
HANGING=8    # df that did not answer in time: with so many no other is started
INSTALL=90   # seconds in which the installed service delivers its first check-in

PROC=${PROC_ROOT:-/proc}
CGROUP=${CGROUP_ROOT:-/sys/fs/cgroup}
ROOT=${DESTDIR:-}
HOME_DIR=/usr/local/lib/console-agent
KEY_FILE=/etc/console-agent/key
SETTINGS=/etc/console-agent/environment
UNIT=/etc/systemd/system/console-agent.service
NAME=console-agent  # the service's user

fail() { echo "agent.sh: $*" >&2; exit 1; }

# The same line again and again would only fill the log.
said=
say() { [ "$1" = "$said" ] || echo "$1" >&2; said=$1; }

random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

# ---- what is measured

# What this container may use: memory_limit in bytes, 0 without one, and quota of each period of a core. Limits stand at the root
# of what a container sees of cgroup v2. There a machine itself has none, and those of this service stand further down.
read_limits() {
  memory_limit='' quota='' period='' limited='' container=''
  { read -r memory_limit <"$CGROUP/memory.max"; read -r quota period <"$CGROUP/cpu.max"; } 2>/dev/null
  [ -z "$memory_limit$quota" ] || container=1
  case $memory_limit in '' | *[!0-9]*) memory_limit=0 ;; *) limited=1 ;; esac
  case $quota in '' | *[!0-9]*) quota=0 ;; *) limited=1 ;; esac
}

# Ticks of all cores in all, idle, waiting for disks and stolen; TCP segments sent and sent again; processes killed. Of a
# container with limits: its own use of the cores that it may use, in microseconds, and its own killed processes. The limits.
counters() {
  read_limits
  { read -r up _ <"$PROC/uptime"; } 2>/dev/null || up=
  set -- "$PROC/vmstat"
  [ -z "$limited" ] || set -- "$CGROUP/cpu.stat" "$CGROUP/memory.events"
  cat "$PROC/net/snmp" "$PROC/stat" "$@" 2>/dev/null | awk -v up="$up" -v limited="$limited" -v quota="$quota" -v period="${period:-0}" '
    BEGIN { total = idle = iowait = steal = out = again = kills = "-" }
    /^cpu[0-9]/ { most += period }
    $1 == "cpu" && NF > 4 && !limited { total = 0; for (i = 2; i <= 9; i++) total += $i; idle = $5; iowait = NF > 5 ? $6 : "-"; steal = NF > 8 ? $9 : "-" }
    $1 == "usage_usec" && quota > 0 && period > 0 && up > 0 { total = 1000000 * up * (most && most < quota ? most : quota) / period; idle = total - $2 }
    $1 == "Tcp:" && !named { for (i = 2; i <= NF; i++) at[$i] = i; named = 1; next }
    $1 == "Tcp:" && at["OutSegs"] && at["RetransSegs"] { out = $(at["OutSegs"]); again = $(at["RetransSegs"]) }
    $1 == "oom_kill" { kills = $2 }
    function whole(n) { return n ~ /^[0-9]/ ? sprintf("%.0f", n) : "-" }
    END { print whole(total), whole(idle), whole(iowait), whole(steal), whole(out), whole(again), whole(kills), limited ? quota "/" period "/" most : "" }'
}

# Five packets to the console: "sent received". The time it takes is the time over which a first check-in is measured: at
# least a second, also where ping ends at once.
ping_console() {
  counted=
  # Its -w does not count the time that DNS takes.
  [ -z "$host" ] || counted=$({ $limit ping -q -c 5 -W 2 -w 8 "$host" </dev/null; } 2>/dev/null | awk '/packets transmitted/ && $4 ~ /^[0-9]+$/ { print $1, $4 }')
  if [ -n "$counted" ]; then echo "$counted"; else sleep 1; fi
}

# Lists the file systems that keep files: for each source (a pool of ZFS is one) a line of a number and all its paths, those
# first that were not reached before. What is read-only in its superblock is full by design, such as an image; the root counts
# all the same. Network file systems are left alone. Prints the number of sources, whether the root is read-only, and which
# files of /proc are this container's own.
list_disks() {
  mounts=$PROC/self/mountinfo
  [ -r "$mounts" ] || mounts=$PROC/self/mounts
  : >"$work/mounts"
  awk -v to="$work/mounts" -v first="$first" '
    function number(text, i, sum) { for (i = 1; i <= length(text); i++) sum = (31 * sum + code[substr(text, i, 1)]) % 2147483647; return sum + 0 }
    BEGIN { for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i }
    {
      mount = $2; kind = $3; from = $1; options = ""
      for (i = 7; i < NF; i++) if ($i == "-") { mount = $5; kind = $(i + 1); from = $(i + 2); options = $NF; break }
      if (!(mount in super)) order[++mounts] = mount
      # Nothing was ever written to these, also not as the root.
      if (kind ~ /^(erofs|squashfs|iso9660|cramfs|romfs)$/ || kind == "overlay" && options ~ /^ro/ && options !~ /upperdir=/) { kind = "image"; options = "" }
      # What is mounted above hides what is below.
      type[mount] = kind; source[mount] = from; super[mount] = options
      if (kind == "fuse.lxcfs") own = own mount " "
    }
    END {
      for (i = 1; i <= mounts; i++) {
        mount = order[i]; from = source[mount]
        if (mount == "/" ? type[mount] ~ /^(nfs|cifs|smb|9p|ceph|afs|image|fuse\.)/ : super[mount] ~ /(^|,)ro(,|$)/ ||
          type[mount] !~ /^(ext[234]|xfs|btrfs|zfs|f2fs|jfs|bcachefs|reiserfs|vfat)$/) continue
        if (type[mount] == "zfs") sub(/\/.*/, "", from)
        at = number(from)
        if (!(at in paths)) { if (at "" == first) start = sources; ids[sources++] = at }
        paths[at] = paths[at] " " mount
      }
      for (i = 0; i < sources; i++) { at = ids[(start + i) % sources]; print at paths[at] >to }
      print sources + 0, (super["/"] ~ /(^|,)(emergency_)?ro(,|$)/ ? "read-only " : "") own
    }' "$mounts" 2>/dev/null
}

# Asks df about one source after the other, each with all its paths, while the round lasts. Beside it other lanes do the same:
# each takes what no other has taken.
ask_in_lane() {
  set -Cf
  while read -r id paths; do
    # It fails where the file is there already.
    { [ -e "$open" ] && true 2>/dev/null >"$work/df.$id.asked"; } || continue
    # What is taken as the round ends is given back, and so comes first in the next.
    [ -e "$open" ] || { rm -f "$work/df.$id.asked"; return; }
    set --
    for path in $paths; do
      # /proc writes a space as \040.
      case $path in *\\*) path=$(printf '%b.' "$path") path=${path%.} ;; esac
      set -- "$@" "$path"
    done
    { printf '%s\n' "$paths" && $single df -Pk "$@"; } 2>/dev/null </dev/null >|"$work/df.$id"
    true >"$work/df.$id.done"
  done <"$work/mounts"
}

# Begins a round: few df at once, and none about a source that still hangs.
ask_disks() {
  listed=$(list_disks)
  sources=${listed%% *} own=${listed#* }
  set --
  for file in "$work"/df.*.done; do set -- "$@" "$file" "${file%done}asked"; done
  rm -f "$@"
  # Also those that are mounted no longer.
  set -- "$work"/df.*.asked
  hung=$# && { [ -e "$1" ] || hung=0; }
  # One check-in alone has left none behind that it knows of; those that no signal ends are counted on the machine.
  [ -z "$single" ] || hung=$(cat "$PROC"/[0-9]*/stat 2>/dev/null | grep -c ' (df) D ')
  round=$((round + 1)) && open=$work/round.$round
  lanes=$((HANGING - hung < LANES ? HANGING - hung : LANES))
  [ "$lanes" -lt "${sources:=0}" ] || lanes=$sources
  [ "$lanes" -le 0 ] || : >"$open"
  while [ "$lanes" -gt 0 ]; do ask_in_lane >/dev/null 2>&1 & lanes=$((lanes - 1)); done
}

# Notes which sources have answered, hang, and were not reached; these keep their last answer. Fails when there is more to wait for.
look_at_disks() {
  answers='' hanging='' named=0 first='' waits='' && set -f
  while read -r id paths; do
    if [ -e "$work/df.$id.done" ]; then
      eval "looks_$id=0" && answers="$answers $work/df.$id"
    elif [ ! -e "$work/df.$id.asked" ]; then
      first=${first:-$id}
      [ ! -e "$open" ] || waits=1
      [ ! -e "$work/df.$id" ] || answers="$answers $work/df.$id"
    elif eval "looks_$id=\$((\${looks_$id:-0} + 1)) && [ \$looks_$id -le $DEADLINE ]"; then
      waits=1
    else
      for path in $paths; do named=$((named + 1)); [ $named -gt 3 ] || hanging="$hanging, $path"; done
    fi
  done <"$work/mounts"
  set +f && [ -z "$waits" ]
}

# Sets disk to how full the fullest file system is, in percent, as df computes it. One that does not answer in time is
# left out and named. Names may hold anything: the figures stand before the percentage and a path.
measure_disks() {
  waited=0
  until look_at_disks; do
    sleep 1 && waited=$((waited + 1))
    [ $waited -lt $DEADLINE ] || rm -f "$open"
  done
  # shellcheck disable=SC2086 # words are wanted
  [ -z "$answers" ] || disk=$(awk '
    FNR == 1 { count = split($0, path, " "); for (i = 1; i <= count; i++) { gsub(/\\040/, " ", path[i]); known[path[i]] }; next }
    { for (figures = ""; match($0, /[0-9]+ +[0-9]+ +-?[0-9]+ +[0-9]+% +\//); $0 = rest) {
        rest = substr($0, RSTART + RLENGTH - 1)
        if (figures == "" || rest in known) figures = substr($0, RSTART, RLENGTH)
      }
      split(figures, size, / +/)
      if (size[2] + size[3] > 0) { used = size[3] < 0 ? 100 : 100 * size[2] / (size[2] + size[3]); if (used >= most) most = used; any = 1 } }
    END { if (any) printf "%.2f", most }' $answers)
  rm -f "$open"
  [ $named -le 3 ] || hanging="$hanging and $((named - 3)) more"
  [ "$hung" -lt $HANGING ] || hanging="${hanging:-, $hung file systems}; with $HANGING such no other is asked"
  [ -z "$hanging" ] || say "df does not answer for $(printf '%b' "${hanging#, }"), so its fullness is not known."
}

# Nothing where there is no systemd, or where it does not answer this user.
failed_units() {
  [ -d "$ROOT/run/systemd/system" ] || return
  units=$($limit systemctl list-units --state=failed --no-legend --plain </dev/null 2>/dev/null) || return
  printf %s "$units" | awk 'END { print NR }'
}

# A text of this machine as JSON can hold it without more ado.
plain() { tr -cd '\040-\176' | tr -d '\042\134' | cut -c1-200; }

facts() {
  { read -r kernel <"$PROC/sys/kernel/osrelease"; } 2>/dev/null || kernel=unknown
  { read -r hostname <"$PROC/sys/kernel/hostname"; } 2>/dev/null || hostname=
  virtual=$(systemd-detect-virt 2>/dev/null)
  cat /etc/os-release "$PROC/cpuinfo" "$PROC/stat" "$PROC/meminfo" 2>/dev/null |
    awk -v kernel="$kernel" -v hostname="$hostname" -v virtual="$virtual" -v machine="$(uname -sm)" -v version="$VERSION" \
      -v limit="$memory_limit" -v quota="$quota" -v period="${period:-0}" -v limited="$limited" -v container="$container" -v own="$own" '
      function text(value) { gsub(/[^ -~]|["\\]/, "", value); return "\"" substr(value, 1, 200) "\"" }
      /^PRETTY_NAME=/ { os = substr($0, 13) }
      /^model name/ && model == "" { model = $0; sub(/^[^:]*: */, "", model) }
      /^cpu[0-9]/ { cores++ }
      /^MemTotal:/ && (!limited || limit > 0 || own ~ /meminfo/) { memory = $2 / 1024 }
      END {
        if (!cores) exit
        if (quota > 0 && period > 0 && quota / period < cores) cores = int(quota / period) + (quota % period > 0)
        if (limit > 0 && (!memory || limit / 1048576 < memory)) memory = limit / 1048576
        split(machine, is, " ")
        printf "\"facts\":{\"os\":%s,\"kernel\":%s,\"cores\":%d,\"arch\":%s", text(os == "" ? is[1] : os), text(kernel), cores, text(is[2])
        if (hostname != "") printf ",\"hostname\":%s", text(hostname)
        if (memory) printf ",\"memory_mb\":%.0f", memory
        if (model != "") printf ",\"cpu_model\":%s", text(model)
        if (virtual != "") printf ",\"virtualization\":%s", text(virtual)
        printf "%s%s,\"agent\":\"%s\"},", container ? ",\"container\":true" : "", own ~ /^read-only/ ? ",\"read_only_root\":true" : "", version
      }'
}

# One check-in: $1 its time in seconds, $2 the counters at the one before, $3 those at the start of the window, $4 now;
# $5 the pings of the window. What could not be measured is left out.
check_in() {
  load='' up='' disk='' current=''
  measure_disks
  read_limits
  { read -r load <"$PROC/loadavg"; } 2>/dev/null
  { read -r up <"$PROC/uptime"; } 2>/dev/null
  { read -r current <"$CGROUP/memory.current"; } 2>/dev/null
  # What no limit corrects is left out, unless lxcfs makes it the own of this container.
  case $limited$own in 1*/proc/loadavg* | [!1]* | '') ;; *) load= ;; esac
  case $limited$own in 1*/proc/uptime* | [!1]* | '') ;; *) up= ;; esac
  printf '{"sampled_at":%s000,"daemon":"%s",' "$1" "$daemon"
  [ -z "${PUBLIC_IP:-}" ] || printf '"public_ip":"%s",' "$PUBLIC_IP"
  facts
  cat "$PROC/meminfo" "$PROC/spl/kstat/zfs/arcstats" "$CGROUP/memory.stat" 2>/dev/null |
    awk -v before="$2" -v first="$3" -v now="$4" -v pings="$5" -v replied="$replied" -v load="$load" -v up="$up" -v disk="$disk" \
    -v units="$(failed_units)" -v limited="$limited" -v limit="$memory_limit" -v current="$current" -v container="$container" -v own="$own" '
    function put(name, value) { body = body (body == "" ? "" : ",") "\"" name "\":" value }
    function share(name, part, whole) { if (whole > 0) put(name, sprintf("%.2f", part < 0 ? 0 : part > whole ? 100 : 100 * part / whole)) }
    # A count that could not be read is "-", or nothing where not even awk could run.
    function known(a, b) { return a ~ /^[0-9]/ && b ~ /^[0-9]/ }
    # meminfo counts in kB. A row of arcstats has a type between its name and its value.
    /^[A-Z].*:/ { of[$1] = 1024 * $2; next }
    { of[$1] = NF == 3 ? $3 : $2 }
    END {
      split(before, b); split(first, f); split(now, n); split(pings, p); split(load, l); split(up, u)
      # Where the limits changed, these count something else.
      if (known(n[1], b[1]) && n[8] == b[8]) {
        ticks = n[1] - b[1]
        share("cpu_pct", ticks - (n[2] - b[2]) - (n[3] - b[3]), ticks)
        if (known(n[4], b[4])) share("cpu_steal_pct", n[4] - b[4], ticks)
        if (known(n[3], b[3])) share("cpu_iowait_pct", n[3] - b[3], ticks)
      }
      if (l[2] != "") put("load5", l[2])
      total = of["MemTotal:"]
      used = total == "" || of["MemAvailable:"] == "" ? "" : total - of["MemAvailable:"]
      # The cache of ZFS shrinks to its least size on demand. A container sees the one of its host.
      spare = of["size"] == "" || of["c_min"] == "" || of["c_max"] > total || container || own ~ /meminfo/ ? 0 : of["size"] - of["c_min"]
      if (spare > 0 && spare < used) used -= spare
      if (limited && own !~ /meminfo/) { used = of["SwapTotal:"] = ""; if (limit <= 0) total = "" }
      if (limit > 0) {
        if (total == "" || limit < total) total = limit
        # What can be given back counts as free, as in MemAvailable.
        used = current == "" || of["inactive_file"] == "" ? "" : current - of["inactive_file"] - of["active_file"] - of["slab_reclaimable"]
        if (used != "" && used < 0) used = 0
      }
      if (used != "" && used >= 0) put("mem_used_mb", sprintf("%.2f", used / 1048576))
      if (total > 0) put("mem_total_mb", sprintf("%.2f", total / 1048576))
      if (of["SwapTotal:"] > 0 && of["SwapFree:"] != "") share("swap_used_pct", of["SwapTotal:"] - of["SwapFree:"], of["SwapTotal:"])
      else if (of["SwapTotal:"] != "" && of["SwapTotal:"] == 0) put("swap_used_pct", 0)
      if (disk != "") put("disk_used_pct", disk)
      for (i = 1; i in p; i += 2) { sent += p[i]; received += p[i + 1] }
      # A console that never answers pings says nothing about lost packets.
      if (replied) share("net_loss_pct", sent - received, sent)
      if (known(n[5], f[5]) && known(n[6], f[6])) share("net_retransmit_pct", n[6] - f[6], n[5] - f[5])
      if (u[1] != "") put("uptime_s", u[1])
      # The count starts again with the machine.
      if (known(n[7], b[7])) put("oom_kills", n[7] >= b[7] ? n[7] - b[7] : n[7])
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
  key='' from=$1:${CREDENTIALS_DIRECTORY:-}
  if [ -t 0 ]; then
    printf 'Server key (csrv_…): ' >&2
    stty -echo
    trap 'stty echo' EXIT
    read -r key
    stty echo; trap - EXIT; echo >&2
  elif [ "$from" = "$1:" ] || [ "$1" != run ]; then
    read -r key
  fi
  # A container may take the credentials from all its services. Then the service reads the file.
  if [ "$1$key" = run ]; then
    { read -r key <"${from#run:}/key" || [ -n "$key" ] || read -r key <"$ROOT$KEY_FILE" || [ -n "$key" ]; } 2>/dev/null || fail "The server key that systemd keeps cannot be read, and neither can $ROOT$KEY_FILE."
  fi
  case $key in csrv_*) ;; *) key= ;; esac
  case ${key#csrv_} in *[!0-9A-Za-z]*) key= ;; esac
  [ ${#key} -eq 41 ] || fail "That is no server key: it has the form csrv_ and 36 letters and digits."
}

require_client() {
  client=curl
  command -v curl >/dev/null || client=wget
  [ $client = curl ] || wget --version 2>/dev/null | grep -q 'GNU Wget' ||
    fail "This needs curl or GNU wget (the wget of busybox cannot keep a key secret). Install one of them."
}

# Reads the clock and, beside it, how long the machine is up. Between the two nobody sets the clock.
read_clock() {
  at=$(date +%s)
  { read -r up _ <"$PROC/uptime"; } 2>/dev/null || up=$at
  up=${up%%.*}
}

# Whether the answer shows that this machine's clock is off, otherwise than was known. By how much is kept, so that a
# check-in that goes out twice has the same time twice. The Date of an answer may be that of something in between.
correct_clock() {
  answered=$(tr -d '\r' <"$work/head" | awk 'tolower($1) == "x-console-time:" && $2 ~ /^[1-9][0-9]*$/ && length($2) < 12 { at = $2 } END { print at }')
  [ -n "$answered" ] || return
  follow_clock
  off=$((answered - at))
  [ $((off - offset)) -gt $SLACK ] || [ $((offset - off)) -gt $SLACK ] || return
  offset=$off && keep_offset
  say "The clocks of this machine and of the console differ by ${offset#-} seconds; check-ins carry the console's time."
}

keep_offset() { [ -z "${STATE_DIRECTORY:-}" ] || echo "$offset" 2>/dev/null >"$STATE_DIRECTORY/offset"; }

# Sends the file $1 with the console's time; again, if only its answer says what time that is. Nothing is lost to a clock
# that is wrong.
send() {
  post "$1" "$offset"
  case $code in 200 | 400) if correct_clock && [ "$code" = 400 ]; then post "$1" "$offset"; fi ;; esac
  # What another process kept, before this machine lost its clock, has the true time already.
  [ "$code" != 400 ] || [ "$offset" = 0 ] || grep -q "\"daemon\":\"$daemon\"" "$1" || post "$1" 0
}

# The check-in $1 with a sampled_at $2 seconds later; as it is, if it is newer than the time $3.
moved() {
  awk -v by="$2" -v newest="${3:-}" '{
    match($0, /[0-9]+/)
    if (newest != "" && substr($0, RSTART, RLENGTH) / 1000 > 0 + newest) by = 0
    printf "%s%.0f%s\n", substr($0, 1, RSTART - 1), substr($0, RSTART, RLENGTH) + 1000 * by, substr($0, RSTART + RLENGTH)
  }' "$1"
}

# When somebody sets this machine's clock, whatever is kept moves along, so that the console's time of it stays the same.
# Called when a sample is measured and again when it is sent: the clock may have been set in between. What is newer than the
# clock was stays: it was kept before the clock was lost.
follow_clock() {
  read_clock
  started=$((at - up))
  set_by=$((started - ${was_started:=$started}))
  was_started=$started
  [ $set_by -gt $SLACK ] || [ $set_by -lt -$SLACK ] || return
  for kept in "${spool:-$work}"/*.json "$work/new"; do
    [ -s "$kept" ] || continue
    if moved "$kept" $set_by $((at - set_by + SLACK)) >"$kept.moved"; then mv "$kept.moved" "$kept"; else rm -f "$kept.moved"; fi
  done
  offset=$((offset - set_by))
  keep_offset
}

# Sends the file $1 with a time $2 seconds later; sets code (000: no answer), message and retry_after. The key goes through
# a pipe: arguments and variables of a process can be read by others.
post() {
  moved "$1" "$2" >"$work/sent"
  : >"$work/body" && : >"$work/head"
  if [ $client = curl ]; then
    # What is too long to be the console's answer ends it by a signal.
    { (ulimit -f $BLOCKS; printf 'header = "Authorization: Bearer %s"\n' "$key" | curl -q -sS -K - -m 20 -o "$work/body" -D "$work/head" \
      -H 'Content-Type: application/json' -A "console-agent/$VERSION" --data-binary "@$work/sent" \
      "$url/ingest/v1/check-ins" 2>"$work/error"); } 2>/dev/null || [ $? -gt 128 ] || : >"$work/head"
  else
    # It reads its configuration from files alone; nobody else can read this one.
    printf 'header = Authorization: Bearer %s\n' "$key" >"$work/wgetrc"
    (ulimit -f $BLOCKS; exec wget --config="$work/wgetrc" -nv -S -t 1 -T 20 --content-on-error --max-redirect=0 -O "$work/body" \
      --header='Content-Type: application/json' -U "console-agent/$VERSION" \
      --post-file="$work/sent" "$url/ingest/v1/check-ins") 2>"$work/head"
    rm -f "$work/wgetrc"
    grep -v -e '^ ' -e '^[0-9-]* [0-9:]* URL:' "$work/head" >"$work/error"
  fi
  code=$(awk '$1 ~ /^HTTP\// { code = $2 } END { print code == "" ? "000" : code }' "$work/head")
  # Seconds, of six digits at most.
  retry_after=$(awk 'tolower($1) == "retry-after:" { gsub(/\r/, ""); wait = $2 !~ /[^0-9]/ && length($2) <= 6 ? $2 : ""
    if (wait > longest) wait = longest } END { print wait }' longest=$LONGEST "$work/head")
  message=$(sed -nE 's/^\{"error":"(([^"\]|\\.)*)"\}$/\1/p' "$work/body" | plain)
  case $code in
    000) message=$(sed -n '/./{p;q;}' "$work/error" | plain) && message=${message:-no answer} ;;
    # What stands between may answer 200 with a page of its own, or 400.
    200) grep -q '"stored":' "$work/body" || code="200?" ;;
    400 | 413 | 415 | 429 | 503) [ -n "$message" ] || code="$code?" ;;
  esac
  case $code in 000 | 200) ;; *) message=${message:-$(name_other)} ;; esac
}

# Says who answered in the console's place. The key is sent nowhere else, and an address on another host is not recommended.
name_other() {
  to='' hint=''
  case $code in 3??) to=$(tr -d '\r' <"$work/head" | awk 'tolower($1) == "location:" { to = $2 } END { print to }' | plain) ;; esac
  case ${to#https://"$host"} in
    "$to" | *@*) ;;
    [/:]*/ingest/v1/check-ins) hint="; its URL is ${to%/ingest/v1/check-ins}" ;;
  esac
  if [ -n "$to" ]; then echo "redirected to $to, where the key is not sent$hint"; else echo "a proxy answered, not the console"; fi
}

# Delivers what is kept, oldest first, until something has to wait or the next check-in is due. What could not be kept
# comes last.
deliver() {
  for file in "$spool"/*.json "$work/new"; do
    now_s=$(date +%s)
    # A clock that was set back must not keep everything waiting.
    [ $((not_before - now_s)) -le $LONGEST ] || not_before=0
    [ -e "$file" ] || continue
    [ "$now_s" -ge "$not_before" ] && [ "$now_s" -lt "$next" ] || return
    # A full disk leaves empty files.
    if [ ! -s "$file" ]; then rm -f "$file"; continue; fi
    follow_clock
    send "$file"
    case $code in
      200) rm -f "$file"; : 2>/dev/null >"$work/delivered"; say "Checked in at $url." ;;
      400 | 413 | 415) rm -f "$file"; say "The console cannot use a check-in, which is left out: $message" ;;
      429 | 503) not_before=$((now_s + ${retry_after:-$EVERY})); say "The console asks to wait: $message"; return ;;
      *) not_before=$((now_s + ${retry_after:-0})); say "Not delivered yet ($code): $message"; return ;;
    esac
  done
}

# Keeps the new check-in in the spool, whole or not at all. Where there is no room it stays where it was written. The oldest
# give way: there is room for an hour.
keep() {
  if cat "$work/new" 2>/dev/null >"$spool/new" && mv "$spool/new" "$spool/$at.json"; then
    rm -f "$work/new"
  else
    rm -f "$spool/new"
    say "There is no room to keep check-ins in; only the newest is sent."
  fi
  set -- "$spool"/*.json
  while [ $# -gt $KEEP ]; do rm -f "$1"; shift; done
}

run() {
  require_client
  # Before 235 systemd makes no folder, and this user can make none there.
  mkdir -p "${STATE_DIRECTORY:=$work}/spool" 2>/dev/null || STATE_DIRECTORY=$work
  spool=$STATE_DIRECTORY/spool not_before=0 windows='' pings=''
  mkdir -p "$spool" || fail "The folder $spool cannot be made."
  [ ! -r "${STATE_DIRECTORY:-$work}/offset" ] || read -r offset <"$STATE_DIRECTORY/offset"
  case $offset in '' | *[!0-9-]*) offset=0 ;; esac
  before=$(counters)
  while :; do
    ask_disks
    pings="$pings $(ping_console)"
    now=$(counters)
    rm -f "$work/new"
    follow_clock
    windows="$windows$before;"
    trim
    check_in "$at" "$before" "${windows%%;*}" "$now" "$pings" >"$work/new"
    before=$now
    keep
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
  while [ $# -gt 1 ]; do [ "$2" = 0 ] || replied=1; shift 2; done
  while [ "$(printf %s "$windows" | tr -cd ';' | wc -c)" -gt $WINDOW ]; do windows=${windows#*;}; done
}

# ---- the commands

# A folder for what is measured and answered: on disk, or in memory where the disk is full.
make_work() {
  for place in "${TMPDIR:-/tmp}" /dev/shm /run; do
    work=$(mktemp -d "$place/console-agent.XXXXXX" 2>/dev/null) || continue
    # As much as they take.
    if { printf '%65536s' '' >"$work/room"; } 2>/dev/null; then : >"$work/room"; return; fi
    rm -rf "$work"
  done
  fail "There is no room for 64 KB of temporary files in ${TMPDIR:-/tmp}, /dev/shm or /run."
}

# Of "once" the machine itself is the daemon, whenever it runs: its name lasts until the next start of the machine.
machine_name() {
  seen=$(cat "$PROC/sys/kernel/random/boot_id" "$PROC/sys/kernel/hostname" 2>/dev/null)
  if [ -z "$seen" ]; then random 8; return; fi
  sum=$(printf %s "$seen" | cksum 2>/dev/null)
  # Without cksum the name is what would be summed up.
  [ -n "$sum" ] || sum=$(printf %s "$seen" | tr -cd '0-9A-Za-z' | cut -c1-48)
  printf 'machine-%s' "${sum%% *}"
}

# No later round of this process waits for a df that hangs.
measure_once() {
  single=${limit:-command} && ask_disks
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
EnvironmentFile=-$SETTINGS
# The user that install makes. D-Bus, which knows the failed units, answers no dynamic user; without it systemd makes one.
User=$NAME
DynamicUser=yes
StateDirectory=console-agent
RuntimeDirectory=console-agent
# Which systemd sets itself since 240 alone.
Environment=RUNTIME_DIRECTORY=/run/console-agent STATE_DIRECTORY=/var/lib/console-agent
Restart=always
RestartSec=10
Nice=10
MemoryMax=64M
TasksMax=64
# For ping, which has no other way on Debian 12.
AmbientCapabilities=CAP_NET_RAW
CapabilityBoundingSet=CAP_NET_RAW
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

# How the installer reaches the console, for the service: its proxy and its certificates. And the ip that it named.
settings() {
  for name in http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR PUBLIC_IP; do
    value='' && eval "value=\${$name:-}"
    # Letters that neither systemd nor a shell reads as anything else.
    case $value in
      '') ;;
      *[!][A-Za-z0-9.:/@%_~,*+=?-]*) echo "agent.sh: $name is left out: it holds a character that a settings file cannot." >&2 ;;
      *) echo "$name=$value" ;;
    esac
  done
}

# The service works under a user of its own, behind its own limits: only its own check-in shows that it can. Its surroundings
# may lack what it needs, which systemd says after the second failed start.
await_delivery() {
  waited=0 failed=''
  until [ $waited != 0 ] && { [ -n "$why" ] || [ -e "$ROOT/run/console-agent/delivered" ]; }; do
    state=$(systemctl show -p ActiveState,SubState,Result,ExecMainStatus,ExecMainStartTimestampMonotonic,NRestarts console-agent.service 2>/dev/null)
    case $state in
      *=failed* | *NRestarts=[2-9]*) why="does not start" ;;
      # Another failed start than the first; systemd counts restarts since 235.
      *auto-restart*) [ "${failed:=$state}" = "$state" ] || why="does not start" ;;
    esac
    [ $waited -lt $INSTALL ] || why=${why:-"was started and has not checked in within $INSTALL seconds"}
    sleep 1 && waited=$((waited + 1))
  done
  [ -n "$why" ] || return 0
  result=$(printf '%s\n' "$state" | awk -F= '{ is[$1] = $2 } END { if (is["Result"]) print ". systemd says: " is["Result"] ", status " is["ExecMainStatus"] }')
  last=$(journalctl -u console-agent.service -n 20 -o cat --no-pager 2>/dev/null | awk '/./ && last !~ /: Main process exited/ { last = $0 }
    /./ && !/Scheduled restart|Failed with result|: Main process exited, code=exited|: Consumed |^(Start|Stopp)(ed|ing) / { told = $0 } END { print told == "" ? last : told }' | plain)
  fail "The service $why; see: journalctl -u console-agent$result${last:+. Its log ends with: $last}
The console took the key. To report without the service: systemctl disable --now console-agent, and this line in root's crontab (crontab -e):
$(cron_line)"
}

cron_line() {
  with=''
  [ ! -e "$ROOT$SETTINGS" ] || with="set -a; . $SETTINGS; "
  echo "* * * * * $with/bin/sh $HOME_DIR/agent.sh once $url <$KEY_FILE >/dev/null"
}

has_user() { id -u "$NAME" >/dev/null 2>&1; }

# The users of another root are left alone.
make_user() {
  [ -n "$ROOT" ] || has_user || ! command -v useradd >/dev/null ||
    useradd --system --user-group --no-create-home --home-dir / --shell /usr/sbin/nologin "$NAME"
}

install() {
  [ "$(id -u)" = 0 ] || fail "install needs root: sudo sh agent.sh install $url"
  [ -f "$0" ] || fail "Save agent.sh as a file first; it installs itself."
  read_key install
  once
  mkdir -p "$ROOT$HOME_DIR" "$ROOT${KEY_FILE%/*}"
  cat "$0" >"$ROOT$HOME_DIR/agent.sh.new" && mv "$ROOT$HOME_DIR/agent.sh.new" "$ROOT$HOME_DIR/agent.sh"
  chmod 755 "$ROOT$HOME_DIR" "$ROOT$HOME_DIR/agent.sh"
  printf '%s\n' "$key" >"$ROOT$KEY_FILE"
  settings >"$ROOT$SETTINGS"
  [ -s "$ROOT$SETTINGS" ] || rm -f "$ROOT$SETTINGS"
  if [ -d "$ROOT/run/systemd/system" ]; then
    make_user
    if [ -z "$ROOT" ] && has_user; then chgrp "$NAME" "${KEY_FILE%/*}" "$KEY_FILE"; fi
    chmod 750 "$ROOT${KEY_FILE%/*}" && chmod 640 "$ROOT$KEY_FILE"
    unit >"$ROOT$UNIT" && chmod 644 "$ROOT$UNIT"
    why="does not start"
    # What systemd counted of an earlier install is none of this one, and a restart goes on counting.
    systemctl reset-failed console-agent.service 2>/dev/null
    systemctl daemon-reload && systemctl enable console-agent.service && systemctl restart console-agent.service && why=''
    await_delivery
    echo "Installed: this machine reports every $EVERY seconds. See: sh agent.sh status"
  else
    echo "There is no systemd here. To report every minute, put this line into root's crontab (crontab -e):"
    cron_line
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
  if [ -z "$ROOT" ] && has_user; then userdel "$NAME"; fi
  echo "Removed. If a line of root's crontab names $HOME_DIR, remove that as well."
}

limit='timeout 10'
$limit true 2>/dev/null || limit=
host='' url='' key='' replied='' was_started='' offset=0 first='' round=0 single=''
daemon=$(random 8)
# A folder in memory where systemd gives one: a full disk must not silence the machine.
work=${RUNTIME_DIRECTORY:-}
if [ -z "$work" ]; then make_work; trap 'rm -rf "$work"' EXIT; fi
trap 'exit 0' INT TERM

case ${PUBLIC_IP:-} in *[!0-9A-Fa-f.:]*) fail "PUBLIC_IP is not an ip." ;; esac

case ${1:-help}:$# in
  print:[12]) [ $# = 1 ] || parse_url "$2"; measure_once ;;
  once:2) parse_url "$2" && read_key once && once ;;
  run:2) parse_url "$2" && read_key run && run ;;
  install:2) parse_url "$2" && install ;;
  unit:2) parse_url "$2" && unit ;;
  status:1) status ;;
  uninstall:1) uninstall ;;
  *) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" && [ "${1:-help}" = help ] ;;
esac
