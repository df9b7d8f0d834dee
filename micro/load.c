// SPDX-License-Identifier: Apache-2.0
/*
 * The peers of a server: many connections with at most one request outstanding on each, on arena.h, so that a peer
 * costs less than what it asks for. Lines on standard input are each answered by one:
 *
 *   open <port> <connections>       the mechanism that it runs on; each connection has had an answer then
 *   run <seconds> <rate> <outstanding> <seed>
 *                                   requests, nanoseconds, p50, p99, p99.9 (nanoseconds), its own processor time
 *   close                           closed
 *
 * Rate 0: <outstanding> requests are on their way all the time. Each answer is followed by a request on a connection
 * chosen at random among those without one. Else <rate> requests a second, by the clock, and a latency counts from when
 * the request was due. Each answer is checked; what is wrong ends the process. The argument is what it asks for:
 *
 *   load echo                       64 bytes, which come back
 *   load http...                    GET /page, of whatever length
 *   load https...                   the same over TLS
 *   load kafka                      ApiVersions, a request of Kafka's protocol
 *   load mix                        GET /static/<n> seven times of ten, popular pages more often; else GET /dynamic/<n>
 */
#define _GNU_SOURCE
#include "arena.h"
#include "common.h"
#include "tls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    ECHO = 64,
    STATIC_PAGES = 1000,
    DYNAMIC_PAGES = 1000,
    STATIC_SHARE = 70, /* of 100: SPECweb99's */
    LONGEST_PATH = 32,
    LONGEST_HEAD = 1024,
    LONGEST_RECORD = 1 << 14, /* of TLS */
    FINE = 64, /* parts of each power of two in the histogram */
    POWERS = 40,
    PATIENCE_SECONDS = 30
};

typedef struct {
    char path[LONGEST_PATH], bytes[192];
    uint32_t length;
} request;

typedef struct {
    uint64_t name;        /* of the arena */
    SSL *tls;             /* NULL without TLS */
    int64_t since;        /* when the request was due */
    const request *asked; /* NULL if nothing is outstanding */
    uint64_t left;        /* bytes of the answer that are to come, once its head is there */
} peer;

static enum { ASK_ECHO, ASK_PAGE, ASK_MIX, ASK_KAFKA } mode;
static request requests[STATIC_PAGES + DYNAMIC_PAGES];
static double popular[STATIC_PAGES]; /* the share of a page and of all before it */
static plx_arena *arena;
static plx_arena_view view;
static peer *peers, **by_index, **idle;
static int count, orders, outstanding, idle_count;
static bool with_tls;
static uint64_t random_state, answered, histogram[POWERS * FINE];

static int64_t now(clockid_t clock)
{
    return (int64_t)nanos(clock);
}

/* splitmix64, by Steele, Lea and Flood. */
static uint64_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* ---- what is asked ---- */

static void make_request(request *r, const char *format, int n)
{
    snprintf(r->path, sizeof r->path, format, n);
    r->length = (uint32_t)snprintf(r->bytes, sizeof r->bytes,
                                   "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: load\r\n\r\n", r->path);
}

/* Length, ApiVersions, version 0, correlation id, client id. */
static const request api_versions = { "ApiVersions", "\0\0\0\x0e\0\x12\0\0\0\0\0\7\0\4load", 18 };

static void make_requests(void)
{
    double sum = 0;
    if (mode == ASK_ECHO) {
        memset(requests[0].bytes, 'e', ECHO);
        requests[0].length = ECHO;
        return;
    }
    if (mode == ASK_PAGE) {
        make_request(&requests[0], "/page", 0);
        return;
    }
    if (mode == ASK_KAFKA) {
        requests[0] = api_versions;
        return;
    }
    for (int i = 0; i < STATIC_PAGES; i++) { /* Zipf's law */
        make_request(&requests[i], "/static/%d", i);
        popular[i] = sum += 1.0 / (i + 1);
    }
    for (int i = 0; i < STATIC_PAGES; i++)
        popular[i] /= sum;
    for (int i = 0; i < DYNAMIC_PAGES; i++)
        make_request(&requests[STATIC_PAGES + i], "/dynamic/%d", i);
}

