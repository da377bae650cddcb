// Stacks of their own for emulated threads: a thread that waits leaves its stack as it is,
// and the machine takes up another. Switching saves the registers that a function must
// keep, and no more; where there is no assembly for the processor, ucontext does it, some
// thirty times slower, because it makes a system call.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#if !defined(MMAFFT_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define MMAFFT_UCONTEXT 1
#endif
#ifdef MMAFFT_UCONTEXT
#include <ucontext.h>
#endif

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace mmafft {
namespace host {

#ifdef MMAFFT_UCONTEXT

struct Context {
  ucontext_t registers;
};

static inline void switch_context(Context &from, Context &to) {
  swapcontext(&from.registers, &to.registers);
}

static inline void start_context(Context &context, char *stack, size_t bytes, void (*entry)()) {
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = stack;
  context.registers.uc_stack.ss_size = bytes;
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, entry, 0);
}

#else

// Pushes what a callee must keep, stores the stack pointer in *from, takes `to` for it and
// pops. The symbol is local to the object: each emulator has its own.
extern "C" void mmafft_switch_stack(void **from, void *to) __asm__("mmafft_switch_stack");

#if defined(__x86_64__)
__asm__(R"(
.text
.p2align 4
mmafft_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
// Words from the stack pointer on: six registers, the address to return to, and one more
// word, by which the stack is aligned as after a call.
enum { SAVED_WORDS = 8, ENTRY_WORD = 6 };
#else
__asm__(R"(
.text
.p2align 4
mmafft_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
)");
// Words from the stack pointer on; x30 is where `ret` goes.
enum { SAVED_WORDS = 20, ENTRY_WORD = 11 };
#endif

struct Context {
  void *stack_pointer = nullptr;
};

static inline void switch_context(Context &from, Context &to) {
  mmafft_switch_stack(&from.stack_pointer, to.stack_pointer);
}

// The first switch to the context enters `entry`, which must not return.
static inline void start_context(Context &context, char *stack, size_t bytes, void (*entry)()) {
  uintptr_t top = (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t(15);
  uintptr_t *words = reinterpret_cast<uintptr_t *>(top) - SAVED_WORDS;
  for (int i = 0; i < SAVED_WORDS; i++) words[i] = 0;
  words[ENTRY_WORD] = reinterpret_cast<uintptr_t>(entry);
  context.stack_pointer = words;
}

#endif

// The stacks of one operating system thread, mapped when first needed and kept for later
// blocks and launches. Below each lies a page that cannot be written, so that a kernel with
// too many values on its stack stops at once.
class Stacks {
 public:
  enum { BYTES = 256 << 10 };

  // Null where the system gives no more memory.
  char *get(size_t index) {
    while (stacks.size() <= index) {
      void *mapped = mmap(nullptr, BYTES + page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (mapped == MAP_FAILED) return nullptr;
      // Not vital: without the guard, only the diagnosis of an overflow is lost.
      (void)mprotect(mapped, page, PROT_NONE);
      stacks.push_back(static_cast<char *>(mapped) + page);
    }
    return stacks[index];
  }

  ~Stacks() {
    for (char *stack : stacks) munmap(stack - page, BYTES + page);
  }

 private:
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  std::vector<char *> stacks;
};

}  // namespace host
}  // namespace mmafft
