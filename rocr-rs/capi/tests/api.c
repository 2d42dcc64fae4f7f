/* Every function of HSA that the other programs here do not call, with right and wrong arguments, and a code object given
 * as the first argument loaded both ways: prints what an HSA runtime answers, so that two can be compared. Handles and
 * addresses are left out. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agents.h"
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

static sigjmp_buf before;
static volatile sig_atomic_t armed;

static void crashed(int number) {
  if (!armed) _exit(100 + number);
  siglongjmp(before, 1);
}

/* A runtime that crashes of a wrong argument is still asked the rest. */
#define STATUS(call) \
  do { \
    armed = 1; \
    if (sigsetjmp(before, 1) == 0) \
      printf("%s: %#x\n", #call, (unsigned)(call)); \
    else \
      printf("%s: crashed\n", #call); \
    armed = 0; \
  } while (0)
#define VALUE(call) printf("%s: %ld\n", #call, (long)(call))
#define AFTER(call, value) (call, printf("%s: %ld\n", #call, (long)(value)))

static hsa_agent_t no_agent;
static hsa_amd_memory_pool_t host, vram, no_pool;
static hsa_signal_t no_signal;
static hsa_executable_t no_executable;
static char buffer[1 << 20], text[256];
static size_t size;

static void signals(void) {
  hsa_signal_t signal;
  hsa_signal_create(100, 0, NULL, &signal);
  AFTER(hsa_signal_add_relaxed(signal, 2), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_add_scacquire(signal, 3), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_add_acquire(signal, 4), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_add_screlease(signal, 5), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_add_release(signal, 6), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_add_scacq_screl(signal, 7), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_add_acq_rel(signal, 8), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_relaxed(signal, 2), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_scacquire(signal, 3), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_acquire(signal, 4), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_screlease(signal, 5), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_release(signal, 6), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_scacq_screl(signal, 7), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_subtract_acq_rel(signal, 8), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_relaxed(signal, 127), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_scacquire(signal, 126), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_acquire(signal, 125), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_screlease(signal, 124), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_release(signal, 123), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_scacq_screl(signal, 122), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_and_acq_rel(signal, 121), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_relaxed(signal, 1), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_scacquire(signal, 2), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_acquire(signal, 4), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_screlease(signal, 8), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_release(signal, 16), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_scacq_screl(signal, 32), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_or_acq_rel(signal, 64), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_relaxed(signal, 1), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_scacquire(signal, 2), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_acquire(signal, 4), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_screlease(signal, 8), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_release(signal, 16), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_scacq_screl(signal, 32), hsa_signal_load_relaxed(signal));
  AFTER(hsa_signal_xor_acq_rel(signal, 64), hsa_signal_load_relaxed(signal));
  VALUE(hsa_signal_exchange_relaxed(signal, 1000));
  VALUE(hsa_signal_exchange_scacquire(signal, 1001));
  VALUE(hsa_signal_exchange_acquire(signal, 1002));
  VALUE(hsa_signal_exchange_screlease(signal, 1003));
  VALUE(hsa_signal_exchange_release(signal, 1004));
  VALUE(hsa_signal_exchange_scacq_screl(signal, 1005));
  VALUE(hsa_signal_exchange_acq_rel(signal, 1006));
  VALUE(hsa_signal_cas_relaxed(signal, 1006, 1007));
  VALUE(hsa_signal_cas_relaxed(signal, 3, 4));
  VALUE(hsa_signal_cas_scacquire(signal, 1007, 1008));
  VALUE(hsa_signal_cas_scacquire(signal, 3, 4));
  VALUE(hsa_signal_cas_acquire(signal, 1008, 1009));
  VALUE(hsa_signal_cas_acquire(signal, 3, 4));
  VALUE(hsa_signal_cas_screlease(signal, 1009, 1010));
  VALUE(hsa_signal_cas_screlease(signal, 3, 4));
  VALUE(hsa_signal_cas_release(signal, 1010, 1011));
  VALUE(hsa_signal_cas_release(signal, 3, 4));
  VALUE(hsa_signal_cas_scacq_screl(signal, 1011, 1012));
  VALUE(hsa_signal_cas_scacq_screl(signal, 3, 4));
  VALUE(hsa_signal_cas_acq_rel(signal, 1012, 1013));
  VALUE(hsa_signal_cas_acq_rel(signal, 3, 4));
  AFTER(hsa_signal_silent_store_relaxed(signal, 7), hsa_signal_load_scacquire(signal));
  AFTER(hsa_signal_silent_store_screlease(signal, 9), hsa_signal_load_scacquire(signal));
  VALUE(hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 9, 1000000000, HSA_WAIT_STATE_BLOCKED));
  VALUE(hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_NE, 9, 1000000, HSA_WAIT_STATE_ACTIVE));
  VALUE(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 9, 1000000000, HSA_WAIT_STATE_BLOCKED));
  VALUE(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_NE, 9, 1000000, HSA_WAIT_STATE_ACTIVE));
  VALUE(hsa_signal_wait_acquire(signal, HSA_SIGNAL_CONDITION_EQ, 9, 1000000000, HSA_WAIT_STATE_BLOCKED));
  VALUE(hsa_signal_wait_acquire(signal, HSA_SIGNAL_CONDITION_NE, 9, 1000000, HSA_WAIT_STATE_ACTIVE));
  hsa_signal_t two[2] = {signal, signal};
  hsa_signal_create(5, 0, NULL, &two[1]);
  hsa_signal_condition_t conditions[2] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT};
  hsa_signal_value_t compares[2] = {1, 6}, value = 99;
  VALUE(hsa_amd_signal_wait_any(2, two, conditions, compares, 1000000000, HSA_WAIT_STATE_BLOCKED, &value));
  VALUE(value);
  compares[1] = 5;
  VALUE((int)hsa_amd_signal_wait_any(2, two, conditions, compares, 1000000, HSA_WAIT_STATE_BLOCKED, &value));
  compares[1] = 6;
  hsa_signal_group_t group;
  hsa_signal_t which = {0};
  STATUS(hsa_signal_group_create(2, two, 1, &cpu, &group));
  STATUS(hsa_signal_group_wait_any_relaxed(group, conditions, compares, HSA_WAIT_STATE_BLOCKED, &which, &value));
  VALUE(which.handle == two[1].handle);
  which.handle = 0;
  STATUS(hsa_signal_group_wait_any_scacquire(group, conditions, compares, HSA_WAIT_STATE_BLOCKED, &which, &value));
  VALUE(which.handle == two[1].handle);
  STATUS(hsa_signal_group_destroy(group));
  hsa_signal_destroy(two[1]);
  hsa_signal_destroy(signal);
}

