// SPDX-License-Identifier: MIT
/*
 * The guest's only program: /init, static, for an unmodified kernel under qemu. It runs each line
 * of /commands, and sends to the host, on the second serial line, what a command prints. These are
 * commands, too:
 *
 *   load [MODULE [PARAMETERS]]   unload
 *   kill MS PROGRAM ...   SIGKILL after so long
 *   term MS PROGRAM ...   SIGTERM
 *   busy MS PROGRAM ...   while it runs, the module is asked to go so long, and has to stay
 *   memory   KiB free, and of vmalloc in use
 *
 * A failure prints a line there and powers the guest off.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define MODULE "stampede"
#define KLOG_READ_ALL 3
#define WORDS_MAX 64

static int data; /* the second serial line */
static char text[1 << 18];

static void power_off(void)
{
	tcdrain(data);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void send_bytes(const char *bytes, size_t count)
{
	ssize_t wrote;

	for (; count; bytes += wrote, count -= (size_t)wrote) {
		wrote = write(data, bytes, count);
		if (wrote <= 0)
			power_off();
	}
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	send_bytes(line, length < (int)sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

static void die(const char *what)
{
	say("failed %s: %s\n", what, strerror(errno));
	power_off();
}

static int open_line(const char *path)
{
	struct termios mode;
	int line = open(path, O_RDWR | O_NOCTTY);

	if (line < 0)
		return -1;
	tcgetattr(line, &mode);
	cfmakeraw(&mode);
	tcsetattr(line, TCSANOW, &mode);
	return line;
}

static void mount_all(void)
{
	mkdir("/dev", 0755);
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	/* The kernel may have mounted it already. */
	if (mount("dev", "/dev", "devtmpfs", 0, NULL) && errno != EBUSY)
		power_off();
	data = open_line("/dev/ttyS1");
	if (data < 0)
		power_off();
	if (mount("proc", "/proc", "proc", 0, NULL))
		die("mount /proc");
	if (mount("sys", "/sys", "sysfs", 0, NULL))
		die("mount /sys");
}

static size_t load(const char *path, char *into, size_t most)
{
	size_t used = 0;
	ssize_t got = 0;
	int file = open(path, O_RDONLY);

	if (file < 0)
		die(path);
	while (used < most && (got = read(file, into + used, most - used)) > 0)
		used += (size_t)got;
	if (got < 0)
		die(path);
	close(file);
	return used;
}

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

static void run_commands(void)
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

int main(void)
{
	struct utsname name;

	mount_all();
	uname(&name);
	say("stampede 1\nrelease %s\nversion %s\n", name.release, name.version);
	run_commands();
	say("end\n");
	power_off();
}
