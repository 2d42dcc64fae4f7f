/* The code object of hsa.c: an empty kernel, and with -DBYTES=n as much data beside it. */
__attribute__((amdgpu_kernel, visibility("default"))) void empty(void) {}

#ifdef BYTES
#define TEXT(x) #x
#define FILL(bytes) ".fill " TEXT(bytes) ", 1, 0x5a\n"
asm(".section .rodata\n.globl ballast\n.type ballast, @object\nballast:\n" FILL(BYTES) ".size ballast, . - ballast\n.text\n");
#endif
