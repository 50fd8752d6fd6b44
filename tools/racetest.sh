#!/usr/bin/env bash
# racetest.sh FLAG... -- PACKAGE...: runs go test -race, and runs a package once more if the
# race detector itself crashed in it.
#
# In a synctest bubble, two threads can use the race context of the bubble's timers at the
# same time (golang/go#78156, open in Go 1.26). The race detector then crashes with a failed
# CHECK of its own, or with a SIGSEGV in a goroutine 0 that runs timers of a bubble. Nothing
# else is repeated: a package with a failed test, a panic or a data race fails at once.
#
# SQLite is not instrumented: it is C translated to Go, is used under a lock, and takes three
# times as long with the race detector.
set -uo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT

flags=()
while [ "$1" != -- ]; do
  flags+=("$1")
  shift
done
shift
flags+=('-gcflags=modernc.org/...=-race=false')

go test "${flags[@]}" -race "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
[ "$status" -ne 0 ] || exit 0

# The packages in which only the race detector crashed; none if anything else failed.
died=$(awk '
  /^ThreadSanitizer: CHECK failed/ || /^goroutine 0 .*\[idle, synctest bubble/ { died = 1 }
  /^ *--- FAIL/ || /^panic: / || /^fatal error: / || /^WARNING: DATA RACE/ { other = 1 }
  /^FAIL\t/ { if (died && !other) list = list $2 "\n"; else failed = 1 }
  /^(ok  |FAIL|\?   )\t/ { died = 0; other = 0 }
  END { if (!failed) printf "%s", list }
' "$log")
[ -n "$died" ] || exit "$status"

echo "The race detector died (golang/go#78156). These packages run once more:" $died
exec go test "${flags[@]}" -race $died
