// getpid by the 32-bit entry of the kernel. Ends with 0 only when the kernel really answered it; a filter on x86-64 call
// numbers alone would let it pass.
#include <unistd.h>

int main(void) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    return result == getpid() ? 0 : 1;
}
