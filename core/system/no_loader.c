/* Static programs load nothing. SQLite names dlopen(3) for its extensions, which are not used; with a static C library's own the
   linker warns that it would look for shared libraries. This one stands in its place (ld(1): --wrap) and refuses. */
#include <stddef.h>

void* __wrap_dlopen(const char* path, int mode);

void* __wrap_dlopen(const char* path, int mode) {
    (void)path, (void)mode;
    return NULL;
}
