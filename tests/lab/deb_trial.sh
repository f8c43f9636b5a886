#!/bin/sh
# Runs inside a freshly booted Debian: installs, plays, upgrades, removes and purges the package; one line for each claim.
# /trial has the packages 1.deb to 3.deb, an old journal, and what plays (see deb.py).
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
PYTHON=/usr/lib/scharten/bin/python
DATA=/var/lib/scharten

ok() { # a name, and a command that must succeed
    name=$1; shift
    if said=$("$@" 2>&1); then echo "ok $name"; else echo "not ok $name: $(echo "$said" | tail -3)"; fi
}
page() { # the board's, or that at the path $1 of the service $2
    for _ in $(seq 120); do
        $PYTHON -c "import urllib.request as u; u.urlopen('http://127.0.0.1:${1:-8765/healthz}', timeout=2)" 2>/dev/null && return 0
        sleep 0.5
    done
    journalctl -u "${2:-scharten}" -n 5 --no-pager; return 1
}
has() { echo "$1" | grep -q -- "$2" || { echo "no '$2' in: $1"; return 1; }; }
same() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
show() { systemctl show scharten --value -p "$1"; }
games() { scharten games --data $DATA | head -40; }
play() { PYTHONPATH=/trial $PYTHON -m lab.deb_player "$@"; }
upgrade() { dpkg -i --force-confdef "/trial/$1.deb" >/trial/dpkg.log 2>&1 || { cat /trial/dpkg.log; return 1; }; }

ok "installed" upgrade 1
ok "started under systemd" same "$(show ActiveState)" active
ok "enabled at boot" systemctl is-enabled scharten
ok "the page answers" page
ok "runs as a user of its own" same "$(stat -c %U "/proc/$(show MainPID)")" scharten
ok "in the groups of board and cameras" has "$(id -nG scharten) $(show SupplementaryGroups)" "dialout video"
ok "games in a folder of its own, closed to others" same "$(stat -c '%U %a' $DATA)" "scharten 700"
ok "without the right to anything" same "$(awk '/CapEff/ {print $2}' "/proc/$(show MainPID)/status")" 0000000000000000
ok "doctor finds nothing that keeps a game from being played" scharten doctor --data $DATA --config /etc/scharten/scharten.toml
ok "the set-up page may save" nsenter -t "$(show MainPID)" -m --setuid "$(id -u scharten)" touch /etc/scharten/saved
rm -f /etc/scharten/saved
ok "and write nowhere else" sh -c '! nsenter -t "$(systemctl show scharten --value -p MainPID)" -m touch /etc/saved'
ok "what a club's evening needs is inside" $PYTHON -c "import scharten.club.register, scharten.club.server, scharten.club.store"
ok "udev rule" test -e /usr/lib/udev/rules.d/99-scharten.rules
ok "page on this machine only" grep -q "0100007F:223D" /proc/net/tcp

ok "the club's service starts" systemctl enable --now scharten-club
ok "its page answers" page 8770/club scharten-club
ok "the archive's service waits for its options" sh -c '! systemctl start scharten-archive'
broker=$($PYTHON -c "import json; print(json.load(open('$DATA/running.json'))['broker']['port'])")
(umask 077; $PYTHON -c "import json; print(json.load(open('$DATA/secrets.json'))['arbiter'])" >/etc/scharten/archive)
mkdir -p /etc/systemd/system/scharten-archive.service.d
printf '[Service]\nLoadCredential=archive:/etc/scharten/archive\n' >/etc/systemd/system/scharten-archive.service.d/password.conf
credential=/run/credentials/scharten-archive.service/archive
echo "SCHARTEN_ARCHIVE_OPTIONS=--broker mqtt://arbiter@127.0.0.1:$broker --password-file $credential" >/etc/default/scharten-archive
systemctl daemon-reload
ok "then it starts" systemctl enable --now scharten-archive
ok "the archive's page answers" page 8780/archive scharten-archive
systemctl kill -s KILL scharten-club scharten-archive; sleep 1
ok "killed, systemd starts the club's again" page 8770/club scharten-club
ok "and the archive's" page 8780/archive scharten-archive
for unit in scharten-club scharten-archive; do
    ok "$unit is the board's user, and without the right to anything" \
        same "$(stat -c %U "/proc/$(systemctl show $unit --value -p MainPID)") $(awk '/CapEff/ {print $2}' \
            "/proc/$(systemctl show $unit --value -p MainPID)/status")" "scharten 0000000000000000"
done
systemctl disable --now --quiet scharten-club scharten-archive
rm -r /etc/systemd/system/scharten-archive.service.d /etc/default/scharten-archive /etc/scharten/archive

systemctl stop scharten
rm -f $DATA/scharten.sqlite3*
install -o scharten -g scharten -m 600 /trial/old.sqlite3 $DATA/scharten.sqlite3
old=$(play inputs)
ok "upgraded over a journal of schema 3" upgrade 2
ok "the page answers again" page
ok "its games are there" has "$(games)" Anneke
ok "none of its inputs is lost" sh -c "[ '$(play inputs)' -ge '$old' ]"

ok "a game is played" play turns 6
before=$(play state)
kill -9 "$(show MainPID)"; sleep 1
ok "killed, systemd starts it again" page
ok "nothing is lost by that" same "$(play state)" "$before"
echo '# changed by hand' >> /etc/scharten/scharten.toml
ok "upgraded over a journal of today" upgrade 3
ok "the page answers after it" page
ok "nothing is lost by the upgrade" same "$(play state)" "$before"
ok "the changed configuration stays" grep -q "changed by hand" /etc/scharten/scharten.toml

echo "scharten scharten/lan boolean true" | debconf-set-selections
rm /etc/default/scharten
ok "opened to the network by debconf" dpkg-reconfigure scharten
page >/dev/null
ok "the page listens everywhere" grep -q "00000000:223D" /proc/net/tcp

ok "removed" dpkg -r scharten
ok "the service is gone" sh -c '! systemctl is-active scharten'
ok "removing keeps games and configuration" test -s $DATA/scharten.sqlite3 -a -e /etc/scharten/scharten.toml
ok "nothing of the program is left" sh -c '! ls /usr/lib/scharten'
ok "installed again" upgrade 3
page >/dev/null
ok "goes on with the same games" same "$(play state)" "$before"
ok "purged where nobody is asked" dpkg -P scharten
ok "the games stay" test -s $DATA/scharten.sqlite3
ok "the configuration goes" sh -c '! ls /etc/scharten/scharten.toml /etc/default/scharten'
upgrade 3; page >/dev/null
ok "a purge asks, and no keeps" sh -c "echo n | DEBIAN_FRONTEND=teletype script -qec 'dpkg -P scharten' /trial/asked.txt"
ok "it asks in words" grep -q "Delete all games" /trial/asked.txt
ok "the games stay after no" test -s $DATA/scharten.sqlite3
upgrade 3; page >/dev/null
ok "a purge asks, and yes deletes" sh -c "echo y | DEBIAN_FRONTEND=teletype script -qec 'dpkg -P scharten' /trial/asked.txt"
ok "the games are gone" sh -c "! ls $DATA"
ok "and so is the user" sh -c '! id scharten'
