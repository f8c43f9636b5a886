#!/bin/sh
# While a card is made: copy the modules that a start may need at once. initramfs-tools copies them one by one, with several
# programs each, which takes half an hour where another processor is emulated. It comes back with the kernel's next update.
[ "${1:-}" != prereqs ] || exit 0
set -eu
cd "${MODULESDIR:-/lib/modules/$version}"
made=$DESTDIR/lib/modules/$version
mkdir -p "$made"
find kernel -name '*.ko*' ! -path 'kernel/sound/*' ! -path 'kernel/net/*' ! -path 'kernel/drivers/net/*' \
    ! -path 'kernel/drivers/media/*' ! -path 'kernel/drivers/gpu/*' ! -path 'kernel/drivers/iio/*' \
    ! -path 'kernel/drivers/infiniband/*' ! -path 'kernel/drivers/staging/*' -exec cp --parents -t "$made" {} +
