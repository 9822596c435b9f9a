/*
 * Records a process's writes below a folder, so that a power loss can be simulated afterwards. Loaded before the C
 * library (LD_PRELOAD), it replaces the calls that change files. Before each change it appends a record to
 * $LOST_WRITES_LOG: the bytes that the change replaces and, for a durable write, the new bytes. A sync appends a record
 * with the number of the last change that it covers. Files that a rename or a removal replaces are kept as links in
 * $LOST_WRITES_KEEP, which must be on the same file system as $LOST_WRITES_FOLDER.
 *
 * A record is a header (struct record), followed by the name or the bytes. lost-writes.ts reads them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, DURABLE = 2, SYNC = 3, CREATE = 4, RENAME = 5, REMOVE = 6 };

struct record {
  uint32_t kind;
  uint32_t bytes;    /* after the header */
  uint64_t number;   /* of the change; for SYNC: of the last change that it covers */
  uint64_t inode;    /* of the file, or of the folder for SYNC of a folder */
  uint64_t folder;   /* inode of the folder that holds the name */
  uint64_t position; /* of the bytes in the file */
  uint64_t size;     /* of the file before */
};

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t number;
static int log_file = -1;
static const char *folder, *keep;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("LOST_WRITES_LOG");
  folder = getenv("LOST_WRITES_FOLDER");
  keep = getenv("LOST_WRITES_KEEP");
  if (path == NULL || folder == NULL || keep == NULL) return;
  log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_watched(const char *path) {
  size_t length = folder == NULL ? 0 : strlen(folder);
  return log_file >= 0 && strncmp(path, folder, length) == 0 && path[length] == '/' &&
         strncmp(path + length, "/venue", 6) != 0;
}

/* Excludes the exchange, which is another machine and loses nothing. */
static int path_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return is_watched(path);
}

static uint64_t folder_of(const char *path) {
  char parent[PATH_MAX];
  snprintf(parent, sizeof parent, "%s", path);
  char *slash = strrchr(parent, '/');
  if (slash == NULL) return 0;
  *slash = '\0';
  struct stat status;
  return stat(parent, &status) == 0 ? status.st_ino : 0;
}

/* Requires the lock, so that numbers increase in the log. */
static void append(struct record *record, const void *bytes) {
  struct iovec parts[2] = {{record, sizeof *record}, {(void *)bytes, record->bytes}};
  syscall(SYS_writev, log_file, parts, record->bytes > 0 ? 2 : 1);
}

/* Records the present bytes of a file before a write changes them. */
static void note_write(int file, off_t position, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  struct stat status;
  int saved = errno;
  if (log_file < 0 || !path_of(file, path) || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    errno = saved;
    return;
  }
  size_t length = 0;
  for (int part = 0; part < count; part += 1) length += parts[part].iov_len;
  int flags = fcntl(file, F_GETFL);
  if (flags & O_APPEND) position = status.st_size;
  else if (position < 0) position = lseek(file, 0, SEEK_CUR);
  int is_durable = (flags & O_DSYNC) != 0;
  char *bytes = malloc(length + 1);
  struct record record = {.inode = status.st_ino, .position = (uint64_t)position, .size = (uint64_t)status.st_size};
  if (is_durable) {
    size_t at = 0;
    for (int part = 0; part < count; part += 1) {
      memcpy(bytes + at, parts[part].iov_base, parts[part].iov_len);
      at += parts[part].iov_len;
    }
    record.kind = DURABLE;
    record.bytes = (uint32_t)length;
  } else {
    int reader = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t held = reader < 0 ? 0 : pread(reader, bytes, length, position);
    if (reader >= 0) syscall(SYS_close, reader);
    record.kind = WRITE;
    record.bytes = held < 0 ? 0 : (uint32_t)held;
  }
  pthread_mutex_lock(&lock);
  record.number = ++number;
  /* `bytes` ends at the old end of the file; the written length shows which pages the write touched. */
  record.folder = length;
  append(&record, bytes);
  pthread_mutex_unlock(&lock);
  free(bytes);
  errno = saved;
}

static void note_cut(int file, off_t size) {
  char path[PATH_MAX];
  struct stat status;
  if (log_file < 0 || !path_of(file, path) || fstat(file, &status) != 0 || size >= status.st_size) {
    if (log_file >= 0 && path_of(file, path) && fstat(file, &status) == 0 && size > status.st_size) {
      struct iovec nothing = {NULL, 0};
      note_write(file, status.st_size, &nothing, 1);
    }
    return;
  }
  struct iovec rest = {NULL, (size_t)(status.st_size - size)};
  note_write(file, size, &rest, 1);
}

