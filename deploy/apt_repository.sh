#!/bin/sh
# Lay out Debian packages as an apt repository: static files that any web server can hand out.
# usage: apt_repository.sh TARGET PACKAGE.deb...   (SIGN_KEY names a key of gpg; without it the repository is unsigned)
set -eu
[ $# -ge 2 ] || { echo "usage: $0 TARGET PACKAGE.deb..." >&2; exit 2; }
command -v apt-ftparchive >/dev/null || { echo "apt-ftparchive is missing: sudo apt install apt-utils" >&2; exit 1; }
target=$1
shift
rm -rf "$target"
mkdir -p "$target/pool"
cp "$@" "$target/pool"
cd "$target"
# A package is for one release of Debian, which its version names: +deb12, +deb13.
for package in pool/*.deb; do
    version=$(dpkg-deb -f "$package" Version) machine=$(dpkg-deb -f "$package" Architecture)
    case $version in
        *+deb12*) suite=bookworm ;;
        *+deb13*) suite=trixie ;;
        *) echo "$package: version $version names no release of Debian (+deb12, +deb13)" >&2; exit 1 ;;
    esac
    index=dists/$suite/main/binary-$machine
    mkdir -p "$index"
    apt-ftparchive packages "$package" >> "$index/Packages"
done
for folder in dists/*; do
    suite=${folder#dists/}
    for index in "$folder"/main/binary-*; do gzip -9nk "$index/Packages"; done
    machines=$(for index in "$folder"/main/binary-*; do echo "${index##*-}"; done | tr '\n' ' ')
    apt-ftparchive -o APT::FTPArchive::Release::Origin=Scharten -o APT::FTPArchive::Release::Suite="$suite" \
        -o APT::FTPArchive::Release::Codename="$suite" -o APT::FTPArchive::Release::Components=main \
        -o APT::FTPArchive::Release::Architectures="$machines" release "$folder" > Release.new
    mv Release.new "$folder/Release"
    if [ -n "${SIGN_KEY:-}" ]; then
        gpg --batch --yes --local-user "$SIGN_KEY" --clearsign -o "$folder/InRelease" "$folder/Release"
    fi
done
[ -z "${SIGN_KEY:-}" ] || gpg --batch --yes --armor --export "$SIGN_KEY" > scharten.asc
echo "$target: $(ls pool | wc -l) packages for$(for folder in dists/*; do printf ' %s' "${folder#dists/}"; done)$([ -n "${SIGN_KEY:-}" ] || echo ', not signed: give SIGN_KEY')"
