#!/bin/bash
# Runs as root in a booted systemd: installs the unit as src/docs/operating.md says, and uses the service. One line a fact.
set -u
cd /opt/sluice/src/operate
install -D -m 0644 sluice.service /etc/systemd/system/sluice.service
install -D -m 0644 sluice.sysusers /etc/sysusers.d/sluice.conf
install -D -m 0644 sluice.env /etc/sluice/sluice.env
install -D -m 0600 secrets.env /etc/sluice/secrets.env
install -D -m 0755 sluice-command /usr/local/bin/sluice
install -m 0644 sluice-backup.service sluice-backup.timer /etc/systemd/system/
(
  umask 077
  mkdir -p /etc/credstore
  head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' > /etc/credstore/sluice.master-key
)
systemd-sysusers
install -d -o sluice -g sluice -m 0700 /var/backups/sluice
systemctl daemon-reload

pid() { systemctl show --property=MainPID --value sluice.service; }
facts() { systemctl show --property=ActiveState --property=NRestarts --property=ExecMainStatus sluice.service | sort | tr '\n' ' '; }
until_ready() {
  for _ in $(seq 300); do
    curl --silent --fail --output /dev/null http://127.0.0.1:8080/status/ready && return
    sleep 0.1
  done
  echo 'not ready'
}

systemctl enable --now --quiet sluice.service
until_ready
echo "running: $(facts)"
first="$(pid)"
echo "process: $(grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$first/status" | tr -s '\t\n' ' ')"
echo "owner: $(stat --format='%U' "/proc/$first") $(stat --format='%U %a' /var/lib/sluice/data/journal)"
[ -e /var/lib/sluice/data/master.key ] || echo 'master key: not in the data directory'
grep -qz '^SLUICE_MASTER_KEY' "/proc/$first/environ" || echo 'master key: not in the environment'
# What the user of the service can write in the service's view of the files.
echo "writable: $(nsenter --target "$first" --mount setpriv --reuid=sluice --regid=sluice --clear-groups \
  find / -path /proc -prune -o -path /dev -prune -o -path /sys -prune -o -path /var/lib/sluice/data -prune \
  -o -type d -writable -print 2> /dev/null | sort | tr '\n' ' ')"

key="$(sluice keys create --account desk --permissions trade --json)"
SLUICE_API_KEY="$(echo "$key" | sed 's/.*"api_key":"\([^"]*\)".*/\1/')"
SLUICE_API_SECRET="$(echo "$key" | sed 's/.*"api_secret":"\([^"]*\)".*/\1/')"
export SLUICE_API_KEY SLUICE_API_SECRET
orders() { node /opt/sluice/dist/test/operate/resting-orders-peer.js "$@"; }
# Reads so many orders that the reader thread answers. It lowers its priority, which needs the system call setpriority.
echo "open orders: $(orders 60)"
echo "priorities: $(grep -hoP '^\S+ \(.*\) (\S+ ){16}\K\S+' "/proc/$first"/task/*/stat | sort -nu | tr '\n' ' ')"
# A user who may not read the secrets and the data of the service.
trader() { setpriv --reuid=65534 --regid=65534 --clear-groups sluice "$@" 2>&1 || echo "status $?"; }
echo "another user: $(trader order open --json | head -c 13) $(trader keys list | tail -n 2 | tr '\n' ' ')"
sluice backup /var/backups/sluice/monday > /dev/null 2>&1
echo "backup: $(stat --format='%U %a' /var/backups/sluice/monday)"
systemctl enable --now --quiet sluice-backup.timer
systemctl start sluice-backup.service
echo "backup by the timer: $(systemctl is-active sluice-backup.timer) $(stat --format='%U %a' /var/backups/sluice/*Z)" \
  "$(curl --silent http://127.0.0.1:8080/metrics | grep -c '^sluice_last_backup_timestamp_seconds [1-9]')"

kill -KILL "$first"
for _ in $(seq 100); do
  [ "$(pid)" != "$first" ] && [ "$(pid)" != 0 ] && break
  sleep 0.1
done
until_ready
echo "killed: $(facts)"
echo "open orders: $(orders 0)"

begin="$(date +%s)"
systemctl stop sluice.service
echo "stopped: $(facts)"
echo "stop: $([ $(($(date +%s) - begin)) -le 10 ] && echo 'within 10 s')"

# Exit status 2: no new start.
echo 'SLUICE_SHARDS=none' >> /etc/sluice/sluice.env
systemctl start sluice.service
sleep 2.5
echo "misconfigured: $(facts)"

# The rules of the unit take effect here. Each line says how a program ends under one rule and without it.
ending() {
  {
    echo '[Service]'
    echo 'Type=oneshot'
    printf '%s\n' "$@"
  } > /etc/systemd/system/probe.service
  systemctl daemon-reload
  if systemctl start probe.service 2> /dev/null; then echo succeeds; else echo fails; fi
}
node="ExecStart=/usr/bin/node --eval 0"
echo "node without writable and executable memory: $(ending "$node" MemoryDenyWriteExecute=true), else $(ending "$node")"
# A server at an address of documentation, on the loopback interface of this network namespace.
ip address add 192.0.2.1/32 dev lo
node --eval 'require("node:http").createServer((_, answer) => answer.end()).listen(8081, "192.0.2.1")' &
sleep 0.5
curl="ExecStart=/usr/bin/curl --silent --max-time 2 http://192.0.2.1:8081/"
rules="$(grep '^IPAddress' /etc/systemd/system/sluice.service)"
echo "another address: $(ending "$curl" "$rules"), else $(ending "$curl")"
