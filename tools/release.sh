#!/usr/bin/env bash
# release.sh VERSION: makes the commit and the tags of a release, such as v1.2.3. It pushes nothing.
#
# The modules require each other by version, so the commit sets it in each go.mod and in go.work.
# Every module that people import gets a tag.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?usage: release.sh VERSION}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || { echo "release: $version is not a version such as v1.2.3" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || { echo "release: the tree has changes that are not committed" >&2; exit 1; }

tags=("$version")
for module in cmd/vedette compat/controllerruntime platform; do
  tags+=("$module/$version")
done
for tag in "${tags[@]}"; do
  ! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || { echo "release: the tag $tag exists" >&2; exit 1; }
done

git ls-files -z go.work go.mod '*/go.mod' ':!*/testdata/*' |
  xargs -0 sed -i -E "s#(github\.com/vedette-io/vedette(/[a-z/]+)?) v[0-9]\S*#\1 $version#"
git commit -q --allow-empty -am "release $version"
for tag in "${tags[@]}"; do
  git tag "$tag"
done
echo "release: git push --atomic origin HEAD ${tags[*]}"
