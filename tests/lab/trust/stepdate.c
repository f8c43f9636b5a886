/* For LD_PRELOAD: the date is set forward or back by as many seconds as the file named in STEPDATE says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = next(clock, now);
    const char *path = getenv("STEPDATE");
    FILE *file = clock == CLOCK_REALTIME && path ? fopen(path, "re") : NULL;
    if (file) {
        long seconds = 0;
        if (fscanf(file, "%ld", &seconds) == 1) now->tv_sec += seconds;
        fclose(file);
    }
    return done;
}