static void indices(void) {
  hsa_queue_t *queue;
  hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue);
  VALUE(hsa_queue_add_write_index_relaxed(queue, 1));
  VALUE(hsa_queue_add_write_index_scacquire(queue, 2));
  VALUE(hsa_queue_add_write_index_acquire(queue, 3));
  VALUE(hsa_queue_add_write_index_screlease(queue, 4));
  VALUE(hsa_queue_add_write_index_release(queue, 5));
  VALUE(hsa_queue_add_write_index_scacq_screl(queue, 6));
  VALUE(hsa_queue_add_write_index_acq_rel(queue, 7));
  VALUE(hsa_queue_cas_write_index_relaxed(queue, 28, 29));
  VALUE(hsa_queue_cas_write_index_relaxed(queue, 3, 4));
  VALUE(hsa_queue_cas_write_index_scacquire(queue, 29, 30));
  VALUE(hsa_queue_cas_write_index_scacquire(queue, 3, 4));
  VALUE(hsa_queue_cas_write_index_acquire(queue, 30, 31));
  VALUE(hsa_queue_cas_write_index_acquire(queue, 3, 4));
  VALUE(hsa_queue_cas_write_index_screlease(queue, 31, 32));
  VALUE(hsa_queue_cas_write_index_screlease(queue, 3, 4));
  VALUE(hsa_queue_cas_write_index_release(queue, 32, 33));
  VALUE(hsa_queue_cas_write_index_release(queue, 3, 4));
  VALUE(hsa_queue_cas_write_index_scacq_screl(queue, 33, 34));
  VALUE(hsa_queue_cas_write_index_scacq_screl(queue, 3, 4));
  VALUE(hsa_queue_cas_write_index_acq_rel(queue, 34, 35));
  VALUE(hsa_queue_cas_write_index_acq_rel(queue, 3, 4));
  AFTER(hsa_queue_store_write_index_relaxed(queue, 36), hsa_queue_load_write_index_acquire(queue));
  AFTER(hsa_queue_store_write_index_screlease(queue, 37), hsa_queue_load_write_index_acquire(queue));
  AFTER(hsa_queue_store_write_index_release(queue, 38), hsa_queue_load_write_index_acquire(queue));
  VALUE(hsa_queue_load_write_index_relaxed(queue));
  VALUE(hsa_queue_load_read_index_relaxed(queue));
  VALUE(hsa_queue_load_write_index_scacquire(queue));
  VALUE(hsa_queue_load_read_index_scacquire(queue));
  VALUE(hsa_queue_load_write_index_acquire(queue));
  VALUE(hsa_queue_load_read_index_acquire(queue));
  hsa_queue_destroy(queue);
  /* Of the packet processor's queues nobody else writes the read index. */
  hsa_region_t region = {0};
  hsa_signal_t doorbell;
  hsa_signal_create(0, 0, NULL, &doorbell);
  hsa_status_t first(hsa_region_t found, void *data) {
    *(hsa_region_t *)data = found;
    return HSA_STATUS_INFO_BREAK;
  }
  hsa_agent_iterate_regions(cpu, first, &region);
  hsa_soft_queue_create(region, 64, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue);
  AFTER(hsa_queue_store_read_index_relaxed(queue, 3), hsa_queue_load_read_index_acquire(queue));
  AFTER(hsa_queue_store_read_index_screlease(queue, 4), hsa_queue_load_read_index_acquire(queue));
  AFTER(hsa_queue_store_read_index_release(queue, 5), hsa_queue_load_read_index_acquire(queue));
  hsa_queue_destroy(queue);
  hsa_signal_destroy(doorbell);
}

