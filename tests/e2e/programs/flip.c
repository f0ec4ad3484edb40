// One thread changes an address again and again between two forms while another connects to it: the race between a check
// and its use. Usage: flip MODE TRIES ALLOWED_IP PORT OTHER_IP OTHER_PORT SOCKET_PATH
//   address  the IPv4 address flips            port  the port flips
//   family   INET and UNIX flip, on AF_UNIX and AF_INET sockets in turn
// Prints one JSON object: successes, how many had another peer than the allowed one, and each errno that was seen.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static union {
    struct sockaddr generic;
    struct sockaddr_in in;
    struct sockaddr_un un;
} shared, forms[2];
static socklen_t length;
static atomic_int done;

static void* flip(void* unused) {
    (void)unused;
    for (unsigned i = 0; !atomic_load_explicit(&done, memory_order_relaxed); ++i) {
        memcpy(&shared, &forms[i & 1], length);
        atomic_signal_fence(memory_order_seq_cst);
        for (volatile unsigned wait = rand() & 63; wait; --wait) {}
    }
    return NULL;
}

static struct sockaddr_in inet_address(const char* ip, const char* port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    if (inet_pton(AF_INET, ip, &address.sin_addr) != 1)
        exit(98);
    return address;
}

int main(int argc, char** argv) {
    if (argc != 8)
        return 99;
    const int by_family = !strcmp(argv[1], "family");
    const long tries = atol(argv[2]);
    struct sockaddr_in allowed = inet_address(argv[3], argv[4]);
    forms[0].in = allowed;
    forms[1].in = inet_address(argv[5], argv[6]);
    length = sizeof(struct sockaddr_in);
    if (by_family) {
        memset(&forms[1], 0, sizeof forms[1]);
        forms[1].un.sun_family = AF_UNIX;
        strncpy(forms[1].un.sun_path, argv[7], sizeof forms[1].un.sun_path - 1);
        length = sizeof(struct sockaddr_un);
    }
    memcpy(&shared, &forms[0], length); // never all zeros: connect(2) to AF_UNSPEC succeeds and goes nowhere
    pthread_t thread;
    if (pthread_create(&thread, NULL, flip, NULL))
        return 97;

    long successes = 0, strange = 0, errors[200] = {0};
    for (long i = 0; i < tries; ++i) {
        int sock = socket(by_family && (i & 1) ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
        if (sock < 0)
            return 96;
        if (connect(sock, &shared.generic, length) == 0) {
            struct sockaddr_in peer = {0};
            socklen_t size = sizeof peer;
            ++successes;
            if (getpeername(sock, (struct sockaddr*)&peer, &size) && errno == ENOTCONN)
                ; // the peer has closed it already: not a stranger, and the far end counts it
            else if (peer.sin_family != AF_INET || peer.sin_addr.s_addr != allowed.sin_addr.s_addr || peer.sin_port != allowed.sin_port)
                ++strange;
        } else {
            ++errors[errno < 200 ? errno : 199];
        }
        close(sock);
    }
    atomic_store(&done, 1);
    pthread_join(thread, NULL);
    printf("{\"successes\": %ld, \"strange\": %ld, \"errors\": {", successes, strange);
    const char* comma = "";
    for (int i = 0; i < 200; ++i)
        if (errors[i]) {
            printf("%s\"%s\": %ld", comma, strerrorname_np(i), errors[i]);
            comma = ", ";
        }
    puts("}}");
    return 0;
}
