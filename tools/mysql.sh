#!/usr/bin/env bash
# mysql.sh: unpacks MySQL's server from Debian unstable into the user's cache, and prints its folder.
# Nothing is installed, because MySQL and MariaDB exclude each other as packages. platform/sqldb/dbtest
# starts the server with its own loader and libraries: VEDETTE_TEST_DATABASES=mysql.
#
# It exits with 3 if the server cannot be had here: another system, or no network.
set -euo pipefail

absent() { # REASON
  echo "mysql: the server cannot be had: $1" >&2
  exit 3
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vedette/mysql
if kept=$(compgen -G "$cache/*/usr/sbin/mysqld" | sort -V | tail -n 1) && [ -n "$kept" ]; then
  echo "${kept%/usr/sbin/mysqld}"
  exit
fi
[ "$(uname -sm)" = "Linux x86_64" ] || absent "the packages are for Linux on amd64"
command -v apt-get >/dev/null || absent "this machine has no apt-get"
uri=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null | head -n 1)
[ -n "$uri" ] || absent "apt has no source with the origin Debian"

mkdir -p "$cache"
work=$(mktemp -d "$cache/part-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/packages" "$work/server"
cat >"$work/sid.sources" <<S
Types: deb
URIs: $uri
Suites: sid
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
S
# Lists of their own: the system keeps its sources.
own=(-q -o "Dir::Etc::sourcelist=$work/sid.sources" -o Dir::Etc::sourceparts=/nonexistent -o "Dir::State::lists=$work/lists"
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -o Acquire::http::Timeout=20 -o Acquire::Retries=1)
apt-get "${own[@]}" update >&2 || absent "apt-get update failed"
packages=$(apt-cache "${own[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances mysql-server-core |
  grep '^[a-z]' | grep -v perl | sort -u) || absent "unstable has no mysql-server-core"
# shellcheck disable=SC2086
(cd "$work/packages" && apt-get "${own[@]}" download $packages >&2) || absent "apt-get download failed"
for package in "$work"/packages/*.deb; do
  dpkg -x "$package" "$work/server"
done
version=$("$work/server/usr/lib64/ld-linux-x86-64.so.2" --library-path "$work/server/usr/lib/x86_64-linux-gnu" "$work/server/usr/sbin/mysqld" --version |
  sed -n 's/.*Ver \([^ ]*\) for.*/\1/p') || absent "the server does not run here"
[ -d "$cache/$version" ] || mv "$work/server" "$cache/$version"
echo "$cache/$version"
