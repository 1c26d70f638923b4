// SPDX-License-Identifier: MIT
/*
 * A module under its program: /stampede.ko is loaded, each line of /commands is run with what it
 * prints sent to the host. These are commands, too:
 *
 *   load [MODULE [PARAMETERS]]   unload
 *   kill MS PROGRAM ...   SIGKILL after so long
 *   term MS PROGRAM ...   SIGTERM
 *   busy MS PROGRAM ...   while it runs, the module is asked to go so long, and has to stay
 *   memory   KiB free, and of vmalloc in use
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/guest.h"

#define MODULE "stampede"
#define KLOG_READ_ALL 3
#define WORDS_MAX 64

static char text[1 << 18];

static void module_load(const char *path, const char *parameters)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0 || syscall(SYS_finit_module, file, parameters, 0))
		die(path);
	close(file);
	say("loaded\n");
}

static void module_unload(void)
{
	unsigned int tries;

	/* Whoever was killed may not have let go of it yet. */
	for (tries = 0; syscall(SYS_delete_module, MODULE, O_NONBLOCK); tries++) {
		if (errno != EWOULDBLOCK || tries == 500)
			die("delete_module");
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	say("unloaded after %u tries\n", tries);
}

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l }, NULL);
}

static unsigned int module_users(void)
{
	char count[16];

	count[load("/sys/module/" MODULE "/refcnt", count, sizeof(count) - 1)] = 0;
	return (unsigned int)atoi(count);
}

/* From the time on that somebody uses it. */
static void module_is_busy(int ms)
{
	unsigned int refused = 0, tries;

	for (tries = 0; !module_users() && tries < 5000; tries++)
		sleep_ms(1);
	for (; ms > 0; ms -= 5, refused++) {
		if (!syscall(SYS_delete_module, MODULE, O_NONBLOCK) || errno != EWOULDBLOCK)
			die("the module was in use, and went all the same");
		sleep_ms(5);
	}
	say("refused %u times to go\n", refused);
}

/* What a number of /proc/meminfo is. */
static long meminfo(const char *name)
{
	const char *at;

	text[load("/proc/meminfo", text, sizeof(text) - 1)] = 0;
	at = strstr(text, name);
	return at ? atol(at + strlen(name)) : -1;
}

/* What a program prints goes to the host as it is; `how` and `ms`: what is done to it. */
static void program_run(char *const *words, const char *how, int ms)
{
	int line[2], status;
	char bytes[4096];
	ssize_t got;
	pid_t child;

	if (pipe(line))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		dup2(line[1], STDOUT_FILENO);
		dup2(line[1], STDERR_FILENO);
		close(line[0]);
		close(line[1]);
		execv(words[0], words);
		_exit(127);
	}
	close(line[1]);
	if (!strcmp(how, "busy")) {
		module_is_busy(ms);
	} else if (*how) {
		sleep_ms(ms);
		kill(child, !strcmp(how, "kill") ? SIGKILL : SIGTERM);
	}
	while ((got = read(line[0], bytes, sizeof(bytes))) > 0)
		send_bytes(bytes, (size_t)got);
	close(line[0]);
	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	if (WIFSIGNALED(status))
		say("status signal %d\n", WTERMSIG(status));
	else
		say("status %d\n", WEXITSTATUS(status));
}

static void command_run(char *command)
{
	char *words[WORDS_MAX + 1];
	int count = 0;

	for (char *word = strtok(command, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	if (!count)
		return;
	if (!strcmp(words[0], "load")) {
		module_load(count > 1 ? words[1] : "/" MODULE ".ko", count > 2 ? words[2] : "");
	} else if (!strcmp(words[0], "unload")) {
		module_unload();
	} else if (!strcmp(words[0], "memory")) {
		say("memory %ld free %ld vmalloc\n", meminfo("MemFree:"), meminfo("VmallocUsed:"));
	} else if (count > 2 && (!strcmp(words[0], "kill") || !strcmp(words[0], "term") ||
				 !strcmp(words[0], "busy"))) {
		program_run(words + 2, words[0], atoi(words[1]));
	} else {
		program_run(words, "", 0);
	}
}

/* Lines of the kernel's own that say that something is wrong. */
static void send_log(void)
{
	int used = klogctl(KLOG_READ_ALL, text, sizeof(text) - 1);

	if (used < 0)
		die("klogctl");
	text[used] = 0;
	say("log %d\n", used);
	send_bytes(text, (size_t)used);
	say("\n");
}

void load_run(void)
{
	static char commands[1 << 14];
	char *at = commands, *end;

	commands[load("/commands", commands, sizeof(commands) - 1)] = 0;
	for (; *at; at = end + 1) {
		end = strchr(at, '\n');
		if (!end)
			break;
		*end = 0;
		say("command %s\n", at);
		command_run(at);
	}
	send_log();
}
