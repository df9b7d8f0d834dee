/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h: TLS 1.3 of the peers in load.c, on memory that the arena sends and receives. Each function is NULL if tls.c is
 * not linked, which needs OpenSSL. */
#include <stdint.h>

#pragma weak tls_connect
#pragma weak tls_encrypt
#pragma weak tls_receive
#pragma weak tls_decrypt
#pragma weak tls_close

typedef struct ssl_st SSL;

/* The client's end of a connected socket, after the handshake; any certificate will do. */
SSL *tls_connect(int fd);

/* Replaces bytes by those that are to be sent for them, and returns their length. They stay until the next call. */
uint32_t tls_encrypt(SSL *tls, const char **bytes, uint32_t length);

/* Takes what was received, for tls_decrypt. */
void tls_receive(SSL *tls, const char *bytes, uint32_t length);

/* Decrypts one record of what was received, and returns its length; 0 if none is complete. */
uint32_t tls_decrypt(SSL *tls, char *bytes, uint32_t size);

void tls_close(SSL *tls);