static const request *choose(void)
{
    if (mode != ASK_MIX)
        return &requests[0];
    if (next_random() % 100 >= STATIC_SHARE)
        return &requests[STATIC_PAGES + next_random() % DYNAMIC_PAGES];
    double share = (double)(next_random() >> 11) / (double)(1LL << 53);
    int low = 0, high = STATIC_PAGES - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (popular[middle] > share)
            high = middle;
        else
            low = middle + 1;
    }
    return &requests[low];
}

static void ask(peer *p, int64_t since)
{
    p->asked = choose();
    p->since = since;
    p->left = 0;
    const char *bytes = p->asked->bytes;
    uint32_t length = p->asked->length;
    if (p->tls != NULL)
        length = tls_encrypt(p->tls, &bytes, length);
    view.orders[orders++] = (plx_order){ p->name, (uintptr_t)bytes, length, PLX_ORDER_SEND | PLX_ORDER_RESIDENT };
    outstanding++;
}

static peer *take_idle(void)
{
    int place = (int)(next_random() % (uint64_t)idle_count);
    peer *taken = idle[place];
    idle[place] = idle[--idle_count];
    return taken;
}

/* ---- what is answered ---- */

static void record(int64_t latency)
{
    uint64_t value = latency < FINE ? FINE : (uint64_t)latency;
    int power = 63 - __builtin_clzll(value) - 6; /* FINE is 2 to the 6th */
    int place = power * FINE + (int)((value >> power) - FINE);
    histogram[place < POWERS * FINE ? place : POWERS * FINE - 1]++;
}

static int64_t percentile(double share)
{
    uint64_t all = 0, sum = 0;
    for (int i = 0; i < POWERS * FINE; i++)
        all += histogram[i];
    for (int i = 0; i < POWERS * FINE; i++) {
        sum += histogram[i];
        if ((double)sum >= share * (double)all)
            return (int64_t)(FINE + i % FINE) << (i / FINE);
    }
    return 0;
}

/* The bytes of an answer that these begin with; 0 if its head is not complete. */
static uint64_t answer_length(const peer *p, const char *bytes, uint32_t length)
{
    static const char good[] = "HTTP/1.1 200 ";
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (end == NULL && length < LONGEST_HEAD)
        return 0;
    if (end == NULL || strncmp(bytes, good, sizeof good - 1) != 0)
        errx(1, "to %s: %.*s", p->asked->path, (int)length, bytes);
    end += 4;
    char head[LONGEST_HEAD + 1];
    size_t head_length = (size_t)(end - bytes), path_length = strlen(p->asked->path);
    if (head_length > LONGEST_HEAD)
        errx(1, "to %s: a head of %zu bytes", p->asked->path, head_length);
    memcpy(head, bytes, head_length);
    head[head_length] = 0;
    const char *field = strcasestr(head, "\r\ncontent-length:");
    if (field == NULL)
        errx(1, "to %s: no length: %s", p->asked->path, head);
    if (length >= head_length + path_length && mode == ASK_MIX && memcmp(end, p->asked->path, path_length) != 0)
        errx(1, "to %s: another page: %.*s", p->asked->path, (int)length, bytes);
    return head_length + strtoull(field + 17, NULL, 10);
}

static uint32_t big_endian(const char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return ntohl(value);
}

/* As answer_length, of an answer to ApiVersions: length, correlation id, error code, the versions. */
static uint64_t versions_length(const char *bytes, uint32_t length)
{
    if (length < 10)
        return 0;
    if (big_endian(bytes + 4) != 7 || bytes[8] != 0 || bytes[9] != 0)
        errx(1, "to ApiVersions: correlation id %u, error code %d", big_endian(bytes + 4), bytes[9]);
    return 4 + (uint64_t)big_endian(bytes);
}

static uint64_t length_of(const peer *p, const char *bytes, uint32_t length)
{
    if (mode == ASK_ECHO)
        return ECHO;
    return mode == ASK_KAFKA ? versions_length(bytes, length) : answer_length(p, bytes, length);
}

