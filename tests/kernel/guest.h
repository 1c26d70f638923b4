/* SPDX-License-Identifier: MIT */
/* What the guest's modes share: init.c has it, load.c uses it. */
#ifndef STAMPEDE_TESTS_KERNEL_GUEST_H
#define STAMPEDE_TESTS_KERNEL_GUEST_H

#include <stddef.h>
#include <stdint.h>

#define TRACING "/sys/kernel/tracing/"

/* To the host, on the second serial line. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void send_bytes(const char *bytes, size_t count);

/* Says what failed and why, and powers off. */
void die(const char *what);

uint64_t now_ns(void);
void put(const char *path, const char *text);

/* As much of a file as fits; its bytes. */
size_t load(const char *path, char *text, size_t most);

/* A word of the kernel's command line, stampede_NAME=VALUE. */
const char *setting(const char *name, const char *otherwise);

/* load.c: a module, and the programs that use it. */
void load_run(void);

#endif
