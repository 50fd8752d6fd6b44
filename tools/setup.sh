#!/usr/bin/env bash
# setup.sh [compiler] [databases] [linux] [mail] [pages] [browser] [prometheus]: checks the packages that the tests need, and
# installs the missing ones.
#
# Without arguments it checks everything that `make test` needs. Go is always checked. It
# installs packages with apt-get, as root or with a sudo that needs no password.
# Otherwise it lists the missing packages, and exits with 1 before anything runs.
#
# VEDETTE_SETUP_ROOT is a folder that replaces / in the search for database servers. The test of this script sets it.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- compiler databases linux mail pages browser prometheus

root=${VEDETTE_SETUP_ROOT-}
missing=()  # lines for people: program, what needs it
packages=() # names in Debian
blockers=() # what no package can bring

lacks() { # PROGRAM WHY PACKAGE...
  missing+=("$(printf '%-9s %s' "$1" "$2")")
  packages+=("${@:3}")
}

# installed PROGRAM FOLDER...: the folders are not in PATH by default. platform/sqldb/dbtest
# searches the same folders.
installed() {
  local folder
  for folder in "${@:2}"; do
    compgen -G "$root$folder/$1" >/dev/null && return
  done
  command -v "$1" >/dev/null
}

# lacks_browser: Ubuntu has no package of Chromium, only one that installs a snap, which needs
# snapd and so does not work in containers.
lacks_browser() {
  if [ "$(sed -n 's/^ID=//p' "$root/etc/os-release" 2>/dev/null)" = ubuntu ]; then
    blockers+=("No browser shows the portal's pages in tests, and Ubuntu has Chromium as a snap only: install Google Chrome (https://www.google.com/chrome), or run \`snap install chromium\`.")
  else
    lacks chromium "shows the portal's pages in tests" chromium
  fi
}

check_go() {
  local need have
  need=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.work)
  if ! command -v go >/dev/null; then
    blockers+=("Go $need or later is not installed: see https://go.dev/dl")
    return
  fi
  # An older Go downloads the toolchain that go.work names, or reports why it cannot.
  if ! have=$(go version 2>&1); then
    blockers+=("Go $need or later is needed (https://go.dev/dl); the Go of this machine says: $have")
    return
  fi
  have=$(sed -n 's/.*go version go\([0-9]*\.[0-9]*\).*/\1/p' <<<"$have")
  if [ "$(printf '%s\n' "$need" "$have" | sort -V | head -n 1)" != "$need" ]; then
    blockers+=("Go $need or later is needed, and this machine has Go $have: see https://go.dev/dl")
  fi
}

check() {
  local what
  check_go
  command -v make >/dev/null || lacks make "runs the tests" make
  for what in "$@"; do
    case $what in
    compiler)
      command -v gcc >/dev/null || command -v clang >/dev/null || lacks gcc "builds the race detector" gcc libc6-dev
      ;;
    databases)
      installed initdb '/usr/lib/postgresql/*/bin' '/usr/pgsql-*/bin' || lacks initdb "PostgreSQL, for the recorder's tests" postgresql
      installed pgbouncer /usr/sbin || lacks pgbouncer "PgBouncer, for the recorder's tests" pgbouncer
      installed mariadbd /usr/sbin || lacks mariadbd "MariaDB, for the recorder's tests" mariadb-server
      ;;
    linux)
      [ "$(uname -s)" = Linux ] || blockers+=("The tests against a control plane need Linux. \`make check\` runs here.")
      command -v g++ >/dev/null || lacks g++ "links DuckDB, which reads exported files" g++
      ;;
    mail)
      installed exim4 /usr/sbin || installed exim /usr/sbin || lacks exim4 "Exim, for the tests of e-mail" exim4-daemon-light
      ;;
    pages)
      command -v node >/dev/null || lacks node "tests the sources of the portal's pages" nodejs
      command -v npm >/dev/null || lacks npm "gets the libraries of the portal's pages" npm
      ;;
    browser)
      installed chromium || installed chromium-browser || installed google-chrome || lacks_browser
      ;;
    prometheus)
      command -v promtool >/dev/null || lacks promtool "tests the alerts" prometheus
      command -v prometheus-alertmanager >/dev/null || command -v alertmanager >/dev/null || lacks alertmanager "gets the alerts in tests" prometheus-alertmanager
      ;;
    *)
      echo "setup: there is nothing called $what; there are compiler, databases, linux, mail, pages, browser and prometheus" >&2
      exit 2
      ;;
    esac
  done
}

# by_hand prints the command that installs the packages.
by_hand() {
  local names=" ${packages[*]} " with="names in Debian:"
  if command -v apt-get >/dev/null; then
    with="sudo apt-get update && sudo apt-get install"
  elif command -v dnf >/dev/null; then
    with="sudo dnf install"
    names=${names/ libc6-dev / glibc-devel }
    names=${names/ g++ / gcc-c++ }
    names=${names/ postgresql / postgresql-server }
    names=${names/ exim4-daemon-light / exim }
  elif command -v brew >/dev/null; then
    with="brew install"
    names=${names/ libc6-dev / }
    names=${names/ g++ / gcc }
    names=${names/ mariadb-server / mariadb }
    names=${names/ exim4-daemon-light / exim }
  fi
  names="  $with$names"
  echo "${names% }"
}

refuse() { # REASON
  {
    echo "setup: the tests cannot run: $1"
    [ ${#blockers[@]} -eq 0 ] || printf '  %s\n' "${blockers[@]}"
    if [ ${#missing[@]} -gt 0 ]; then
      echo "Not installed:"
      printf '  %s\n' "${missing[@]}"
      echo "Install with:"
      by_hand
    fi
    echo "\`make check\` needs only Go, make and gcc."
  } >&2
  exit 1
}

install() {
  local as=()
  command -v apt-get >/dev/null || refuse "this machine has no apt-get to install what is missing."
  if [ "$(id -u)" != 0 ]; then
    { command -v sudo >/dev/null && sudo -n true 2>/dev/null; } ||
      refuse "installing what is missing takes root, or a sudo that asks for no password."
    as=(sudo -n)
  fi
  echo "setup: not installed:"
  printf '  %s\n' "${missing[@]}"
  echo "setup: installing ${packages[*]} with apt-get"
  # --no-remove: a machine with another mail server keeps it, and the set-up fails.
  local options=(-q --no-remove -o Acquire::http::Timeout=20 -o Acquire::Retries=1 -o DPkg::Lock::Timeout=300)
  if ! "${as[@]}" apt-get update "${options[@]}" ||
    ! "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y "${options[@]}" "${packages[@]}"; then
    refuse "apt-get failed; its output is above. Is there a network?"
  fi
}

check "$@"
[ ${#blockers[@]} -eq 0 ] || refuse "something is missing that no package brings."
if [ ${#missing[@]} -gt 0 ]; then
  install
  missing=() packages=()
  check "$@"
  [ ${#missing[@]} -eq 0 ] || refuse "apt-get has installed the packages, and the programs are still not there."
fi
echo "setup: everything is installed (${SECONDS} s)"
