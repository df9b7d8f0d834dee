// SPDX-License-Identifier: Apache-2.0
#include "tls.h"

#include <err.h>
#include <openssl/ssl.h>

SSL *tls_connect(int fd)
{
    static SSL_CTX *context;
    if (context == NULL) {
        context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
        SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    }
    SSL *tls = SSL_new(context);
    if (tls == NULL || SSL_set_fd(tls, fd) != 1 || SSL_connect(tls) != 1)
        errx(1, "the TLS handshake has failed");
    SSL_set_bio(tls, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    return tls;
}

uint32_t tls_encrypt(SSL *tls, const char **bytes, uint32_t length)
{
    BIO *out = SSL_get_wbio(tls);
    char *sealed;
    (void)BIO_reset(out);
    if (SSL_write(tls, *bytes, (int)length) != (int)length)
        errx(1, "SSL_write has failed");
    length = (uint32_t)BIO_get_mem_data(out, &sealed);
    *bytes = sealed;
    return length;
}

void tls_receive(SSL *tls, const char *bytes, uint32_t length)
{
    if (BIO_write(SSL_get_rbio(tls), bytes, (int)length) != (int)length)
        errx(1, "BIO_write has failed");
}

uint32_t tls_decrypt(SSL *tls, char *bytes, uint32_t size)
{
    int n = SSL_read(tls, bytes, (int)size);
    if (n <= 0 && SSL_get_error(tls, n) != SSL_ERROR_WANT_READ)
        errx(1, "SSL_read has failed: %d", SSL_get_error(tls, n));
    return n > 0 ? (uint32_t)n : 0;
}

void tls_close(SSL *tls)
{
    SSL_free(tls);
}
