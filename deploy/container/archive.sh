#!/bin/sh
# Build the container's image and write it into one file, where this machine has a builder.
# usage: archive.sh FILE.tar
set -eu
builder=""
for tool in docker podman buildah; do  # a client without its service builds nothing
    if "$tool" info >/dev/null 2>&1; then builder=$tool; break; fi
done
case "$builder" in
    "") echo "no container in this release: no docker, podman or buildah runs here (sudo apt install buildah)" ;;
    buildah)
        buildah build -f deploy/container/Dockerfile -t scharten .
        buildah push scharten "docker-archive:$1:scharten" ;;
    *)
        "$builder" build -f deploy/container/Dockerfile -t scharten .
        "$builder" save -o "$1" scharten ;;
esac