/* Returns the length of what it has taken: not the beginning of a head. */
static uint32_t hear_answer(peer *p, const char *bytes, uint32_t length)
{
    if (p->asked == NULL)
        errx(1, "%u bytes that were not asked for: %.*s", length, (int)length, bytes);
    if (p->left == 0 && (p->left = length_of(p, bytes, length)) == 0)
        return 0;
    if (p->left < length)
        errx(1, "to %s: %u bytes too many", p->asked->path, length - (uint32_t)p->left);
    if (mode == ASK_ECHO && memcmp(bytes, requests[0].bytes, length) != 0)
        errx(1, "not an echo: %.*s", (int)length, bytes);
    p->left -= length;
    if (p->left == 0) {
        record(now(CLOCK_MONOTONIC) - p->since);
        answered++;
        p->asked = NULL;
        idle[idle_count++] = p;
        outstanding--;
    }
    return length;
}

static void hear_records(peer *p, const char *bytes, uint32_t length)
{
    char text[LONGEST_RECORD];
    tls_receive(p->tls, bytes, length);
    while ((length = tls_decrypt(p->tls, text, sizeof text)) > 0)
        if (hear_answer(p, text, length) < length)
            errx(1, "to %s: a head in two TLS records", p->asked->path);
}

/* True if all answers are there now. */
static bool hear(peer *p, const plx_arrival *a)
{
    const char *bytes = (const char *)(uintptr_t)a->address;
    bool waited = p->asked != NULL; /* a session's ticket may come when nothing was asked */
    if (p->tls != NULL)
        hear_records(p, bytes, a->length);
    else {
        uint32_t heard = hear_answer(p, bytes, a->length);
        if (heard < a->length)
            view.orders[orders++] = (plx_order){ p->name, a->address + heard, a->length - heard, PLX_ORDER_KEEP };
    }
    return waited && p->asked == NULL;
}

/* Gives orders and waits. If `again`, each answer is followed by a request. */
static void turn(int64_t ns, bool again)
{
    int n = plx_arena_turn(arena, orders, ns);
    orders = 0;
    if (n < 0 && n != -EINTR)
        errx(1, "plx_arena_turn: %s", plx_strerror(-n, (char[256]){ 0 }, 256));
    for (int i = 0; i < n; i++) {
        const plx_arrival *a = &view.arrivals[i];
        peer *p = by_index[(uint32_t)a->connection];
        if (a->what == PLX_ARRIVAL_DATA && hear(p, a) && again)
            ask(take_idle(), now(CLOCK_MONOTONIC));
        else if (a->what == PLX_ARRIVAL_END || a->what == PLX_ARRIVAL_ERROR)
            errx(1, "the server has ended a connection, asked for %s (%lld)", p->asked ? p->asked->path : "nothing",
                 (long long)a->detail);
    }
}

static void hear_all(void)
{
    int64_t late = now(CLOCK_MONOTONIC) + PATIENCE_SECONDS * 1000000000LL;
    while (outstanding > 0) {
        turn(100000000, false);
        if (now(CLOCK_MONOTONIC) > late)
            errx(1, "%d requests without an answer after %d s", outstanding, PATIENCE_SECONDS);
    }
}

/* ---- the orders of standard input ---- */

