// The functions of the C library that a program uses, each by way of `through`.
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "fail_once.hpp"

extern "C" {
void __libc_free(void*);
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

using namespace fail_once;

namespace {

Kind kind_of_write(int fd) {
  return fd == 1 ? Stdout : fd == 2 ? Stderr : Write;
}

size_t half_of(size_t size) {
  return size > 1 ? size / 2 : size;
}

template <typename Call>
void* allocated(const char* function, size_t size, const Call& call) {
  if (at(Alloc, function, {}) != Act::Fail || take_returned(size)) return call();
  errno = error_number();
  return nullptr;
}

}  // namespace

extern "C" {

// Opened.
#define FAIL_ONCE_OPEN(name)                                                                  \
  int name(const char* path, int flags, ...) {                                                \
    FAIL_ONCE_NEXT(name);                                                                     \
    va_list rest;                                                                             \
    va_start(rest, flags);                                                                    \
    const mode_t mode = va_arg(rest, mode_t);                                                 \
    va_end(rest);                                                                             \
    return through(Open, #name, {.path = path}, -1, [&] { return next(path, flags, mode); }); \
  }
FAIL_ONCE_OPEN(open)
FAIL_ONCE_OPEN(open64)

#define FAIL_ONCE_OPENAT(name)                                                                        \
  int name(int folder, const char* path, int flags, ...) {                                            \
    FAIL_ONCE_NEXT(name);                                                                             \
    va_list rest;                                                                                     \
    va_start(rest, flags);                                                                            \
    const mode_t mode = va_arg(rest, mode_t);                                                         \
    va_end(rest);                                                                                     \
    return through(Open, #name, {.path = path}, -1, [&] { return next(folder, path, flags, mode); }); \
  }
FAIL_ONCE_OPENAT(openat)
FAIL_ONCE_OPENAT(openat64)

FILE* fopen(const char* path, const char* mode) {
  FAIL_ONCE_NEXT(fopen);
  return through(Open, "fopen", {.path = path}, static_cast<FILE*>(nullptr),
                 [&] { return next(path, mode); });
}
FILE* fopen64(const char* path, const char* mode) {
  FAIL_ONCE_NEXT(fopen64);
  return through(Open, "fopen64", {.path = path}, static_cast<FILE*>(nullptr),
                 [&] { return next(path, mode); });
}
DIR* opendir(const char* path) {
  FAIL_ONCE_NEXT(opendir);
  return through(Open, "opendir", {.path = path}, static_cast<DIR*>(nullptr), [&] { return next(path); });
}
DIR* fdopendir(int fd) {
  FAIL_ONCE_NEXT(fdopendir);
  return through(Open, "fdopendir", {.fd = fd}, static_cast<DIR*>(nullptr), [&] { return next(fd); });
}
int mkostemp(char* path, int flags) {
  FAIL_ONCE_NEXT(mkostemp);
  return through(Open, "mkostemp", {.path = path}, -1, [&] { return next(path, flags); });
}
int memfd_create(const char* name, unsigned flags) noexcept {
  FAIL_ONCE_NEXT(memfd_create);
  return through(Open, "memfd_create", {.path = name}, -1, [&] { return next(name, flags); });
}

// Read.
ssize_t read(int fd, void* out, size_t size) {
  FAIL_ONCE_NEXT(read);
  return through(
      Read, "read", {.fd = fd}, ssize_t{-1}, [&] { return next(fd, out, size); },
      [&] { return next(fd, out, half_of(size)); });
}
ssize_t pread(int fd, void* out, size_t size, off_t offset) {
  FAIL_ONCE_NEXT(pread);
  return through(
      Read, "pread", {.fd = fd}, ssize_t{-1}, [&] { return next(fd, out, size, offset); },
      [&] { return next(fd, out, half_of(size), offset); });
}
ssize_t pread64(int fd, void* out, size_t size, off64_t offset) {
  FAIL_ONCE_NEXT(pread64);
  return through(
      Read, "pread64", {.fd = fd}, ssize_t{-1}, [&] { return next(fd, out, size, offset); },
      [&] { return next(fd, out, half_of(size), offset); });
}
dirent* readdir(DIR* folder) {
  FAIL_ONCE_NEXT(readdir);
  return through(Read, "readdir", {.fd = dirfd(folder)}, static_cast<dirent*>(nullptr),
                 [&] { return next(folder); });
}
dirent64* readdir64(DIR* folder) {
  FAIL_ONCE_NEXT(readdir64);
  return through(Read, "readdir64", {.fd = dirfd(folder)}, static_cast<dirent64*>(nullptr),
                 [&] { return next(folder); });
}

// Written.
ssize_t write(int fd, const void* bytes, size_t size) {
  FAIL_ONCE_NEXT(write);
  return through(
      kind_of_write(fd), "write", {.fd = fd}, ssize_t{-1}, [&] { return next(fd, bytes, size); },
      [&] { return next(fd, bytes, half_of(size)); });
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  FAIL_ONCE_NEXT(pwrite);
  return through(
      Write, "pwrite", {.fd = fd}, ssize_t{-1}, [&] { return next(fd, bytes, size, offset); },
      [&] { return next(fd, bytes, half_of(size), offset); });
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  FAIL_ONCE_NEXT(pwrite64);
  return through(
      Write, "pwrite64", {.fd = fd}, ssize_t{-1}, [&] { return next(fd, bytes, size, offset); },
      [&] { return next(fd, bytes, half_of(size), offset); });
}
int fsync(int fd) {
  FAIL_ONCE_NEXT(fsync);
  return through(Sync, "fsync", {.fd = fd}, -1, [&] { return next(fd); });
}
int fdatasync(int fd) {
  FAIL_ONCE_NEXT(fdatasync);
  return through(Sync, "fdatasync", {.fd = fd}, -1, [&] { return next(fd); });
}
int ftruncate(int fd, off_t size) noexcept {
  FAIL_ONCE_NEXT(ftruncate);
  return through(Size, "ftruncate", {.fd = fd}, -1, [&] { return next(fd, size); });
}
int ftruncate64(int fd, off64_t size) noexcept {
  FAIL_ONCE_NEXT(ftruncate64);
  return through(Size, "ftruncate64", {.fd = fd}, -1, [&] { return next(fd, size); });
}
// These return the error.
int posix_fallocate(int fd, off_t offset, off_t size) {
  FAIL_ONCE_NEXT(posix_fallocate);
  return through(Size, "posix_fallocate", {.fd = fd}, error_number(), [&] { return next(fd, offset, size); });
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
  FAIL_ONCE_NEXT(posix_fallocate64);
  return through(Size, "posix_fallocate64", {.fd = fd}, error_number(),
                 [&] { return next(fd, offset, size); });
}
int close(int fd) {
  FAIL_ONCE_NEXT(close);
  const Act act = at(Close, "close", {.fd = fd});
  const int result = next(fd);  // Linux closes it whatever it says
  if (act == Act::KillAfter) die();
  if (act != Act::Fail) return result;
  errno = error_number();
  return -1;
}

// Names.
int rename(const char* from, const char* to) noexcept {
  FAIL_ONCE_NEXT(rename);
  return through(Rename, "rename", {.path = from, .other = to}, -1, [&] { return next(from, to); });
}
int renameat2(int folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  FAIL_ONCE_NEXT(renameat2);
  return through(Rename, "renameat2", {.path = from, .other = to}, -1,
                 [&] { return next(folder, from, to_folder, to, flags); });
}
int link(const char* from, const char* to) noexcept {
  FAIL_ONCE_NEXT(link);
  return through(Rename, "link", {.path = from, .other = to}, -1, [&] { return next(from, to); });
}
int unlink(const char* path) noexcept {
  FAIL_ONCE_NEXT(unlink);
  return through(Unlink, "unlink", {.path = path}, -1, [&] { return next(path); });
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  FAIL_ONCE_NEXT(unlinkat);
  return through(Unlink, "unlinkat", {.path = path}, -1, [&] { return next(folder, path, flags); });
}
int remove(const char* path) noexcept {
  FAIL_ONCE_NEXT(remove);
  return through(Unlink, "remove", {.path = path}, -1, [&] { return next(path); });
}
int rmdir(const char* path) noexcept {
  FAIL_ONCE_NEXT(rmdir);
  return through(Unlink, "rmdir", {.path = path}, -1, [&] { return next(path); });
}
int mkdir(const char* path, mode_t mode) noexcept {
  FAIL_ONCE_NEXT(mkdir);
  return through(Mkdir, "mkdir", {.path = path}, -1, [&] { return next(path, mode); });
}

// Asked.
#define FAIL_ONCE_STAT(name, type)                                                    \
  int name(const char* path, struct type* out) noexcept {                             \
    FAIL_ONCE_NEXT(name);                                                             \
    return through(Stat, #name, {.path = path}, -1, [&] { return next(path, out); }); \
  }
FAIL_ONCE_STAT(stat, stat)
FAIL_ONCE_STAT(stat64, stat64)
FAIL_ONCE_STAT(lstat, stat)
FAIL_ONCE_STAT(lstat64, stat64)
FAIL_ONCE_STAT(statvfs, statvfs)
int fstat(int fd, struct stat* out) noexcept {
  FAIL_ONCE_NEXT(fstat);
  return through(Stat, "fstat", {.fd = fd}, -1, [&] { return next(fd, out); });
}
int access(const char* path, int mode) noexcept {
  FAIL_ONCE_NEXT(access);
  return through(Stat, "access", {.path = path}, -1, [&] { return next(path, mode); });
}
int flock(int fd, int what) noexcept {
  FAIL_ONCE_NEXT(flock);
  return through(Lock, "flock", {.fd = fd}, -1, [&] { return next(fd, what); });
}

// Memory and threads.
void* mmap(void* place, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  FAIL_ONCE_NEXT(mmap);
  return through(Map, "mmap", {.fd = fd}, MAP_FAILED,
                 [&] { return next(place, size, protection, flags, fd, offset); });
}
void* mmap64(void* place, size_t size, int protection, int flags, int fd, off64_t offset) noexcept {
  FAIL_ONCE_NEXT(mmap64);
  return through(Map, "mmap64", {.fd = fd}, MAP_FAILED,
                 [&] { return next(place, size, protection, flags, fd, offset); });
}
void* mremap(void* place, size_t size, size_t new_size, int flags, ...) noexcept {
  FAIL_ONCE_NEXT(mremap);
  va_list rest;
  va_start(rest, flags);
  void* const target = va_arg(rest, void*);
  va_end(rest);
  return through(Map, "mremap", {}, MAP_FAILED, [&] { return next(place, size, new_size, flags, target); });
}
int mprotect(void* place, size_t size, int protection) noexcept {
  FAIL_ONCE_NEXT(mprotect);
  return through(Map, "mprotect", {}, -1, [&] { return next(place, size, protection); });
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  FAIL_ONCE_NEXT(pthread_create);
  return through(Thread, "pthread_create", {}, error_number(),
                 [&] { return next(thread, attributes, start, argument); });
}
void* malloc(size_t size) noexcept {
  return allocated("malloc", size, [&] { return __libc_malloc(size); });
}
void* calloc(size_t count, size_t size) noexcept {
  return allocated("calloc", count * size, [&] { return __libc_calloc(count, size); });
}
void* realloc(void* old, size_t size) noexcept {
  const size_t before = old != nullptr ? ::malloc_usable_size(old) : 0;
  void* const memory = allocated("realloc", size, [&] { return __libc_realloc(old, size); });
  if (memory != nullptr) give_back(before);
  return memory;
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return allocated("aligned_alloc", size, [&] { return __libc_memalign(alignment, size); });
}
int posix_memalign(void** out, size_t alignment, size_t size) noexcept {
  void* const memory = allocated("posix_memalign", size, [&] { return __libc_memalign(alignment, size); });
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}
void free(void* memory) noexcept {
  if (memory != nullptr) give_back(::malloc_usable_size(memory));
  __libc_free(memory);
}

}  // extern "C"
