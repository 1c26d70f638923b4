// SPDX-License-Identifier: MIT
/* An explored row may keep nothing outside of what a snapshot has: see guard.h. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "explore/engine/guard.h"

#define ELF_PART(type) ElfW(type)

/* What the harness, its loader and its linker keep there, all of it set for each schedule or never.
 */
static const char *const known[] = {
	"virtual_clock",	 "points",
	"mask_blocked",		 "restart_rseq",
	"seam_constant_step",	 "seam_constant_base",
	"seam_constant_subbufs", "seam_constant_header_bytes",
	"seam_constant_mode",	 "completed.0",
	"restart_epoch",	 NULL,
};

/* Sections that can be written to until the object is loaded, and hold no state of a writer. */
static const char *const loading[] = {
	".data.rel.ro",	 ".dynamic",
	".got",		 ".init_array",
	".fini_array",	 ".tm_clone_table",
	"rseq_sections", "rewind_sections",
	"foreign_",	 NULL,
};

struct object {
	const uint8_t *bytes;
	size_t size;
	const ELF_PART(Shdr) * sections;
	unsigned int count;
	const char *names; /* of sections */
};

static bool begins_with_one(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(name, *list, strlen(*list)))
			return true;
	return false;
}

static bool is_one(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

/* A thread's own, or what can be written to and is none of the above. */
static bool is_state(const struct object *object, const ELF_PART(Sym) * symbol, const char *name)
{
	const ELF_PART(Shdr) * section;

	if (!symbol->st_size || symbol->st_shndx >= object->count)
		return false;
	section = &object->sections[symbol->st_shndx];
	if (section->sh_flags & SHF_TLS)
		return true;
	return section->sh_flags & SHF_WRITE &&
	       !begins_with_one(object->names + section->sh_name, loading) && !is_one(name, known);
}

/* NULL, or the name of what it keeps. */
static const char *state_of(const struct object *object)
{
	const ELF_PART(Shdr) * table;
	const ELF_PART(Sym) * symbol;
	const char *names;
	unsigned int i;
	size_t n;

	for (i = 0; i < object->count; i++) {
		table = &object->sections[i];
		if (table->sh_type != SHT_SYMTAB)
			continue;
		symbol = (const void *)(object->bytes + table->sh_offset);
		names = (const char *)object->bytes + object->sections[table->sh_link].sh_offset;
		for (n = table->sh_size / sizeof(*symbol); n--; symbol++)
			if (is_state(object, symbol, names + symbol->st_name))
				return names + symbol->st_name;
		return NULL;
	}
	return "no table of symbols"; /* stripped: it cannot be told */
}

static int check(const char *path, const struct object *object)
{
	const char *state = state_of(object);

	if (!state)
		return 0;
	fail_line("%s keeps state outside of the scheme's struct, where no snapshot "
		  "has it: %s; put it into the struct",
		  path, state);
	return -ENOTSUP;
}

int object_check(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	const ELF_PART(Ehdr) * header;
	struct object object = { .bytes = MAP_FAILED };
	struct stat stat;

	if (fd >= 0 && !fstat(fd, &stat)) {
		object.size = (size_t)stat.st_size;
		object.bytes = mmap(NULL, object.size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	if (object.bytes == MAP_FAILED) {
		fail_line("cannot read %s: %s", path, strerror(error));
		return -EIO;
	}
	header = (const void *)object.bytes;
	/* Loading a file that ends too early would be a bus error. */
	if (object.size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    object.size < header->e_shoff + (size_t)header->e_shnum * header->e_shentsize) {
		fail_line("%s is not a whole object: remove the file, and make it again", path);
		munmap((void *)(uintptr_t)object.bytes, object.size);
		return -ENOEXEC;
	}
	object.sections = (const void *)(object.bytes + header->e_shoff);
	object.count = header->e_shnum;
	object.names = (const char *)object.bytes + object.sections[header->e_shstrndx].sh_offset;
	error = check(path, &object);
	munmap((void *)(uintptr_t)object.bytes, object.size);
	return error;
}
