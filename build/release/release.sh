#!/usr/bin/env bash
# Builds the packages of a release into build/bin/release: .deb, .rpm, a .tar.gz for /usr/local or ~/.local, the program
# without a window, and their SHA-256 sums. The same commit gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."

export SOURCE_DATE_EPOCH; SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export ARCH; ARCH=$(go env GOARCH)
version=${VERSION:-$(git describe --tags --always)}
# The version of a package begins with a digit and has no hyphen.
export PACKAGE_VERSION=${version#v}
PACKAGE_VERSION=${PACKAGE_VERSION//-/.}
[[ $PACKAGE_VERSION == [0-9]*.* ]] || PACKAGE_VERSION="0.0~$PACKAGE_VERSION"
export MAINTAINER=${MAINTAINER:-The Sextant authors <maintainers@sextant.invalid>}
export STAGE; STAGE=$(mktemp -d)
trap 'rm -rf "$STAGE"' EXIT
out=$PWD/build/bin/release
rm -rf "$out"
mkdir -p "$out"

say() { printf '== %s\n' "$*"; }
say "Building sextant $version for $ARCH"
build() { go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X sextant/app.Version=$version" "$@"; }
build -tags "$DESKTOP_TAGS" -o "$STAGE/sextant" .
build -tags "$TAGS" -o "$STAGE/sextant-headless" .

go run -tags "$TAGS" ./build/manual "$version" "$SOURCE_DATE_EPOCH" "$STAGE"
go run ./build/notices "$DESKTOP_TAGS" "$version" "$SOURCE_DATE_EPOCH" "$STAGE/THIRD-PARTY-NOTICES" \
  "$out/sextant-$PACKAGE_VERSION.spdx.json"
gzip -9nc "$STAGE/THIRD-PARTY-NOTICES" > "$STAGE/THIRD-PARTY-NOTICES.gz"
gzip -9n "$STAGE/sextant.1"
gzip -9nc CHANGELOG.md > "$STAGE/CHANGELOG.md.gz"
printf 'sextant (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' "$PACKAGE_VERSION" "$MAINTAINER" \
  "$(LC_ALL=C date -uR -d "@$SOURCE_DATE_EPOCH")" | gzip -9n > "$STAGE/changelog.gz"
{ printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\n'
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
  printf 'License: Expat\n'
  sed '1,/^Copyright/d' LICENSE | sed -e '/./,$!d' -e 's/^$/./' -e 's/^/ /'
} > "$STAGE/copyright"
chmod 0644 "$STAGE"/*.gz "$STAGE"/sextant.bash "$STAGE"/sextant.zsh "$STAGE"/sextant.fish "$STAGE"/copyright

say "Packing"
(cd build/release && go build -o "$STAGE/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm)
for kind in deb rpm; do
  (cd build/release && "$STAGE/nfpm" package --config nfpm.yaml --packager "$kind" --target "$out/" | tail -1)
done
tar_of() { # NAME: a folder of the stage's tree
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$STAGE/tree" -c "$1" | gzip -9n > "$out/$1.tar.gz"
}
root="$STAGE/tree/sextant-$PACKAGE_VERSION-linux-$ARCH"
install -D -m 0755 "$STAGE/sextant" "$root/bin/sextant"
install -D -m 0644 build/icons/sextant.desktop "$root/share/applications/sextant.desktop"
install -D -m 0644 build/icons/sextant.png "$root/share/icons/hicolor/256x256/apps/sextant.png"
install -D -m 0644 build/icons/sextant.svg "$root/share/icons/hicolor/scalable/apps/sextant.svg"
install -D -m 0644 "$STAGE/sextant.1.gz" "$root/share/man/man1/sextant.1.gz"
install -D -m 0644 "$STAGE/sextant.bash" "$root/share/bash-completion/completions/sextant"
install -D -m 0644 "$STAGE/sextant.zsh" "$root/share/zsh/site-functions/_sextant"
install -D -m 0644 "$STAGE/sextant.fish" "$root/share/fish/vendor_completions.d/sextant.fish"
install -D -m 0644 LICENSE "$root/share/doc/sextant/LICENSE"
install -D -m 0644 "$STAGE/THIRD-PARTY-NOTICES" "$root/share/doc/sextant/THIRD-PARTY-NOTICES"
tar_of "$(basename "$root")"
headless="$STAGE/tree/sextant-headless-$PACKAGE_VERSION-linux-$ARCH"
install -D -m 0755 "$STAGE/sextant-headless" "$headless/sextant"
install -D -m 0644 LICENSE "$headless/LICENSE"
install -D -m 0644 "$STAGE/THIRD-PARTY-NOTICES" "$headless/THIRD-PARTY-NOTICES"
tar_of "$(basename "$headless")"
(cd "$out" && sha256sum ./* > SHA256SUMS && ls -l)
