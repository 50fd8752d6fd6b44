#!/usr/bin/env bash
# worktidy.sh [-diff] MODULE...: runs go mod tidy in modules of go.work, or prints what it would
# change.
#
# They require each other by the version of the next release, which cannot be fetched. So go mod
# tidy works on a copy of go.mod that replaces them with their folders.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off
flags=()
if [ "$1" = -diff ]; then
  flags=(-diff)
  shift
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

edit() { # FLAG FOLDER: for each module of go.work
  local path
  for folder in . $(sed -n 's|^\t\./||p' go.work); do
    path=$(sed -n 's/^module //p' "$folder/go.mod")
    case $1 in
    replace) go mod edit -replace="$path=$PWD/$folder" "$copy/go.mod" ;;
    dropreplace) go mod edit -dropreplace="$path" "$copy/go.mod" ;;
    esac
  done
}

for module in "$@"; do
  cp "$module/go.mod" "$module/go.sum" "$copy"
  edit replace
  go -C "$module" mod tidy -modfile="$copy/go.mod" "${flags[@]}"
  edit dropreplace
  [ ${#flags[@]} -gt 0 ] || cp "$copy/go.mod" "$copy/go.sum" "$module"
done
