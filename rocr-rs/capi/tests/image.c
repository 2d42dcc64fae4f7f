/* Images and samplers: prints what an HSA runtime answers and what it puts in descriptors, so that two can be compared; and
 * with an argument what becomes of the elements. Handles and addresses are left out. Sizes of opaque images are each
 * library's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hsa/hsa_ext_image.h>
#include "agents.h"

#define STATUS(call) printf("%s: %#x\n", #call, call)
#define OPAQUE HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE
#define LINEAR HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR
#define RW HSA_ACCESS_PERMISSION_RW

static hsa_amd_memory_pool_t vram;

static void words(const char *what, hsa_status_t status, uint64_t handle, int count, const void *data, bool buffer) {
  printf("  %s: %#x", what, status);
  if (status == HSA_STATUS_SUCCESS) {
    const uint32_t *word = (const uint32_t *)handle;
    uint64_t va = (uint64_t)data;
    for (int i = 0; i < count; i++) {
      uint32_t shown = word[i];
      if (data != NULL && i == 0) shown -= buffer ? (uint32_t)va : (uint32_t)(va >> 8);
      if (data != NULL && i == 1) shown ^= buffer ? (uint32_t)(va >> 32) & 0xffff : (uint32_t)(va >> 40) & 0xff;
      printf(" %08x", shown);
    }
  }
  printf("\n");
}

static void formats(char *data) {
  static const char *names[] = {"1D", "2D", "3D", "1D array", "2D array", "1D buffer", "2D depth", "2D depth array"};
  for (int geometry = 0; geometry < 8; geometry++) {
    for (uint32_t type = 0; type < 16; type++) {
      printf("%s, type %u:", names[geometry], type);
      for (uint32_t order = 0; order < 20; order++) {
        hsa_ext_image_format_t format = {type, order};
        uint32_t mask = 99, again = 98;
        hsa_status_t status = hsa_ext_image_get_capability(gpu, geometry, &format, &mask);
        hsa_ext_image_get_capability_with_layout(gpu, geometry, &format, LINEAR, &again);
        printf(" %x:%u:%u", status, mask, again);
      }
      printf("\n");
      for (uint32_t order = 0; order < 20; order++) {
        hsa_ext_image_format_t format = {type, order};
        uint32_t mask = 0;
        hsa_ext_image_get_capability(gpu, geometry, &format, &mask);
        if (mask == 0) continue;
        size_t height = geometry == 0 || geometry == 3 || geometry == 5 ? 0 : 37;
        size_t depth = geometry == 2 ? 5 : 0, layers = geometry == 3 || geometry == 4 || geometry == 7 ? 3 : 0;
        hsa_ext_image_descriptor_t descriptor = {geometry, 100, height, depth, layers, format};
        for (int access = 1; access < 4; access++) {
          hsa_ext_image_t image = {0};
          size_t row = 2048;
          if (access == 3) row += 256;
          hsa_status_t status = hsa_ext_image_create_with_layout(gpu, &descriptor, data, access, LINEAR, row, 0, &image);
          words(access == 1 ? "read" : access == 2 ? "write" : "both", status, image.handle, 12, data, geometry == 5);
          if (status == HSA_STATUS_SUCCESS) hsa_ext_image_destroy(gpu, image);
          hsa_ext_image_data_info_t info = {7, 7};
          status = hsa_ext_image_data_get_info_with_layout(gpu, &descriptor, access, LINEAR, row, 0, &info);
          printf("  data: %#x %zu %zu\n", status, info.size, info.alignment);
        }
      }
    }
  }
}

static void samplers(void) {
  for (int coordinates = 0; coordinates < 2; coordinates++)
    for (int filter = 0; filter < 2; filter++)
      for (int addressing = 0; addressing < 5; addressing++) {
        hsa_ext_sampler_descriptor_t descriptor = {coordinates, filter, addressing};
        hsa_ext_sampler_t sampler = {0};
        hsa_status_t status = hsa_ext_sampler_create(gpu, &descriptor, &sampler);
        words("sampler", status, sampler.handle, 8, NULL, false);
        hsa_ext_sampler_destroy(gpu, sampler);
      }
}

static void wrong_arguments(char *data) {
  hsa_agent_t none = {0};
  hsa_ext_image_t image = {0}, other = {0}, no_image = {0};
  hsa_ext_sampler_t sampler, no_sampler = {0};
  hsa_ext_image_data_info_t info;
  uint32_t mask;
  hsa_ext_image_format_t format = {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}, bad = {4, 8};
  hsa_ext_image_descriptor_t good = {1, 64, 64, 0, 0, format}, of_bad = {1, 64, 64, 0, 0, bad}, long_one = {1, 20000, 64, 0, 0, format};
  STATUS(hsa_ext_image_get_capability(none, 1, &format, &mask));
  STATUS(hsa_ext_image_get_capability(gpu, 1, NULL, &mask));
  STATUS(hsa_ext_image_get_capability(gpu, 1, &format, NULL));
  STATUS(hsa_ext_image_get_capability(cpu, 1, &format, &mask));
  printf("%u\n", mask);
  STATUS(hsa_ext_image_data_get_info(none, &good, RW, &info));
  STATUS(hsa_ext_image_data_get_info(gpu, NULL, RW, &info));
  STATUS(hsa_ext_image_data_get_info(gpu, &good, RW, NULL));
  STATUS(hsa_ext_image_data_get_info(gpu, &of_bad, RW, &info));
  STATUS(hsa_ext_image_data_get_info(gpu, &long_one, RW, &info));
  STATUS(hsa_ext_image_data_get_info(gpu, &good, 0, &info));
  STATUS(hsa_ext_image_data_get_info(cpu, &good, RW, &info));
  STATUS(hsa_ext_image_data_get_info_with_layout(gpu, &good, RW, LINEAR, 2048, 100, &info));
  STATUS(hsa_ext_image_data_get_info_with_layout(gpu, &good, RW, LINEAR, 2048, 2048 * 64, &info));
  STATUS(hsa_ext_image_data_get_info_with_layout(gpu, &good, RW, 5, 0, 0, &info));
  STATUS(hsa_ext_image_data_get_info_with_layout(gpu, &good, RW, OPAQUE, 1024, 0, &info));
  STATUS(hsa_ext_image_create(none, &good, data, RW, &image));
  STATUS(hsa_ext_image_create(gpu, NULL, data, RW, &image));
  STATUS(hsa_ext_image_create(gpu, &good, NULL, RW, &image));
  STATUS(hsa_ext_image_create(gpu, &good, data, RW, NULL));
  STATUS(hsa_ext_image_create(gpu, &of_bad, data, RW, &image));
  STATUS(hsa_ext_image_create(gpu, &long_one, data, RW, &image));
  STATUS(hsa_ext_image_create(gpu, &good, data + 100, RW, &image));
  hsa_ext_image_descriptor_t bytes = {1, 64, 64, 0, 0, {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 8}};
  STATUS(hsa_ext_image_create_with_layout(gpu, &good, data, RW, LINEAR, 1024, 0, &image));
  STATUS(hsa_ext_image_create_with_layout(gpu, &bytes, data + 65536, RW, LINEAR, 256, 0, &other));
  hsa_ext_image_region_t region = {{0, 0, 0}, {64, 64, 1}};
  hsa_dim3_t at = {0, 0, 0}, range = {64, 16, 1};
  float colour[4] = {1, 2, 3, 4};
  STATUS(hsa_ext_image_clear(none, image, colour, &region));
  STATUS(hsa_ext_image_clear(gpu, no_image, colour, &region));
  STATUS(hsa_ext_image_clear(gpu, image, NULL, &region));
  STATUS(hsa_ext_image_clear(gpu, image, colour, NULL));
  STATUS(hsa_ext_image_import(none, data, 0, 0, image, &region));
  STATUS(hsa_ext_image_import(gpu, NULL, 0, 0, image, &region));
  STATUS(hsa_ext_image_import(gpu, data, 0, 0, no_image, &region));
  STATUS(hsa_ext_image_import(gpu, data, 0, 0, image, NULL));
  STATUS(hsa_ext_image_export(gpu, image, NULL, 0, 0, &region));
  STATUS(hsa_ext_image_export(gpu, no_image, data, 0, 0, &region));
  STATUS(hsa_ext_image_export(gpu, image, data, 0, 0, NULL));
  STATUS(hsa_ext_image_copy(gpu, image, NULL, other, &at, &range));
  STATUS(hsa_ext_image_copy(gpu, image, &at, no_image, &at, &range));
  STATUS(hsa_ext_image_copy(gpu, image, &at, other, &at, NULL));
  STATUS(hsa_ext_image_copy(gpu, image, &at, other, &at, &range));
  STATUS(hsa_ext_image_destroy(none, image));
  STATUS(hsa_ext_image_destroy(gpu, image));
  STATUS(hsa_ext_image_destroy(gpu, other));
  STATUS(hsa_ext_image_destroy(gpu, no_image));
  hsa_ext_sampler_descriptor_t descriptor = {1, 0, 1};
  STATUS(hsa_ext_sampler_create(none, &descriptor, &sampler));
  STATUS(hsa_ext_sampler_create(gpu, NULL, &sampler));
  STATUS(hsa_ext_sampler_create(gpu, &descriptor, NULL));
  STATUS(hsa_ext_sampler_destroy(gpu, no_sampler));
}

/* What elements become: of each geometry and some formats, in and out, from image to image, and cleared. */
static void elements(char *data) {
  static const hsa_ext_image_format_t formats[] = {{15, 8}, {2, 8}, {2, 9}, {9, 3}, {12, 5}, {14, 0}, {13, 1}, {0, 10}, {6, 6}, {7, 6}, {1, 8}};
  static const size_t bytes[] = {16, 4, 4, 4, 4, 2, 4, 4, 2, 4, 8};
  static const float floats[4] = {0.25f, -0.5f, 2.0f, 0.75f};
  static const int32_t integers[4] = {5, -70000, 300, 77};
  unsigned char *in, *out;
  hsa_amd_memory_pool_allocate(vram, 1 << 20, 0, (void **)&in);
  hsa_amd_memory_pool_allocate(vram, 1 << 20, 0, (void **)&out);
  unsigned char *host = malloc(1 << 20), *seen = malloc(1 << 20);
  for (int i = 0; i < 1 << 20; i++) host[i] = i * 7 + i / 256;
  for (int geometry = 0; geometry < 6; geometry++)
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
      bool one = geometry == 0 || geometry == 3 || geometry == 5;
      hsa_ext_image_descriptor_t descriptor = {geometry, 61, one ? 0 : 13, geometry == 2 ? 5 : 0, geometry > 2 && geometry < 5 ? 5 : 0, formats[f]};
      uint32_t mask = 0;
      hsa_ext_image_get_capability(gpu, geometry, &formats[f], &mask);
      if (mask != 7) continue;
      uint32_t rows = geometry == 3 ? 5 : one ? 1 : 13, layers = geometry == 2 || geometry == 4 ? 5 : 1;
      hsa_ext_image_t image, other;
      hsa_ext_image_create(gpu, &descriptor, data, RW, &image);
      hsa_ext_image_create(gpu, &descriptor, data + (4 << 20), RW, &other);
      size_t row = 61 * bytes[f], all = row * rows * layers;
      hsa_memory_copy(in, host, 1 << 20);
      hsa_memory_copy(out, host + 5, (1 << 20) - 5);
      hsa_ext_image_region_t whole = {{0, 0, 0}, {61, rows, layers}};
      hsa_ext_image_region_t part = {{3, rows > 1, layers > 1}, {50, rows > 1 ? rows - 2 : 1, layers > 1 ? layers - 1 : 1}};
      hsa_status_t status = hsa_ext_image_import(gpu, in, 0, 0, image, &whole);
      printf("geometry %d, format %u: import %#x", geometry, f, status);
      status = hsa_ext_image_import(gpu, in, 0, 0, other, &whole);
      status |= hsa_ext_image_export(gpu, image, out, 0, 0, &whole);
      hsa_memory_copy(seen, out, 1 << 20);
      printf(", export %#x, same %d, no more %d", status, memcmp(seen, host, all) == 0, memcmp(seen + all, host + 5 + all, 1000) == 0);
      hsa_dim3_t to = {part.offset.x + 1, part.offset.y, part.offset.z};
      status = hsa_ext_image_copy(gpu, image, (hsa_dim3_t *)&part.offset, other, &to, (hsa_dim3_t *)&part.range);
      status |= hsa_ext_image_export(gpu, other, out, 0, 0, &whole);
      hsa_memory_copy(seen, out, 1 << 20);
      unsigned sum = 0;
      for (size_t i = 0; i < all; i++) sum = sum * 31 + seen[i];
      printf(", copy %#x %08x", status, sum);
      bool whole_numbers = formats[f].channel_type >= 8 && formats[f].channel_type <= 13;
      status = hsa_ext_image_clear(gpu, other, whole_numbers ? (const void *)integers : floats, &part);
      status |= hsa_ext_image_export(gpu, other, out, 0, 0, &whole);
      hsa_memory_copy(seen, out, 1 << 20);
      for (size_t i = sum = 0; i < all; i++) sum = sum * 31 + seen[i];
      printf(", clear %#x %08x:", status, sum);
      size_t first = (part.offset.z * rows + part.offset.y) * row + 3 * bytes[f];
      for (size_t i = 0; i < bytes[f]; i++) printf("%02x", seen[first + i]);
      printf("\n");
      hsa_ext_image_destroy(gpu, image);
      hsa_ext_image_destroy(gpu, other);
    }
}

int main(int argc, char **argv) {
  (void)argv;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (hsa_init() != HSA_STATUS_SUCCESS) return 3;
  find_agents();
  vram = pool_of(gpu);
  char *data = NULL;
  hsa_amd_memory_pool_allocate(vram, 16 << 20, 0, (void **)&data);
  if (argc > 1) {
    elements(data);
  } else {
    formats(data);
    samplers();
    wrong_arguments(data);
  }
  hsa_amd_memory_pool_free(data);
  STATUS(hsa_shut_down());
  return 0;
}
