#!/usr/bin/env bash
# completions.sh FOLDER: writes the shell completion scripts of the program to a folder, for
# the archives of a release.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=auto # callers may work without go.work
folder=${1:?usage: completions.sh FOLDER}
mkdir -p "$folder"
go run ./cmd/vedette completion bash >"$folder/vedette.bash"
go run ./cmd/vedette completion zsh >"$folder/_vedette"
go run ./cmd/vedette completion fish >"$folder/vedette.fish"
