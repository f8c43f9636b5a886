/* A disk and a memory that refuse once: an LD_PRELOAD shim in which the n-th write, sync, open or allocation fails.
 *
 * Writes, syncs and opens are counted for files in one folder, allocations for those of one library, named by an
 * address in it. `fail_from(kind, n, times, folder, library)` begins to count, and of that kind the n-th and those
 * after it fail, `times` of them; `fail_count(kind)` ends it and tells how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITES, SYNCS, OPENS, ALLOCATIONS, KINDS };
#define MOST_FILES 1024

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static long counted[KINDS], first, most;
static int failing = -1, counting;
static char folder[256];
static char ours[MOST_FILES];
static uintptr_t library_from, library_to;

static int covers(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    uintptr_t from = UINTPTR_MAX, to = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *one = &info->dlpi_phdr[i];
        if (one->p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + one->p_vaddr;
        from = start < from ? start : from;
        to = start + one->p_memsz > to ? start + one->p_memsz : to;
    }
    if ((uintptr_t)wanted < from || (uintptr_t)wanted >= to)
        return 0;
    library_from = from;
    library_to = to;
    return 1;
}

void fail_from(int kind, long n, long times, const char *where, void *library)
{
    memset(counted, 0, sizeof counted);
    failing = kind;
    first = n;
    most = n + times;
    snprintf(folder, sizeof folder, "%s", where);
    dl_iterate_phdr(covers, library);
    counting = 1;
}

long fail_count(int kind)
{
    counting = 0;
    return counted[kind];
}

static int fails(int kind)
{
    if (!counting)
        return 0;
    long n = ++counted[kind];
    return kind == failing && n >= first && n < most;
}

static int refused(int error)
{
    errno = error;
    return -1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define OURS(fd) ((fd) >= 0 && (fd) < MOST_FILES && ours[fd])

static int noted(int fd, const char *path)
{
    if (fd >= 0 && fd < MOST_FILES)
        ours[fd] = counting && !strncmp(path, folder, strlen(folder));
    return fd;
}

#define OPEN(call) \
    { \
        mode_t mode = 0; \
        if (flags & O_CREAT) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        if (counting && !strncmp(path, folder, strlen(folder)) && fails(OPENS)) \
            return refused(EMFILE); \
        return noted(call, path); \
    }

int open(const char *path, int flags, ...) OPEN(NEXT(open)(path, flags, mode))
int open64(const char *path, int flags, ...) OPEN(NEXT(open64)(path, flags, mode))
int openat(int at, const char *path, int flags, ...) OPEN(NEXT(openat)(at, path, flags, mode))
int openat64(int at, const char *path, int flags, ...) OPEN(NEXT(openat64)(at, path, flags, mode))

ssize_t write(int fd, const void *data, size_t length)
{
    return OURS(fd) && fails(WRITES) ? refused(ENOSPC) : NEXT(write)(fd, data, length);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset)
{
    return OURS(fd) && fails(WRITES) ? refused(EIO) : NEXT(pwrite64)(fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

int ftruncate64(int fd, off64_t length)
{
    return OURS(fd) && fails(WRITES) ? refused(EIO) : NEXT(ftruncate64)(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
int fsync(int fd) { return OURS(fd) && fails(SYNCS) ? refused(EIO) : NEXT(fsync)(fd); }
int fdatasync(int fd) { return OURS(fd) && fails(SYNCS) ? refused(EIO) : NEXT(fdatasync)(fd); }

static int starved(void *caller)
{
    uintptr_t from = (uintptr_t)caller;
    return counting && from >= library_from && from < library_to && fails(ALLOCATIONS);
}

void *malloc(size_t size) { return starved(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t many, size_t size)
{
    return starved(__builtin_return_address(0)) ? NULL : __libc_calloc(many, size);
}
void *realloc(void *old, size_t size)
{
    return starved(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
