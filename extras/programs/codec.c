// SPDX-License-Identifier: MIT
/* A program to build with -finstrument-functions: stb_image's PNG and JPEG, there and back. */
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

enum { SIDE = 256, BYTES = SIDE * SIDE * 3 };
static unsigned char image[BYTES], file[4 * BYTES];
static int file_bytes;

static void keep(void *to, void *data, int size)
{
	(void)to;
	if (file_bytes + size > (int)sizeof(file))
		abort();
	memcpy(file + file_bytes, data, size);
	file_bytes += size;
}

static void read_back(void)
{
	int wide, high, colors;
	unsigned char *read = stbi_load_from_memory(file, file_bytes, &wide, &high, &colors, 3);

	if (!read || wide != SIDE || high != SIDE)
		abort();
	stbi_image_free(read);
	file_bytes = 0;
}

int main(int argc, char **argv)
{
	int i, rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (i = 0; i < BYTES; i++)
		image[i] = (unsigned char)(i / 3 % SIDE * (i / 3 / SIDE) / 64 +
					   i * 2654435761u / (1 << 28));
	for (i = 0; i < rounds; i++) {
		if (!stbi_write_png_to_func(keep, NULL, SIDE, SIDE, 3, image, 3 * SIDE))
			abort();
		read_back();
		if (!stbi_write_jpg_to_func(keep, NULL, SIDE, SIDE, 3, image, 90))
			abort();
		read_back();
	}
	return 0;
}