static void freed(void *address, void *data) {
  printf("freed %d\n", address == *(void **)data);
}

static void memory(void) {
  void *page = NULL, *agent_pointer = NULL, *locked = malloc(8192);
  bool can = false;
  STATUS(hsa_amd_memory_pool_allocate(host, 4096, 0, &page));
  STATUS(hsa_memory_assign_agent(page, gpu, HSA_ACCESS_PERMISSION_RW));
  STATUS(hsa_memory_assign_agent(page, no_agent, HSA_ACCESS_PERMISSION_RW));
  STATUS(hsa_memory_assign_agent(NULL, gpu, HSA_ACCESS_PERMISSION_RW));
  STATUS(hsa_memory_assign_agent(page, gpu, 99));
  STATUS(hsa_amd_memory_pool_can_migrate(host, vram, &can));
  STATUS(hsa_amd_memory_pool_can_migrate(host, vram, NULL));
  STATUS(hsa_amd_memory_pool_can_migrate(no_pool, vram, &can));
  STATUS(hsa_amd_memory_migrate(page, vram, 0));
  STATUS(hsa_amd_memory_migrate(NULL, vram, 0));
  STATUS(hsa_amd_memory_migrate(page, no_pool, 0));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 8192, &gpu, 1, host, 0, &agent_pointer));
  VALUE(agent_pointer != NULL);
  STATUS(hsa_amd_memory_unlock(locked));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 8192, &gpu, 1, vram, 0, &agent_pointer));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 8192, &gpu, 1, no_pool, 0, &agent_pointer));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 8192, &gpu, 1, host, 1, &agent_pointer));
  STATUS(hsa_amd_memory_lock_to_pool(NULL, 8192, &gpu, 1, host, 0, &agent_pointer));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 0, &gpu, 1, host, 0, &agent_pointer));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 8192, NULL, 1, host, 0, &agent_pointer));
  STATUS(hsa_amd_memory_lock_to_pool(locked, 8192, &gpu, 1, host, 0, NULL));
  STATUS(hsa_amd_register_deallocation_callback(page, freed, &page));
  STATUS(hsa_amd_register_deallocation_callback(NULL, freed, &page));
  STATUS(hsa_amd_register_deallocation_callback(page, NULL, &page));
  STATUS(hsa_amd_register_deallocation_callback(locked, freed, &page));
  STATUS(hsa_amd_deregister_deallocation_callback(page, freed));
  STATUS(hsa_amd_deregister_deallocation_callback(page, freed));
  STATUS(hsa_amd_deregister_deallocation_callback(NULL, freed));
  STATUS(hsa_amd_deregister_deallocation_callback(page, NULL));
  STATUS(hsa_amd_register_deallocation_callback(page, freed, &page));
  STATUS(hsa_amd_memory_pool_free(page));
  hsa_amd_coherency_type_t type = 99;
  STATUS(hsa_amd_coherency_get_type(gpu, &type));
  STATUS(hsa_amd_coherency_get_type(gpu, NULL));
  STATUS(hsa_amd_coherency_get_type(cpu, &type));
  STATUS(hsa_amd_coherency_get_type(no_agent, &type));
  free(locked);
}

