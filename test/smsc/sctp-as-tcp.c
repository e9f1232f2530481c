/* Opens a TCP socket where a program asks for an SCTP one, for kernels without SCTP. Preloaded by run.mjs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#ifndef IPPROTO_SCTP
#define IPPROTO_SCTP 132
#endif

int socket(int domain, int type, int protocol) {
  static int (*original)(int, int, int);
  if (!original) original = dlsym(RTLD_NEXT, "socket");
  return original(domain, type, protocol == IPPROTO_SCTP ? IPPROTO_TCP : protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length) {
  static int (*original)(int, int, int, const void *, socklen_t);
  if (!original) original = dlsym(RTLD_NEXT, "setsockopt");
  return level == IPPROTO_SCTP ? 0 : original(fd, level, name, value, length);
}
