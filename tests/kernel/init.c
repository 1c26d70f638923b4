// SPDX-License-Identifier: MIT
/*
 * The guest's only program: /init, static, for a kernel under qemu; what follows is for an
 * unmodified one (load.c: a module in one).
 *
 * Buffer A (the top instance) records the entry of every interrupt, and markers that a loop writes
 * without end: "m N T", T the time (CLOCK_MONOTONIC, ns) just before the write. Buffer B (an
 * instance of its own, same clock) records entry and exit of every interrupt. The host makes an
 * interrupt on the first serial line, the console; after the key that follows a BREAK, the loop
 * stops and sends both buffers as text on the second serial line.
 *
 * Its options are environment: the kernel hands on NAME=VALUE words of its command line, lengths in
 * bytes, times in ns. A failure prints a line on both serial lines and powers the guest off.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/guest.h"
#include "tests/kernel/judge.h"

#define OTHER TRACING "instances/other/"
#define TASKS_MAX 2000 /* idle children; more would not fit into 256 MiB */
#define KERNEL_TASKS 50 /* that a cloud kernel lists without any of ours, roughly */
#define MARKERS_AFTER 4 /* so that the marker of interest is complete and followed */

static int console, data;

static void power_off(void)
{
	tcdrain(data);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

void send_bytes(const char *bytes, size_t count)
{
	ssize_t wrote;

	for (; count; bytes += wrote, count -= (size_t)wrote) {
		wrote = write(data, bytes, count);
		if (wrote <= 0)
			power_off();
	}
}

void say(const char *format, ...)
{
	char text[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	send_bytes(text, length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

void die(const char *what)
{
	say("failed %s: %s\n", what, strerror(errno));
	power_off();
}

uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_TRUNC);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(file);
}

const char *setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value ? value : otherwise;
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
	console = open_line("/dev/ttyS0");
	if (data < 0 || console < 0)
		power_off();
	if (mount("proc", "/proc", "proc", 0, NULL))
		die("mount /proc");
	if (mount("sys", "/sys", "sysfs", 0, NULL))
		die("mount /sys");
	if (mount("tracing", TRACING, "tracefs", 0, NULL) && errno != EBUSY)
		die("mount tracefs");
}

size_t load(const char *path, char *text, size_t most)
{
	size_t used = 0;
	ssize_t got = 0;
	int file = open(path, O_RDONLY);

	if (file < 0)
		die(path);
	while (used < most && (got = read(file, text + used, most - used)) > 0)
		used += (size_t)got;
	if (got < 0)
		die(path);
	close(file);
	return used;
}

/* "file NAME BYTES", then the bytes. */
static void send_file(const char *name, const char *path)
{
	static char text[1 << 14];
	size_t used = load(path, text, sizeof(text));

	say("file %s %zu\n", name, used);
	send_bytes(text, used);
}

/* The function and the symbol behind it: where a debugger has to look, and how far. */
static void send_symbols(const char *wanted)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address, begin = 0, end = 0;
	char type, name[256], found[256] = "";

	if (!file)
		die("/proc/kallsyms");
	while (fscanf(file, "%llx %c %255s%*[^\n]", &address, &type, name) == 3)
		if (strchr("tT", type) && !strncmp(name, wanted, strlen(wanted)) &&
		    strchr(".", name[strlen(wanted)]) && !strstr(name, ".cold")) {
			begin = address;
			strcpy(found, name);
		}
	rewind(file);
	while (fscanf(file, "%llx %c %255s%*[^\n]", &address, &type, name) == 3)
		if (strchr("tT", type) && address > begin && (!end || address < end))
			end = address;
	fclose(file);
	say("symbol %s %llx %llx\n", *found ? found : wanted, begin, end);
}

static void add_tasks(int count)
{
	static int tasks;

	for (; count > 0 && tasks < TASKS_MAX; count--, tasks++) {
		int child = fork();

		if (child < 0)
			die("fork");
		if (!child)
			for (;;)
				pause();
	}
	say("tasks %d\n", tasks);
}