static hsa_status_t give(size_t bytes, hsa_callback_data_t data, void **address) {
  printf("allocate %zu for %ld\n", bytes, (long)data.handle);
  *address = malloc(bytes);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t say_symbol(hsa_code_object_t code, hsa_code_symbol_t symbol, void *data) {
  (void)code;
  (void)data;
  memset(text, 0, sizeof text);
  STATUS(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_NAME, text));
  printf("symbol %s\n", text);
  for (int attribute = 0; attribute < 20; attribute++) {
    if (attribute == HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST) continue;
    memset(text, 0x55, sizeof text);
    hsa_status_t status = hsa_code_symbol_get_info(symbol, attribute, text);
    printf("code symbol attribute %d: %#x %.8s\n", attribute, status, text[0] < 32 ? "" : text);
    unsigned number;
    memcpy(&number, text, 4);
    if (attribute != HSA_CODE_SYMBOL_INFO_NAME) printf("number %#x\n", number);
  }
  return HSA_STATUS_SUCCESS;
}

static void code_objects(void) {
  hsa_code_object_t code = {0}, none = {0}, junk = {0};
  hsa_callback_data_t data = {77};
  void *copy = NULL;
  size_t length = 0;
  STATUS(hsa_code_object_deserialize(buffer, size, NULL, &code));
  STATUS(hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_VERSION, text));
  STATUS(hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_ISA, text));
  STATUS(hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_MACHINE_MODEL, text));
  STATUS(hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_PROFILE, text));
  STATUS(hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, text));
  STATUS(hsa_code_object_get_info(code, 0, NULL));
  STATUS(hsa_code_object_get_info(none, 0, text));
  STATUS(hsa_code_object_serialize(code, give, data, NULL, &copy, &length));
  VALUE(length == size && memcmp(copy, buffer, size) == 0);
  STATUS(hsa_code_object_serialize(code, NULL, data, NULL, &copy, &length));
  STATUS(hsa_code_object_serialize(code, give, data, NULL, NULL, &length));
  STATUS(hsa_code_object_serialize(code, give, data, NULL, &copy, NULL));
  STATUS(hsa_code_object_serialize(none, give, data, NULL, &copy, &length));
  STATUS(hsa_code_object_iterate_symbols(code, say_symbol, NULL));
  STATUS(hsa_code_object_iterate_symbols(code, NULL, NULL));
  STATUS(hsa_code_object_iterate_symbols(none, say_symbol, NULL));
  hsa_code_symbol_t symbol = {0}, again = {0};
  STATUS(hsa_code_object_get_symbol(code, "scale.kd", &symbol));
  STATUS(hsa_code_object_get_symbol_from_name(code, NULL, "scale.kd", &again));
  VALUE(symbol.handle == again.handle);
  STATUS(hsa_code_object_get_symbol_from_name(code, "module", "scale.kd", &again));
  STATUS(hsa_code_object_get_symbol(code, "scale", &symbol));
  STATUS(hsa_code_object_get_symbol(code, "counter", &symbol));
  STATUS(hsa_code_object_get_symbol(code, NULL, &symbol));
  STATUS(hsa_code_object_get_symbol(code, "counter", NULL));
  STATUS(hsa_code_object_get_symbol(none, "counter", &symbol));
  STATUS(hsa_code_object_get_symbol_from_name(code, NULL, NULL, &symbol));
  STATUS(hsa_code_object_get_symbol_from_name(code, NULL, "counter", NULL));
  STATUS(hsa_code_object_get_symbol_from_name(none, NULL, "counter", &symbol));
  symbol.handle = 0;
  STATUS(hsa_code_symbol_get_info(symbol, 0, text));
  hsa_executable_t executable;
  STATUS(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, NULL, &executable));
  STATUS(hsa_executable_create(99, HSA_EXECUTABLE_STATE_UNFROZEN, NULL, &executable));
  STATUS(hsa_executable_create(HSA_PROFILE_FULL, 99, NULL, &executable));
  STATUS(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, NULL, NULL));
  STATUS(hsa_executable_load_code_object(executable, gpu, none, NULL));
  STATUS(hsa_executable_load_code_object(no_executable, gpu, code, NULL));
  STATUS(hsa_executable_load_code_object(executable, gpu, code, NULL));
  STATUS(hsa_executable_freeze(executable, NULL));
  STATUS(hsa_executable_load_code_object(executable, gpu, code, NULL));
  hsa_executable_symbol_t kernel = {0}, same = {0};
  STATUS(hsa_executable_get_symbol(executable, NULL, "scale.kd", gpu, 0, &kernel));
  STATUS(hsa_executable_get_symbol(executable, NULL, "scale.kd", gpu, 0, &same));
  VALUE(kernel.handle == same.handle);
  STATUS(hsa_executable_get_symbol(executable, "module", "scale.kd", gpu, 0, &same));
  STATUS(hsa_executable_get_symbol(executable, NULL, "scale", gpu, 0, &same));
  STATUS(hsa_executable_get_symbol(executable, NULL, NULL, gpu, 0, &same));
  STATUS(hsa_executable_get_symbol(executable, NULL, "scale.kd", gpu, 0, NULL));
  STATUS(hsa_executable_get_symbol(no_executable, NULL, "scale.kd", gpu, 0, &same));
  STATUS(hsa_executable_destroy(executable));
  STATUS(hsa_code_object_destroy(code));
  STATUS(hsa_code_object_destroy(none));
  STATUS(hsa_code_object_deserialize("junk junk junk junk junk junk junk junk junk junk junk junk junk junk", 64, NULL, &junk));
  STATUS(hsa_code_object_iterate_symbols(junk, say_symbol, NULL));
}

