/*
 * Bounds the disk of one process. Loaded before the C library (LD_PRELOAD), it replaces the calls that write to files and
 * the calls that read the free space. Below $SMALL_DISK_FOLDER they behave like a disk with as many bytes as the file
 * $SMALL_DISK_LIMIT says: a write that does not fit fails with ENOSPC, and the free space is the rest.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define BLOCK_BYTES 4096

static __thread long long used_bytes;

static int add_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)path, (void)kind, (void)place;
  used_bytes += (long long)status->st_blocks * 512;
  return 0;
}

/* Bytes that are free, or LLONG_MAX without a limit. */
static long long free_bytes(const char *folder) {
  const char *name = getenv("SMALL_DISK_LIMIT");
  FILE *file = name == NULL ? NULL : fopen(name, "r");
  long long limit;
  if (file == NULL) return LLONG_MAX;
  if (fscanf(file, "%lld", &limit) != 1) limit = LLONG_MAX;
  fclose(file);
  if (limit == LLONG_MAX) return limit;
  used_bytes = 0;
  nftw(folder, add_file, 16, FTW_PHYS);
  return limit > used_bytes ? limit - used_bytes : 0;
}

static int is_inside(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* True when `length` more bytes at the position need more space than there is. A position below 0 is the file's own. */
static int is_refused(int file, off_t position, size_t length) {
  const char *folder = getenv("SMALL_DISK_FOLDER");
  char link[64], path[PATH_MAX];
  struct stat status;
  int saved = errno;
  int is_full = 0;
  if (folder == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count > 0) {
    path[count] = '\0';
    if (is_inside(path, folder) && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      if (fcntl(file, F_GETFL) & O_APPEND) position = status.st_size;
      else if (position < 0) position = lseek(file, 0, SEEK_CUR);
      long long from = position > status.st_size ? position : status.st_size;
      long long growth = (long long)position + (long long)length - from;
      is_full = growth > 0 && growth > free_bytes(folder);
    }
  }
  errno = is_full ? ENOSPC : saved;
  return is_full;
}

static size_t total(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int at = 0; at < count; at += 1) length += parts[at].iov_len;
  return length;
}

ssize_t write(int file, const void *bytes, size_t length) {
  return is_refused(file, -1, length) ? -1 : NEXT(write)(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t position) {
  return is_refused(file, position, length) ? -1 : NEXT(pwrite)(file, bytes, length, position);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t position) {
  return is_refused(file, position, length) ? -1 : NEXT(pwrite64)(file, bytes, length, position);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  return is_refused(file, -1, total(parts, count)) ? -1 : NEXT(writev)(file, parts, count);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t position) {
  return is_refused(file, position, total(parts, count)) ? -1 : NEXT(pwritev)(file, parts, count, position);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t position) {
  return is_refused(file, position, total(parts, count)) ? -1 : NEXT(pwritev64)(file, parts, count, position);
}

#define BOUND(name, type)                                             \
  int name(const char *path, struct type *status) {                   \
    const char *folder = getenv("SMALL_DISK_FOLDER");                 \
    int result = NEXT(name)(path, status);                            \
    if (result != 0 || folder == NULL || !is_inside(path, folder)) return result; \
    long long bytes = free_bytes(folder);                             \
    if (bytes == LLONG_MAX) return result;                            \
    status->f_bsize = BLOCK_BYTES;                                    \
    status->f_bfree = status->f_bavail = bytes / BLOCK_BYTES;         \
    return result;                                                    \
  }

BOUND(statfs, statfs)
BOUND(statfs64, statfs64)