/*
 * The list of tasks is what the long interrupt prints. How long that takes depends on the machine
 * that emulates, so print it once, in task context, and add as many tasks as are missing.
 */
static void make_handler_long(double wanted_ns)
{
	uint64_t begin;
	double took;

	begin = now_ns();
	put("/proc/sysrq-trigger", "t");
	took = (double)(now_ns() - begin);
	say("listing_ns %.0f\n", took);
	if (took < wanted_ns)
		add_tasks((int)((wanted_ns - took) / took * KERNEL_TASKS) + 1);
}

static void set_up_tracing(void)
{
	const char *clock = setting("stampede_clock", "mono");
	const char *kilobytes = setting("stampede_buffer_kb", "64");

	put(TRACING "tracing_on", "0");
	if (mkdir(OTHER, 0755))
		die(OTHER);
	put(OTHER "tracing_on", "0");
	put(TRACING "trace_clock", clock);
	put(OTHER "trace_clock", clock);
	put(TRACING "buffer_size_kb", kilobytes);
	put(OTHER "buffer_size_kb", "64");
	put(TRACING "events/irq/irq_handler_entry/enable", "1");
	put(OTHER "events/irq/irq_handler_entry/enable", "1");
	put(OTHER "events/irq/irq_handler_exit/enable", "1");
	send_file("header_page", TRACING "events/header_page");
	send_file("header_event", TRACING "events/header_event");
	send_file("print", TRACING "events/ftrace/print/format");
	send_file("irq_handler_entry", TRACING "events/irq/irq_handler_entry/format");
	send_file("irq_handler_exit", TRACING "events/irq/irq_handler_exit/format");
	send_file("sys_enter", TRACING "events/raw_syscalls/sys_enter/format");
	send_file("trace_clock", TRACING "trace_clock");
}

static void tracing(bool on)
{
	put(TRACING "tracing_on", on ? "1" : "0");
	put(OTHER "tracing_on", on ? "1" : "0");
}

/* Keys taken on the console so far, BREAKs not counted. */
static unsigned int keys_taken(void)
{
	struct serial_icounter_struct count;

	if (ioctl(console, TIOCGICOUNT, &count))
		die("TIOCGICOUNT");
	return (unsigned int)(count.rx - count.brk);
}

/*
 * Markers until the keys have been taken, and a few more. With `bytes` all have that length, so
 * that all pages are filled alike.
 */
static void write_markers(int marker, size_t bytes)
{
	unsigned int last = keys_taken() + (unsigned int)atoi(setting("stampede_keys", "1"));
	unsigned int after = 0;
	char text[1024];
	size_t length;
	uint64_t n;

	say("ready\n");
	for (n = 1; after < MARKERS_AFTER; n++) {
		length = (size_t)snprintf(text, sizeof(text), "m %llu %llu ", (unsigned long long)n,
					  (unsigned long long)now_ns());
		if (length < bytes && bytes < sizeof(text)) {
			memset(text + length, '.', bytes - length);
			length = bytes;
		}
		if (write(marker, text, length) != (ssize_t)length)
			die("trace_marker");
		if (after || keys_taken() >= last)
			after++;
	}
}

static struct pages pages_a, pages_b;
static struct decoded decoded_a, decoded_b;
static struct judgement judgement;
static char trace_text[1 << 20];
static size_t trace_bytes;

/* Takes out all sub-buffers of a per-CPU file. */
static void take_pages(struct pages *pages, const char *path)
{
	int file = open(path, O_RDONLY | O_NONBLOCK);
	ssize_t got;

	if (file < 0)
		die(path);
	pages->count = 0;
	while (pages->count < JUDGE_PAGES_MAX &&
	       (got = read(file, pages->data[pages->count], JUDGE_PAGE_BYTES)) > 0) {
		uint32_t bytes = judge_page_bytes(pages->data[pages->count], (size_t)got);

		if (!bytes)
			die("trace_pipe_raw: not a sub-buffer");
		pages->bytes[pages->count++] = bytes;
	}
	close(file);
}

