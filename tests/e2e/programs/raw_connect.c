// Connects to ADDRESS PORT with raw system calls and no C library; exits with the errno of connect(2).
static long call3(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static unsigned number(const char** text) {
    unsigned value = 0;
    while (**text >= '0' && **text <= '9')
        value = value * 10 + (unsigned)(*(*text)++ - '0');
    if (**text == '.')
        ++*text;
    return value;
}

struct address {
    unsigned short family;
    unsigned char port[2], ip[4], zero[8];
};

void run(long* stack) {
    char** argv = (char**)(stack + 1);
    long status = 99;
    if (stack[0] == 3) {
        struct address to = {.family = 2};
        const char* ip = argv[1];
        const char* port_text = argv[2];
        for (int i = 0; i < 4; ++i)
            to.ip[i] = (unsigned char)number(&ip);
        unsigned port = number(&port_text);
        to.port[0] = (unsigned char)(port >> 8);
        to.port[1] = (unsigned char)port;
        long sock = call3(41, 2, 1, 0);                 // socket
        status = -call3(42, sock, (long)&to, sizeof to); // connect
    }
    call3(231, status, 0, 0); // exit_group
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call run\n");
