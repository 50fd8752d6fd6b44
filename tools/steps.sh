#!/usr/bin/env bash
# steps.sh TARGET...: runs targets of the Makefile one after another, and prints the name
# and the duration of each. It stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."

span() { # SECONDS
  printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

i=0
for target in "$@"; do
  i=$((i + 1))
  printf '\n== [%d/%d] make %s (%s)\n' "$i" $# "$target" "$(date +%T)"
  began=$SECONDS
  if ! "${MAKE:-make}" --no-print-directory "$target"; then
    printf '== [%d/%d] make %s FAILED after %s\n' "$i" $# "$target" "$(span $((SECONDS - began)))" >&2
    exit 1
  fi
  printf '== [%d/%d] make %s took %s (%s in all)\n' "$i" $# "$target" "$(span $((SECONDS - began)))" "$(span $SECONDS)"
done