/* The text does not consume; the pages do. */
static void take_buffers(void)
{
	trace_bytes = load(TRACING "trace", trace_text, sizeof(trace_text));
	take_pages(&pages_a, TRACING "per_cpu/cpu0/trace_pipe_raw");
	take_pages(&pages_b, OTHER "per_cpu/cpu0/trace_pipe_raw");
}

/* "page WHICH BYTES", then a line of hexadecimal digits, for each sub-buffer. */
static void send_pages(const char *which, const struct pages *pages)
{
	static const char digits[] = "0123456789abcdef";
	static char text[2 * JUDGE_PAGE_BYTES + 1];
	unsigned int page, i;

	for (page = 0; page < pages->count; page++) {
		for (i = 0; i < pages->bytes[page]; i++) {
			text[2 * i] = digits[pages->data[page][i] >> 4];
			text[2 * i + 1] = digits[pages->data[page][i] & 15];
		}
		text[2 * i] = '\n';
		say("page %s %u\n", which, i);
		send_bytes(text, 2 * i + 1);
	}
}

static void send_buffers(void)
{
	say("file trace %zu\n", trace_bytes);
	send_bytes(trace_text, trace_bytes);
	send_pages("A", &pages_a);
	send_pages("B", &pages_b);
}

static void marker_run(void)
{
	int marker = open(TRACING "trace_marker", O_WRONLY);

	if (marker < 0)
		die("trace_marker");
	tracing(true);
	write_markers(marker, (size_t)atoi(setting("stampede_marker_bytes", "0")));
	tracing(false);
	take_buffers();
	send_buffers();
}

static uint16_t event_id(const char *path)
{
	char text[32];

	text[load(path, text, sizeof(text) - 1)] = 0;
	return (uint16_t)atoi(text);
}

static bool times_are_wrong(void)
{
	struct event_ids ids = { event_id(TRACING "events/irq/irq_handler_entry/id"),
				 event_id(TRACING "events/irq/irq_handler_exit/id") };

	if (!judge_decode(&pages_a, &decoded_a) || !judge_decode(&pages_b, &decoded_b))
		die("decoding");
	judge(&decoded_a, &decoded_b, &ids, &judgement);
	return judgement.first.kind;
}

/* One request: system calls without rest until a key has been taken. */
static void syscalls_until_key(unsigned int keys)
{
	unsigned int n;

	do {
		for (n = 0; n < 16; n++)
			syscall(SYS_getppid, (long)n, (long)now_ns());
	} while (keys_taken() == keys);
	for (n = 0; n < MARKERS_AFTER; n++)
		syscall(SYS_getppid, (long)n, (long)now_ns());
}

/* Nobody chooses a moment: requests until one hits the boundary, or the host has enough. */
static void random_run(void)
{
	unsigned int request, keys = keys_taken();

	put(TRACING "events/raw_syscalls/sys_enter/enable", "1");
	for (request = 1;; request++) {
		bool hit;

		put(TRACING "trace", "");
		put(OTHER "trace", "");
		tracing(true);
		say("ready\n");
		syscalls_until_key(keys);
		tracing(false);
		keys = keys_taken();
		take_buffers();
		hit = times_are_wrong();
		say("request %u %s\n", request, hit ? "hit" : "miss");
		if (hit)
			break;
	}
	send_buffers();
}

int main(void)
{
	struct utsname name;

	mount_all();
	uname(&name);
	say("stampede 1\nrelease %s\nversion %s\n", name.release, name.version);
	if (!strcmp(setting("stampede_run", "markers"), "load")) {
		load_run();
		say("end\n");
		power_off();
	}
	/* Booted quietly: now SysRq's listings shall be printed. */
	put("/proc/sys/kernel/printk", "7");
	put("/sys/class/tty/ttyS0/rx_trig_bytes", "1");
	send_symbols("__rb_reserve_next");
	set_up_tracing();
	if (!strcmp(setting("stampede_run", "markers"), "random")) {
		random_run();
	} else {
		double wanted = atof(setting("stampede_handler_ms", "0")) * 1e6;

		if (wanted > 0)
			make_handler_long(wanted);
		marker_run();
	}
	say("end\n");
	power_off();
}