/* The debugger's list: how many, how they are linked, what they are called. */
static void say_list(const char *when) {
  int count = 0, linked = 1, named = 1;
  struct link_map *last = NULL;
  /* Looked up, as a debugger does: a program that refers to it has a copy of its own. */
  struct r_debug *debug = dlsym(RTLD_DEFAULT, "_amdgpu_r_debug");
  for (struct link_map *map = debug->r_map; map != NULL; map = map->l_next) {
    count++;
    linked &= map->l_prev == last;
    named &= strncmp(map->l_name, "memory://", 9) == 0 || strncmp(map->l_name, "file://", 7) == 0;
    last = map;
  }
  printf("list %s: %d, linked %d, named %d, state %d, breakpoint %d\n", when, count, linked, named,
         debug->r_state, debug->r_brk != 0);
}

static hsa_executable_t load(hsa_code_object_reader_t reader, int times) {
  hsa_executable_t executable;
  hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable);
  for (int i = 0; i < times; i++)
    STATUS(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
  return executable;
}

static void executables(const char *path) {
  hsa_code_object_reader_t of_memory, of_file, none = {0};
  int file = open(path, O_RDONLY);
  STATUS(hsa_code_object_reader_create_from_file(file, &of_file));
  STATUS(hsa_code_object_reader_create_from_file(file, NULL));
  STATUS(hsa_code_object_reader_create_from_file(-1, &none));
  STATUS(hsa_code_object_reader_create_from_memory(buffer, size, &of_memory));
  say_list("before");
  hsa_executable_t first = load(of_memory, 1), second = load(of_file, 1);
  say_list("loaded");
  uint32_t result = 99;
  STATUS(hsa_executable_validate_alt(first, NULL, &result));
  VALUE(result);
  STATUS(hsa_executable_validate_alt(first, NULL, NULL));
  STATUS(hsa_executable_validate_alt(no_executable, NULL, &result));
  STATUS(hsa_executable_freeze(first, NULL));
  say_list("one frozen");
  STATUS(hsa_executable_freeze(second, NULL));
  say_list("two frozen");
  STATUS(hsa_executable_freeze(second, NULL));
  say_list("two frozen again");
  hsa_executable_symbol_t a = {0}, b = {0};
  STATUS(hsa_executable_get_symbol_by_name(first, "scale.kd", &gpu, &a));
  STATUS(hsa_executable_get_symbol_by_name(first, "scale.kd", &gpu, &b));
  VALUE(a.handle != 0 && a.handle == b.handle);
  STATUS(hsa_executable_get_symbol_by_name(second, "scale.kd", &gpu, &b));
  VALUE(a.handle == b.handle);
  STATUS(hsa_executable_get_symbol_by_name(first, "counter", &gpu, &a));
  STATUS(hsa_executable_get_symbol_by_name(first, "counter", &gpu, &b));
  VALUE(a.handle == b.handle);
  STATUS(hsa_executable_get_symbol_by_name(first, "counter", NULL, &b));
  STATUS(hsa_executable_destroy(first));
  say_list("first destroyed");
  STATUS(hsa_executable_destroy(second));
  say_list("both destroyed");
  first = load(of_memory, 0);
  STATUS(hsa_executable_load_program_code_object(no_executable, of_memory, NULL, NULL));
  STATUS(hsa_executable_load_program_code_object(first, none, NULL, NULL));
  STATUS(hsa_executable_destroy(first));
  STATUS(hsa_code_object_reader_destroy(of_file));
  STATUS(hsa_code_object_reader_destroy(of_memory));
  close(file);
}

