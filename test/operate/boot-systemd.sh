#!/bin/bash
# Boots systemd as process 1 of its own namespaces (processes, mounts, network, host name, cgroups) and runs one script there.
# The root is a copy-on-write view of this machine: nothing that happens inside changes it. Needs root and cgroup version 2.
#   boot-systemd.sh PROJECT SCRIPT OUTPUT
# PROJECT becomes /opt/sluice. SCRIPT runs as root with its output in the file OUTPUT. Afterwards the system powers off, and
# the kernel ends process 1 by a signal: only the output says whether the script succeeded.
set -eu
if [ "${BOOT_STEP:-}" = '' ]; then
  cgroups="$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)"
  group="$cgroups/sluice-test-$$"
  mkdir "$group"
  trap 'rmdir "$group"' EXIT
  BOOT_STEP=inside GROUP="$group" sh -c 'echo $$ > "$GROUP/cgroup.procs"; exec unshare --cgroup --mount --pid --uts --ipc \
    --net --fork --kill-child "$@"' sh "$0" "$@" < /dev/null || true
  # The kernel removes the groups of the system that has ended after a moment.
  find "$group" -mindepth 1 -depth -type d -exec rmdir {} + || true
  exit 0
fi

project="$1" script="$2" output="$3"
mount --make-rprivate /
# Only a place to mount: beside the output, so that it goes with the folder of the test.
base="$(dirname "$output")/boot"
mkdir "$base"
mount -t tmpfs tmpfs "$base"
root="$base/root"
mkdir "$base/upper" "$base/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$root"
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
mount -t tmpfs tmpfs "$root/tmp"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mkdir -p "$root/opt/sluice"
mount --bind -o ro "$project" "$root/opt/sluice"
cp "$script" "$root/run/script"
touch "$root/run/output"
mount --bind "$output" "$root/run/output"
cat > "$root/etc/systemd/system/test.service" << 'UNIT'
[Unit]
DefaultDependencies=no
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/bash /run/script
StandardOutput=append:/run/output
StandardError=inherit
TimeoutStartSec=120
UNIT
cd "$root"
mkdir -p old
pivot_root . old
umount -l /old
# Credentials of units are mounts that systemd makes in another namespace: they must arrive here. It does this itself on a machine.
mount --make-rshared /
# systemd leaves the clock, the kernel and the devices alone in a container.
export container=other
exec /lib/systemd/systemd --unit=test.service --show-status=no