static void open_all(int port, int connections)
{
    plx_arena_sizes sizes = { .connections = (uint32_t)connections + 1, .buffers = 1024 };
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t)port) };
    int code = plx_arena_open(NULL, &sizes, &arena);
    if (code < 0)
        errx(1, "plx_arena_open: %s", plx_strerror(-code, (char[256]){ 0 }, 256));
    plx_arena_map(arena, &view);
    peers = calloc((size_t)connections, sizeof *peers);
    by_index = calloc((size_t)connections + 1, sizeof *by_index);
    idle = calloc((size_t)connections, sizeof(peer *));
    idle_count = 0;
    for (count = 0; count < connections; count++) {
        struct linger reset = { 1, 0 }; /* thousands of ports in TIME_WAIT would be in the way of the next ones */
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) != 0 ||
            connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
            err(1, "connection %d", count + 1);
        if (with_tls)
            peers[count].tls = tls_connect(fd);
        int64_t name = plx_arena_adopt(arena, fd, NULL, 0);
        if (name < 0)
            errx(1, "plx_arena_adopt: %s", plx_strerror((int)-name, (char[256]){ 0 }, 256));
        peers[count].name = (uint64_t)name;
        by_index[(uint32_t)name] = &peers[count];
        ask(&peers[count], now(CLOCK_MONOTONIC));
        if (outstanding == 100) /* not more than a listener's backlog */
            hear_all();
    }
    hear_all();
    printf("%s\n", plx_arena_name(arena));
}

/* Asks what was due until now on peers that wait for nothing, and returns when the next one is due. */
static int64_t ask_due(int64_t start, int64_t interval, uint64_t *asked)
{
    int64_t due;
    while ((due = start + (int64_t)*asked * interval) <= now(CLOCK_MONOTONIC) && idle_count > 0) {
        ask(take_idle(), due);
        ++*asked;
    }
    return idle_count > 0 ? due : now(CLOCK_MONOTONIC) + 1000000; /* no peer is free to ask */
}

static void run(double seconds, int rate, int most, uint64_t seed)
{
    int64_t start = now(CLOCK_MONOTONIC), end = start + (int64_t)(seconds * 1e9), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t asked = 0;
    random_state = seed;
    answered = 0;
    memset(histogram, 0, sizeof histogram);
    while (rate == 0 && idle_count > 0 && outstanding < most)
        ask(take_idle(), now(CLOCK_MONOTONIC));
    while (now(CLOCK_MONOTONIC) < end) {
        int64_t ns = 100000000;
        if (rate > 0) {
            ns = ask_due(start, 1000000000 / rate, &asked) - now(CLOCK_MONOTONIC);
            ns = ns > 0 ? ns : 0;
        }
        turn(ns, rate == 0);
    }
    hear_all();
    printf("%llu %lld %lld %lld %lld %lld\n", (unsigned long long)answered, (long long)(now(CLOCK_MONOTONIC) - start),
           (long long)percentile(0.5), (long long)percentile(0.99), (long long)percentile(0.999),
           (long long)(now(CLOCK_PROCESS_CPUTIME_ID) - cpu));
}

static void close_all(void)
{
    plx_arena_close(arena);
    for (int i = 0; i < count; i++)
        if (peers[i].tls != NULL)
            tls_close(peers[i].tls);
    free(peers);
    free(by_index);
    free(idle);
    puts("closed");
}

int main(int argc, char **argv)
{
    char line[256];
    const char *asks = argc >= 2 ? argv[1] : "nothing";
    mode = strcmp(asks, "mix") == 0         ? ASK_MIX
           : strncmp(asks, "http", 4) == 0  ? ASK_PAGE
           : strcmp(asks, "kafka") == 0     ? ASK_KAFKA
                                            : ASK_ECHO;
    with_tls = strncmp(asks, "https", 5) == 0;
    if (mode == ASK_ECHO && strcmp(asks, "echo") != 0)
        errx(2, "usage: load echo|http|kafka|mix");
    if (with_tls && tls_connect == NULL)
        errx(2, "compiled without TLS, since --tls was not given then");
    raise_limit();
    prctl(PR_SET_TIMERSLACK, 1); /* else a paced request is up to 50 us late */
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_requests();
    while (fgets(line, sizeof line, stdin) != NULL) {
        int port, connections, rate, most;
        double seconds;
        unsigned long long seed;
        if (sscanf(line, "open %d %d", &port, &connections) == 2)
            open_all(port, connections);
        else if (sscanf(line, "run %lf %d %d %llu", &seconds, &rate, &most, &seed) == 4)
            run(seconds, rate, most, seed);
        else if (strcmp(line, "close\n") == 0)
            close_all();
        else
            errx(2, "what is %s", line);
    }
    return 0;
}