static void images(void) {
  uint32_t mask = 99;
  hsa_ext_image_format_t format = {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
  STATUS(hsa_ext_image_get_capability(no_agent, HSA_EXT_IMAGE_GEOMETRY_2D, &format, &mask));
  STATUS(hsa_ext_image_get_capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, NULL, &mask));
  STATUS(hsa_ext_image_get_capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, &format, NULL));
  STATUS(hsa_ext_image_get_capability_with_layout(no_agent, HSA_EXT_IMAGE_GEOMETRY_2D, &format,
                                                  HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, &mask));
  STATUS(hsa_ext_image_get_capability_with_layout(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, NULL,
                                                  HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, &mask));
  STATUS(hsa_ext_image_get_capability_with_layout(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, &format,
                                                  HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, NULL));
  uint64_t most = 0;
  STATUS(hsa_amd_image_get_info_max_dim(gpu, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, &most));
  VALUE(most);
  STATUS(hsa_amd_image_get_info_max_dim(gpu, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, NULL));
  STATUS(hsa_amd_image_get_info_max_dim(no_agent, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, &most));
}

/* Functions that are newer than 5.2.3: looked up, and not asked of a library that does not have them. */
#define NEWER(name, ...) \
  do { \
    hsa_status_t (*function)() = dlsym(RTLD_DEFAULT, name); \
    if (function != NULL) printf("newer %s: %#x\n", name, function(__VA_ARGS__)); \
  } while (0)

static void newer(void) {
  hsa_queue_t *queue;
  hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue);
  uint64_t value = 0;
  NEWER("hsa_amd_queue_get_info", queue, 0, &value);
  NEWER("hsa_amd_queue_get_info", queue, 1, &value);
  NEWER("hsa_amd_queue_get_info", queue, 2, &value);
  NEWER("hsa_amd_queue_get_info", queue, 0, NULL);
  NEWER("hsa_amd_queue_get_info", NULL, 0, &value);
  NEWER("hsa_amd_agent_set_async_scratch_limit", gpu, (size_t)1 << 20);
  NEWER("hsa_amd_agent_set_async_scratch_limit", no_agent, (size_t)1 << 20);
  uint32_t engines = 0;
  NEWER("hsa_amd_memory_copy_engine_status", no_agent, cpu, &engines);
  NEWER("hsa_amd_memory_copy_engine_status", gpu, cpu, NULL);
  NEWER("hsa_amd_memory_get_preferred_copy_engine", no_agent, cpu, &engines);
  NEWER("hsa_amd_memory_get_preferred_copy_engine", gpu, cpu, NULL);
  NEWER("hsa_amd_memory_async_copy_on_engine", NULL, gpu, NULL, cpu, (size_t)8, 0, NULL, no_signal, 1, false);
  hsa_signal_t signal;
  hsa_signal_create(0, 0, NULL, &signal);
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  hsa_signal_value_t compare = 0, seen = 9;
  NEWER("hsa_amd_signal_wait_all", 1, &signal, &condition, &compare, (uint64_t)-1, HSA_WAIT_STATE_BLOCKED, &seen);
  NEWER("hsa_ext_sampler_create_v2", no_agent, &value, &value);
  NEWER("hsa_ext_sampler_create_v2", gpu, NULL, &value);
  hsa_signal_destroy(signal);
  hsa_queue_destroy(queue);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  signal(SIGSEGV, crashed);
  signal(SIGABRT, crashed);
  FILE *file = fopen(argv[1], "r");
  if (argc < 2 || file == NULL) return 1;
  size = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  hsa_init();
  find_agents();
  host = pool_of(cpu);
  vram = pool_of(gpu);
  signals();
  indices();
  memory();
  code_objects();
  executables(argv[1]);
  images();
  newer();
  STATUS(hsa_shut_down());
  return 0;
}
