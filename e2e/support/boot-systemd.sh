#!/bin/sh
# Boots Debian's systemd as the first process of namespaces that the caller made. It sees the machine's files and changes
# none of them: its root is an overlay in memory, and /tmp, /var, /run, /dev and the control groups are its own.
#
#   sh boot-systemd.sh FOLDER CGROUP [FROM TO]…
#
# FOLDER is an empty folder, CGROUP a new name. FROM is a file or folder of the machine that shows at TO, read-only.
set -eu
folder=$1 cgroup=$2
shift 2

if [ -z "${cgroup_joined:-}" ]; then
  mount -t tmpfs -o mode=755 tmpfs "$folder"
  mkdir "$folder/cgroup" "$folder/upper" "$folder/work" "$folder/root"
  mount -t cgroup2 cgroup2 "$folder/cgroup"
  mkdir "$folder/cgroup/$cgroup"
  echo 0 >"$folder/cgroup/$cgroup/cgroup.procs"
  cgroup_joined=1 exec unshare --cgroup sh "$0" "$folder" "$cgroup" "$@"
fi

umount "$folder/cgroup"
root=$folder/root
mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
for own in tmp var run dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$own"; done
chmod 1777 "$root/tmp"

mount -t proc proc "$root/proc"
for settings in sys sysrq-trigger; do
  [ -e "$root/proc/$settings" ] || continue
  mount --bind "$root/proc/$settings" "$root/proc/$settings"
  mount -o remount,bind,ro "$root/proc/$settings"
done
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"

mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 666 "$root/dev/tty" c 5 0
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"

while [ $# -gt 1 ]; do
  mkdir -p "$(dirname "$root$2")"
  # What lies in a folder that is shown is there, and the folder is read-only.
  if [ -L "$root$2" ] || [ ! -e "$root$2" ]; then
    rm -f "$root$2"
    if [ -d "$1" ]; then mkdir "$root$2"; else : >"$root$2"; fi
  fi
  mount --bind "$1" "$root$2"
  mount -o remount,bind,ro "$root$2"
  shift 2
done

# The machine's timers and its kernel are not this system's business.
mkdir -p "$root/run/systemd/system"
for unit in timers.target modprobe@.service systemd-sysctl.service systemd-modules-load.service \
  proc-sys-fs-binfmt_misc.automount sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount \
  dev-hugepages.mount; do
  ln -s /dev/null "$root/run/systemd/system/$unit"
done
printf '[Unit]\nRequires=basic.target dbus.service systemd-journald.service\nAfter=basic.target\n' >"$root/run/systemd/system/test.target"

mkdir "$root/machine"
cd "$root"
pivot_root . machine
umount -l /machine
# What a container's manager does for it: credentials are mounted elsewhere and moved.
mount --make-rshared /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  setpriv --bounding-set -sys_time,-sys_module /lib/systemd/systemd --unit=test.target --log-target=console --show-status=no
