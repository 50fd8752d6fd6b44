#!/usr/bin/env bash
# image.sh [NAME:TAG]: builds an image of the program with buildah, from scratch: it has the program and the
# certificate authorities of this machine, and needs no registry and no Docker. The default name is
# vedette:devel. `buildah push NAME:TAG docker://registry.example.com/vedette:TAG` publishes it.
#
# It needs no root: an unprivileged user needs user namespaces and an entry in /etc/subuid.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=auto # callers may work without go.work
name=${1-vedette:devel}

command -v buildah >/dev/null || { echo "image: buildah is not installed: apt-get install buildah" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$folder/vedette" ./cmd/vedette

container=$(buildah from scratch)
trap 'rm -rf "$folder"; buildah rm "$container" >/dev/null' EXIT
buildah copy --quiet "$container" "$folder/vedette" /vedette >/dev/null
authorities=/etc/ssl/certs/ca-certificates.crt
if [ -e "$authorities" ]; then
  buildah copy --quiet "$container" "$authorities" "$authorities" >/dev/null
else
  echo "image: $authorities does not exist, so the program trusts only the authorities in its settings" >&2
fi
buildah config --user 65532:65532 --entrypoint '["/vedette"]' --label org.opencontainers.image.source=https://github.com/vedette-io/vedette --label org.opencontainers.image.licenses=Apache-2.0 "$container"
buildah commit --quiet "$container" "$name" >/dev/null
echo "image: built $name"
