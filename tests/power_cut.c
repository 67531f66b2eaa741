/* Loaded before the C library: notes what a process, and all that it starts, does to files below a folder, so that tests can work out
   what a power cut would leave of it. What it prints is noted as well, in the same order.

   A note is a line, and behind it as many bytes as its last number says:
       KIND INODE OFFSET SIZE\n
   c PATH       a new file has this name   d PATH   a new folder   w DATA   was written   t   was made this long (OFFSET)   s PATH   was synced
   r OLD\0NEW   was renamed                          u PATH   was removed   p DATA   was printed */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int notes = -1;
static char below[PATH_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("POWER_CUT_NOTES"), *folder = getenv("POWER_CUT_FOLDER");
    if (path && folder) {
        snprintf(below, sizeof below, "%s", folder);
        notes = fcntl(REAL(open)(path, O_WRONLY | O_APPEND | O_CREAT, 0600), F_DUPFD_CLOEXEC, 1000);
    }
}

static void note(char kind, unsigned long inode, long offset, const void *data, size_t size)
{
    char head[100];
    int length = snprintf(head, sizeof head, "%c %lu %ld %zu\n", kind, inode, offset, size);
    struct iovec parts[] = {{head, (size_t)length}, {(void *)data, size}};
    if (writev(notes, parts, 2) != (ssize_t)(length + (ssize_t)size))
        abort();
}

static int is_below(const char *path)
{
    size_t length = strlen(below);
    return notes >= 0 && strncmp(path, below, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* The file of a descriptor, if it lies below the folder; its path is that under which it was opened, or is now. */
static int known(int descriptor, struct stat *found, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = notes < 0 || descriptor == notes ? -1 : readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_below(path) && fstat(descriptor, found) == 0;
}

static const char *whole(int folder, const char *path, char *into)
{
    char link[64];
    if (path[0] == '/')
        return path;
    if (folder == AT_FDCWD)
        strcpy(link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, into, PATH_MAX / 2);
    if (length < 0)
        return path;
    snprintf(into + length, PATH_MAX / 2, "/%s", path);
    return into;
}

static void note_name(const char *path)
{
    struct stat found;
    if (is_below(path) && lstat(path, &found) == 0)
        note(S_ISDIR(found.st_mode) ? 'd' : 'c', found.st_ino, 0, path, strlen(path));
}

static int opened(int folder, const char *path, int flags, mode_t mode)
{
    char into[PATH_MAX];
    struct stat found;
    __typeof__(&openat) real = REAL(openat);
    const char *all = whole(folder, path, into);
    if (!is_below(all) || !(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE)
        return real(folder, path, flags, mode);
    pthread_mutex_lock(&lock);
    int is_new = lstat(all, &found) != 0;
    int descriptor = real(folder, path, flags, mode);
    int error = errno;
    if (descriptor >= 0 && fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode)) {
        if (is_new)
            note_name(all);
        else if (flags & O_TRUNC)
            note('t', found.st_ino, 0, "", 0);
    }
    errno = error;
    pthread_mutex_unlock(&lock);
    return descriptor;
}

#define OPEN(NAME, PARAMETERS, FOLDER) \
    int NAME PARAMETERS \
    { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return opened(FOLDER, path, flags, mode); \
    }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int folder, const char *path, int flags, ...), folder)
OPEN(openat64, (int folder, const char *path, int flags, ...), folder)

static ssize_t wrote(int descriptor, const void *data, ssize_t size, off64_t offset)
{
    char path[PATH_MAX];
    struct stat found;
    int error = errno;
    if (size > 0 && (descriptor == 1 || descriptor == 2) && notes >= 0)
        note('p', 0, descriptor, data, (size_t)size);
    else if (size > 0 && known(descriptor, &found, path) && S_ISREG(found.st_mode)) {
        if (offset < 0)
            offset = lseek(descriptor, 0, SEEK_CUR) - size;
        note('w', found.st_ino, offset, data, (size_t)size);
    }
    errno = error;
    return size;
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    return wrote(descriptor, data, REAL(write)(descriptor, data, size), -1);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset)
{
    return wrote(descriptor, data, REAL(pwrite)(descriptor, data, size, offset), offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset)
{
    return wrote(descriptor, data, REAL(pwrite64)(descriptor, data, size, offset), offset);
}

static int shortened(int descriptor, off64_t size, int came)
{
    char path[PATH_MAX];
    struct stat found;
    if (came == 0 && known(descriptor, &found, path))
        note('t', found.st_ino, size, "", 0);
    return came;
}

int ftruncate(int descriptor, off_t size) { return shortened(descriptor, size, REAL(ftruncate)(descriptor, size)); }
int ftruncate64(int descriptor, off64_t size) { return shortened(descriptor, size, REAL(ftruncate64)(descriptor, size)); }

static int synced(int descriptor, int came)
{
    char path[PATH_MAX];
    struct stat found;
    if (came == 0 && known(descriptor, &found, path))
        note('s', found.st_ino, 0, path, strlen(path));
    return came;
}

int fsync(int descriptor) { return synced(descriptor, REAL(fsync)(descriptor)); }
int fdatasync(int descriptor) { return synced(descriptor, REAL(fdatasync)(descriptor)); }

int rename(const char *old, const char *new)
{
    char first[PATH_MAX], second[PATH_MAX], both[2 * PATH_MAX];
    int came = REAL(rename)(old, new);
    const char *from = whole(AT_FDCWD, old, first), *to = whole(AT_FDCWD, new, second);
    if (came == 0 && (is_below(from) || is_below(to)))
        note('r', 0, 0, both, (size_t)(sprintf(both, "%s", from) + 1 + sprintf(both + strlen(from) + 1, "%s", to)));
    return came;
}

static int removed(int folder, const char *path, int came)
{
    char into[PATH_MAX];
    const char *all = whole(folder, path, into);
    if (came == 0 && is_below(all))
        note('u', 0, 0, all, strlen(all));
    return came;
}

int unlink(const char *path) { return removed(AT_FDCWD, path, REAL(unlink)(path)); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, REAL(unlinkat)(folder, path, flags)); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, REAL(rmdir)(path)); }

int mkdir(const char *path, mode_t mode)
{
    char into[PATH_MAX];
    int came = REAL(mkdir)(path, mode);
    if (came == 0)
        note_name(whole(AT_FDCWD, path, into));
    return came;
}
