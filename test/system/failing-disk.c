/*
 * Lets the disk of one process fail. Loaded before the C library (LD_PRELOAD), it stands in for the calls that write
 * and sync; they fail on files below $FAILING_DISK_FOLDER while a file of a certain name exists in
 * $FAILING_DISK_SWITCHES: `full` lets writes fail with ENOSPC, `broken` lets syncs fail with EIO.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_below(int file, const char *folder) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int is_on(const char *fault) {
  char path[PATH_MAX];
  const char *switches = getenv("FAILING_DISK_SWITCHES");
  if (switches == NULL) return 0;
  snprintf(path, sizeof path, "%s/%s", switches, fault);
  return access(path, F_OK) == 0;
}

static int fails(int file, const char *fault, int error) {
  const char *folder = getenv("FAILING_DISK_FOLDER");
  int saved = errno;
  int is_failing = folder != NULL && is_below(file, folder) && is_on(fault);
  errno = is_failing ? error : saved;
  return is_failing;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t length) {
  return fails(file, "full", ENOSPC) ? -1 : NEXT(write)(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t position) {
  return fails(file, "full", ENOSPC) ? -1 : NEXT(pwrite)(file, bytes, length, position);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t position) {
  return fails(file, "full", ENOSPC) ? -1 : NEXT(pwrite64)(file, bytes, length, position);
}

int fsync(int file) {
  return fails(file, "broken", EIO) ? -1 : NEXT(fsync)(file);
}

int fdatasync(int file) {
  return fails(file, "broken", EIO) ? -1 : NEXT(fdatasync)(file);
}
