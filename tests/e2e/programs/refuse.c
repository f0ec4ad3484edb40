// Plays a kernel or a container that refuses system calls: refuse NUMBER:ERRNO[:ARGUMENT:=|&:VALUE]… -- COMMAND…
// Each call of that number fails with the errno, where a condition is given only if the argument (its low 32 bits)
// equals the value, or shares a bit with it.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sock_filter program[256];
static unsigned short length;

static void add(struct sock_filter instruction) { program[length++] = instruction; }

int main(int argc, char** argv) {
    int i = 1;
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    for (; i < argc && strcmp(argv[i], "--") != 0 && length < 240; ++i) {
        unsigned number, error, argument, value;
        char test = 0;
        const int read = sscanf(argv[i], "%u:%u:%u:%c:%u", &number, &error, &argument, &test, &value);
        if (read != 2 && read != 5) return 2;
        const unsigned char rest = read == 5 ? 3 : 1;
        add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
        add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, rest));
        if (read == 5) {
            add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument));
            add((struct sock_filter)BPF_JUMP(BPF_JMP | (test == '&' ? BPF_JSET : BPF_JEQ) | BPF_K, value, 0, 1));
        }
        add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
    }
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog filter = {length, program};
    if (i + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
        perror("refuse");
        return 2;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 2;
}
