/* SPDX-License-Identifier: Apache-2.0
 *
 * sys/socket.h: see solaris/README.md
 */
#include <sys/uio.h>
#include <unistd.h>

#define SOCK_STREAM 2
#define SOL_SOCKET 0xffff
#define SO_ACCEPTCONN 0x0002
#define SO_LINGER 0x0080
#define SO_ERROR 0x1007
#define SO_TYPE 0x1008
#define MSG_DONTWAIT 0x80
#ifndef SOLARIS_10
#define MSG_NOSIGNAL 0x200
#endif
#define SHUT_WR 1
#define SHUT_RDWR 2

typedef unsigned socklen_t;
typedef unsigned short sa_family_t;
struct sockaddr;
struct sockaddr_storage {
    sa_family_t ss_family;
    char rest[254];
};
struct linger {
    int l_onoff;
    int l_linger;
};
struct msghdr {
    void *msg_name;
    socklen_t msg_namelen;
    struct iovec *msg_iov;
    int msg_iovlen;
    char *msg_accrights;
    int msg_accrightslen;
};

int accept(int socket, struct sockaddr *address, socklen_t *length);
int getpeername(int socket, struct sockaddr *address, socklen_t *length);
int getsockname(int socket, struct sockaddr *address, socklen_t *length);
int getsockopt(int socket, int level, int option, void *value, socklen_t *length);
int setsockopt(int socket, int level, int option, const void *value, socklen_t length);
ssize_t recv(int socket, void *bytes, size_t n, int flags);
ssize_t send(int socket, const void *bytes, size_t n, int flags);
ssize_t sendmsg(int socket, const struct msghdr *message, int flags);
int shutdown(int socket, int how);
