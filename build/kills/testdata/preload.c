// Kills the process at the n-th write or flush through libc. SQLite uses libc, Go code does not.
// KILL_AT is n, KILL_HOW is before, after or half.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long count;
static long at;
static char how;

__attribute__((constructor)) static void arm(void) {
    const char *n = getenv("KILL_AT"), *h = getenv("KILL_HOW");
    at = n ? atol(n) : 0;
    how = h ? h[0] : 'b';
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int due(void) { return at > 0 && atomic_fetch_add(&count, 1) + 1 == at; }

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRITE(name, off_type)                                              \
    ssize_t name(int fd, const void *buf, size_t n, off_type off) {        \
        REAL(name);                                                        \
        if (!due()) return real(fd, buf, n, off);                          \
        if (how == 'h') real(fd, buf, n / 2, off);                         \
        if (how == 'a') real(fd, buf, n, off);                             \
        die();                                                             \
        return -1;                                                         \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

#define FLUSH(name)                                                        \
    int name(int fd) {                                                     \
        REAL(name);                                                        \
        if (!due()) return real(fd);                                       \
        if (how == 'a') real(fd);                                          \
        die();                                                             \
        return -1;                                                         \
    }
FLUSH(fsync)
FLUSH(fdatasync)

#define CUT(name, off_type)                                                \
    int name(int fd, off_type size) {                                      \
        REAL(name);                                                        \
        if (!due()) return real(fd, size);                                 \
        if (how == 'a') real(fd, size);                                    \
        die();                                                             \
        return -1;                                                         \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)
