#!/bin/sh
# Build the container's image and write it into one file; say so where this machine has no builder.
# usage: archive.sh FILE.tar [OPTION OF THE BUILDER]...   (without FILE: is there a builder?)
# BASE names another image to build on; BASE=mmdebstrap makes it here, without a registry.
# The settings of a private package index are mounted, and stay out of the image. /mnt is there already: elsewhere an empty
# file or folder would be left.
#   --volume=$HOME/.config/pip:/mnt:ro --build-arg=PIP_CONFIG_FILE=/mnt/pip.conf
set -eu
export BUILDAH_FORMAT=docker  # buildah and podman: the other format has no HEALTHCHECK
here=$(dirname "$0") builder=""
for tool in docker podman buildah; do  # a client without its service builds nothing
    if "$tool" info >/dev/null 2>&1; then builder=$tool; break; fi
done
[ -n "$builder" ] || echo "no container: no docker, podman or buildah runs here (sudo apt install buildah)"
[ $# -gt 0 ] || { [ -n "$builder" ]; exit; }
[ -n "$builder" ] || exit 0
file=$1 base=${BASE:-}
shift
if [ "$base" = mmdebstrap ]; then
    base=scharten-base work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    sh "$here/base.sh" "$work/base.tar"
    printf 'FROM scratch\nADD base.tar /\nCMD ["/bin/sh"]\n' > "$work/Dockerfile"
    "$builder" build -t "$base" "$work"
fi
"$builder" build -f "$here/Dockerfile" ${base:+--build-arg "BASE=$base"} "$@" -t scharten .
rm -f "$file"
case "$builder" in
    buildah) buildah push scharten "docker-archive:$file:scharten" ;;
    *) "$builder" save -o "$file" scharten ;;
esac
