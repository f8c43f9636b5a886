/* An LD_PRELOAD shim that records what reached the disk and when: in order, what a program does to its
 * databases, what it sends on serial lines, and which commands it tells players it has accepted, so that a power
 * cut can be simulated at any point afterwards.
 *
 * CUTDISK_LOG names the log, CUTDISK_DIR the folder whose *.sqlite3* files are watched, and it too: to
 * synchronise a folder makes its new names durable. A record is
 * { u8 op, u8 path_length, u16 0, u32 data_length, u64 offset } path data, in host byte order.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OP_OPEN = 1, OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_UNLINK, OP_LINE, OP_TOLD, OP_RENAME, OP_STATE };
#define MOST_FILES 4096
#define MOST_PATH 255

static char watched[MOST_FILES][MOST_PATH + 1]; /* by descriptor; empty: not watched */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -2;

struct head {
    uint8_t op, path_length;
    uint16_t zero;
    uint32_t data_length;
    uint64_t offset;
};

static void record(int op, const char *path, uint64_t offset, const void *data, size_t length)
{
    if (log_fd == -2) {
        const char *name = getenv("CUTDISK_LOG");
        log_fd = name ? (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }
    if (log_fd < 0)
        return;
    struct head head = { (uint8_t)op, (uint8_t)strlen(path), 0, (uint32_t)length, offset };
    struct iovec parts[3] = { { &head, sizeof head }, { (void *)path, head.path_length }, { (void *)data, length } };
    syscall(SYS_writev, log_fd, parts, 3);
}

static int is_ours(const char *path)
{
    const char *folder = getenv("CUTDISK_DIR");
    if (!path || strlen(path) > MOST_PATH)
        return 0;
    if (!strncmp(path, "/dev/pts/", 9) || !strncmp(path, "/dev/tty", 8))
        return 1;
    if (!folder || strncmp(path, folder, strlen(folder)))
        return 0;
    return !path[strlen(folder)] || (strstr(path, ".sqlite3") && !strstr(path, "-shm"));
}

static const char *path_of(int fd)
{
    return fd >= 0 && fd < MOST_FILES && watched[fd][0] ? watched[fd] : NULL;
}

static int opened(int fd, const char *path)
{
    if (fd < 0 || fd >= MOST_FILES)
        return fd;
    char real[MOST_PATH + 1] = "", link[32] = "/proc/self/fd/";
    char digits[12], *end = digits + sizeof digits - 1;
    int rest = fd;
    *end = 0;
    do
        *--end = (char)('0' + rest % 10);
    while (rest /= 10);
    strcat(link, end);
    if (readlink(link, real, MOST_PATH) < 0)
        strncpy(real, path, MOST_PATH);
    watched[fd][0] = 0;
    if (is_ours(real)) {
        strcpy(watched[fd], real);
        if (strncmp(real, "/dev/", 5)) {
            pthread_mutex_lock(&order);
            record(OP_OPEN, real, 0, NULL, 0);
            pthread_mutex_unlock(&order);
        }
    }
    return fd;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opened(NEXT(open)(path, flags, mode), path); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(NEXT(open64)(path, flags, mode), path); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return opened(NEXT(openat)(at, path, flags, mode), path); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return opened(NEXT(openat64)(at, path, flags, mode), path); }

int close(int fd)
{
    if (fd >= 0 && fd < MOST_FILES)
        watched[fd][0] = 0;
    return NEXT(close)(fd);
}

static int exists(const char *variable)
{
    const char *name = getenv(variable);
    struct stat found;
    return name && !stat(name, &found);
}

static int read_only(int fd) /* a disk that the kernel has made read-only, while the file of this name exists */
{
    if (!path_of(fd) || !strncmp(path_of(fd), "/dev/", 5) || !exists("CUTDISK_READONLY"))
        return 0;
    errno = EROFS;
    return 1;
}

static ssize_t wrote(int fd, const void *data, ssize_t done, int64_t offset)
{
    const char *path = path_of(fd);
    if (path && done > 0)
        record(strncmp(path, "/dev/", 5) ? OP_WRITE : OP_LINE, path, (uint64_t)offset, data, (size_t)done);
    return done;
}

ssize_t write(int fd, const void *data, size_t length)
{
    if (!path_of(fd))
        return NEXT(write)(fd, data, length);
    if (read_only(fd))
        return -1;
    pthread_mutex_lock(&order);
    int64_t offset = lseek(fd, 0, SEEK_CUR);
    ssize_t done = wrote(fd, data, NEXT(write)(fd, data, length), offset);
    pthread_mutex_unlock(&order);
    return done;
}

ssize_t send(int fd, const void *data, size_t length, int flags)
{
    static const char accepted[] = "\"accepted\":true", state[] = "\"to_throw\":";
    int answer = memmem(data, length, accepted, sizeof accepted - 1) != NULL;
    if (answer || memmem(data, length, state, sizeof state - 1)) {
        pthread_mutex_lock(&order); /* before the byte leaves: what was meant to be said may have been heard */
        record(answer ? OP_TOLD : OP_STATE, "", 0, data, length);
        pthread_mutex_unlock(&order);
    }
    return NEXT(send)(fd, data, length, flags);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset)
{
    if (read_only(fd))
        return -1;
    pthread_mutex_lock(&order);
    ssize_t done = wrote(fd, data, NEXT(pwrite64)(fd, data, length, offset), offset);
    pthread_mutex_unlock(&order);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    return pwrite64(fd, data, length, offset);
}

int ftruncate64(int fd, off64_t length)
{
    pthread_mutex_lock(&order);
    int done = NEXT(ftruncate64)(fd, length);
    if (!done && path_of(fd))
        record(OP_TRUNCATE, path_of(fd), (uint64_t)length, NULL, 0);
    pthread_mutex_unlock(&order);
    return done;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int failing(void) /* a disk that does not answer, or does not confirm, while the files of these names exist */
{
    while (exists("CUTDISK_HANG"))
        usleep(50000);
    return exists("CUTDISK_FAIL");
}

static int synced(int fd, int done)
{
    pthread_mutex_lock(&order);
    if (!done && path_of(fd))
        record(OP_SYNC, path_of(fd), 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return done;
}

int fsync(int fd) { return path_of(fd) && failing() ? -1 : synced(fd, NEXT(fsync)(fd)); }
int fdatasync(int fd) { return path_of(fd) && failing() ? -1 : synced(fd, NEXT(fdatasync)(fd)); }

int unlink(const char *path)
{
    pthread_mutex_lock(&order);
    int done = NEXT(unlink)(path);
    if (!done && is_ours(path))
        record(OP_UNLINK, path, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return done;
}

int rename(const char *path, const char *goal)
{
    pthread_mutex_lock(&order);
    int done = NEXT(rename)(path, goal);
    if (!done && is_ours(path) && is_ours(goal))
        record(OP_RENAME, path, 0, goal, strlen(goal));
    pthread_mutex_unlock(&order);
    return done;
}