static void note_name(enum kind kind, const char *path, const char *names) {
  struct stat status;
  int saved = errno;
  if (lstat(path, &status) == 0) {
    struct record record = {.kind = kind, .inode = status.st_ino, .folder = folder_of(path), .size = status.st_size};
    record.bytes = (uint32_t)strlen(names);
    pthread_mutex_lock(&lock);
    record.number = ++number;
    append(&record, names);
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
}

static uint64_t changes(void) {
  pthread_mutex_lock(&lock);
  uint64_t so_far = number;
  pthread_mutex_unlock(&lock);
  return so_far;
}

static void note_sync(int file, uint64_t covered) {
  char path[PATH_MAX];
  struct stat status;
  int saved = errno;
  if (log_file >= 0 && fstat(file, &status) == 0) {
    ssize_t length;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, PATH_MAX - 1);
    if (length > 0) {
      path[length] = '\0';
      if (strncmp(path, folder, strlen(folder)) == 0) {
        struct record record = {.kind = SYNC, .number = covered, .inode = status.st_ino};
        pthread_mutex_lock(&lock);
        append(&record, NULL);
        pthread_mutex_unlock(&lock);
      }
    }
  }
  errno = saved;
}

/* Links the file before its name is removed or replaced. Returns the name of the link. */
static int keep_link(const char *path, char *kept) {
  static uint64_t count;
  pthread_mutex_lock(&lock);
  snprintf(kept, PATH_MAX, "%s/%d-%lu", keep, (int)getpid(), (unsigned long)++count);
  pthread_mutex_unlock(&lock);
  return syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, kept, 0) == 0;
}

ssize_t write(int file, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  if (file > 2) note_write(file, -1, &part, 1);
  return NEXT(write)(file, bytes, length);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  if (file > 2) note_write(file, -1, parts, count);
  return NEXT(writev)(file, parts, count);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t position) {
  struct iovec part = {(void *)bytes, length};
  note_write(file, position, &part, 1);
  return NEXT(pwrite)(file, bytes, length, position);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t position) {
  struct iovec part = {(void *)bytes, length};
  note_write(file, position, &part, 1);
  return NEXT(pwrite64)(file, bytes, length, position);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t position) {
  note_write(file, position, parts, count);
  return NEXT(pwritev)(file, parts, count, position);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t position) {
  note_write(file, position, parts, count);
  return NEXT(pwritev64)(file, parts, count, position);
}

int ftruncate(int file, off_t size) {
  note_cut(file, size);
  return NEXT(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
  note_cut(file, size);
  return NEXT(ftruncate64)(file, size);
}

int fsync(int file) {
  uint64_t covered = changes();
  int result = NEXT(fsync)(file);
  if (result == 0) note_sync(file, covered);
  return result;
}

int fdatasync(int file) {
  uint64_t covered = changes();
  int result = NEXT(fdatasync)(file);
  if (result == 0) note_sync(file, covered);
  return result;
}

static int opened(const char *path, int flags, int result, int was_there) {
  if (result >= 0 && (flags & O_CREAT) && !was_there && is_watched(path)) note_name(CREATE, path, path);
  return result;
}

#define OPEN(name)                                                          \
  int name(const char *path, int flags, ...) {                              \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                           \
    int was_there = 1;                                                      \
    if (log_file >= 0 && is_watched(path)) {                                \
      was_there = access(path, F_OK) == 0;                                  \
      if (was_there && (flags & O_TRUNC)) {                                 \
        int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC); \
        if (file >= 0) {                                                    \
          note_cut(file, 0);                                                \
          syscall(SYS_close, file);                                         \
        }                                                                   \
      }                                                                     \
    }                                                                       \
    return opened(path, flags, NEXT(name)(path, flags, mode), was_there);   \
  }

OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
  int result = NEXT(mkdir)(path, mode);
  if (result == 0 && is_watched(path)) note_name(CREATE, path, path);
  return result;
}

int link(const char *old, const char *new) {
  int result = NEXT(link)(old, new);
  if (result == 0 && is_watched(new)) note_name(CREATE, new, new);
  return result;
}

int rename(const char *old, const char *new) {
  char names[3 * PATH_MAX], kept[PATH_MAX];
  if (!is_watched(old) && !is_watched(new)) return NEXT(rename)(old, new);
  int is_kept = keep_link(new, kept);
  int result = NEXT(rename)(old, new);
  if (result == 0) {
    snprintf(names, sizeof names, "%s\n%s\n%s", old, new, is_kept ? kept : "");
    note_name(RENAME, new, names);
  }
  return result;
}

int unlink(const char *path) {
  char names[2 * PATH_MAX], kept[PATH_MAX];
  if (!is_watched(path) || !keep_link(path, kept)) return NEXT(unlink)(path);
  snprintf(names, sizeof names, "%s\n%s", path, kept);
  note_name(REMOVE, path, names);
  return NEXT(unlink)(path);
}
