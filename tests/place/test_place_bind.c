// SPDX-License-Identifier: MIT
/*
 * The rest of runner/place/place.h, on this machine: pinning (read back without hwloc), memory, and
 * the topology for the record.
 */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "runner/place/place.h"
#include "tests/support/made_up.h"
#include "tests/support/scratch.h"

#define SMT_MACHINE "package:2 core:4 pu:2"

static char scratch[] = "/tmp/test_place_bind.XXXXXX";
static cpu_set_t original_affinity;

static const char *in_scratch(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", scratch, name);
	return path[turn];
}

static char *read_whole(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "re");
	size_t bytes;

	assert_non_null(file);
	bytes = fread(text, 1, sizeof(text) - 1, file);
	text[bytes] = '\0';
	fclose(file);
	return text;
}

/*
 * The binder.
 */

static int restore_affinity(void **unused)
{
	unsetenv("HWLOC_SYNTHETIC");
	return sched_setaffinity(0, sizeof(original_affinity), &original_affinity);
}

/* The allowed CPUs of this process, without hwloc: returns how many, the numbers in `cpus`. */
static int own_cpus(int cpus[CPU_SETSIZE])
{
	int cpu, count = 0;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &original_affinity))
			cpus[count++] = cpu;
	return count;
}

static void set_affinity(int first, int second)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(first, &set);
	CPU_SET(second, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void assert_bound_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(cpu, &set));
	assert_int_equal(sched_getcpu(), cpu);
}

static void binds_to_each_allowed_cpu(void **unused)
{
	int cpus[CPU_SETSIZE], count = own_cpus(cpus), i;
	struct place place;

	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_int_equal(hwloc_bitmap_weight(place.allowed), count);
	for (i = count - 1; i >= 0; i--) {
		assert_int_equal(place_bind_self(&place, (unsigned)cpus[i]), EXIT_FINE);
		assert_bound_to(cpus[i]);
		assert_int_equal(place_verify_self(&place, (unsigned)cpus[i]), EXIT_FINE);
	}
	place_close(&place);
}

static void a_moved_thread_is_noticed(void **unused)
{
	int cpus[CPU_SETSIZE];
	int status;
	struct place place;

	if (own_cpus(cpus) < 2) {
		print_message("skipped: one CPU, nowhere to move to\n");
		skip();
	}
	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_int_equal(place_bind_self(&place, (unsigned)cpus[0]), EXIT_FINE);
	set_affinity(cpus[1], cpus[1]);
	assert_fails(place_verify_self(&place, (unsigned)cpus[0]), EXIT_RESOURCE,
		     "what it measured is void");
	/* Back on its CPU, but free to leave it. */
	set_affinity(cpus[0], cpus[0]);
	set_affinity(cpus[0], cpus[1]);
	listen_to_stderr();
	status = place_verify_self(&place, (unsigned)cpus[0]);
	what_was_said();
	assert_int_equal(status, EXIT_RESOURCE);
	place_close(&place);
}

static void other_cpus_are_refused(void **unused)
{
	static const unsigned absent = 60000;
	struct place place;

	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_fails(place_bind_self(&place, absent), EXIT_RESOURCE,
		     "cannot pin to CPU 60000: the allowed CPUs are");
	/* A CPU that went away after the topology was read: the system refuses. */
	hwloc_bitmap_set(place.allowed, absent);
	assert_fails(place_bind_self(&place, absent), EXIT_RESOURCE, "cannot pin to CPU 60000: ");
	place_close(&place);
}

static void an_affinity_mask_is_respected(void **unused)
{
	int cpus[CPU_SETSIZE], last;
	char expected[16];
	struct place_plan plan;
	struct place place;

	last = cpus[own_cpus(cpus) - 1];
	set_affinity(last, last);
	assert_int_equal(place_open(&place), EXIT_FINE);
	snprintf(expected, sizeof(expected), "%d", last);
	assert_string_equal(place_allowed_text(&place), expected);
	assert_int_equal(place_plan(&place, NULL, 1, &plan), EXIT_FINE);
	assert_int_equal(plan.pu[0], last);
	place_plan_free(&plan);
	assert_fails(place_plan(&place, NULL, 2, &plan), EXIT_RESOURCE, "only 1 are allowed");
	place_close(&place);
}

static void opening_does_not_move_the_caller(void **unused)
{
	int cpus[CPU_SETSIZE], i;
	struct place place;

	for (i = own_cpus(cpus) - 1; i >= 0; i--) {
		set_affinity(cpus[i], cpus[i]);
		assert_int_equal(place_open(&place), EXIT_FINE);
		assert_bound_to(cpus[i]);
		place_close(&place);
	}
}

static void acting_on_another_machine_is_refused(struct place *place)
{
	assert_fails(place_bind_self(place, 0), EXIT_RESOURCE,
		     "cannot pin to CPU 0: the topology is not this system's");
	assert_fails(place_verify_self(place, 0), EXIT_RESOURCE,
		     "the topology is not this system's");
}

static void binder_refuses_other_machines(void **unused)
{
	struct place place;

	assert_int_equal(open_made_up(&place, SMT_MACHINE), EXIT_FINE);
	acting_on_another_machine_is_refused(&place);
	place_close(&place);
	setenv("HWLOC_SYNTHETIC", SMT_MACHINE, 1);
	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_int_equal(hwloc_bitmap_weight(place.allowed), 16);
	acting_on_another_machine_is_refused(&place);
	place_close(&place);
}

/*
 * The record.
 */

/* As the record of a run has it. */
static int place_export_xml(struct place *place, const char *path)
{
	return file_put(AT_FDCWD, path, place_write_xml, place) ? EXIT_USAGE : EXIT_FINE;
}

static void assert_anonymous(const char *xml)
{
	static const char *const traits[] = {
		"HostName", "ProcessName", "LinuxCgroup", "DMI", "Serial", "S3CRET",
	};
	char host[65];
	size_t i;

	for (i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		if (strstr(xml, traits[i]))
			fail_msg("%s is in the XML", traits[i]);
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	/* A short name may be a word of the XML: look for it as a value. */
	if (strlen(host)) {
		char value[80];

		snprintf(value, sizeof(value), "value=\"%s\"", host);
		assert_null(strstr(xml, value));
	}
}

static void identifying_infos_are_dropped(void **unused)
{
	const char *path = in_scratch("synthetic.xml");
	struct place place;
	hwloc_obj_t root;
	const char *xml;

	assert_int_equal(open_made_up(&place, "package:1 core:2 pu:2"), EXIT_FINE);
	root = hwloc_get_root_obj(place.topology);
	hwloc_obj_add_info(root, "HostName", "vault");
	hwloc_obj_add_info(root, "ProcessName", "stampede");
	hwloc_obj_add_info(root, "LinuxCgroup", "/user/jane");
	hwloc_obj_add_info(root, "DMIProductSerial", "a>b\"/><info name=\"CPUModel\" S3CRET");
	hwloc_obj_add_info(root, "DMIChassisAssetTag", "S3CRET");
	hwloc_obj_add_info(root, "CPU", "S3CRET");
	hwloc_obj_add_info(hwloc_get_obj_by_type(place.topology, HWLOC_OBJ_NUMANODE, 0),
			   "DMIMemorySerial", "S3CRET");
	hwloc_obj_add_info(hwloc_get_obj_by_type(place.topology, HWLOC_OBJ_PU, 3), "DMITag",
			   "S3CRET");
	hwloc_obj_add_info(root, "OSRelease", "6.1.0");
	hwloc_obj_add_info(hwloc_get_obj_by_type(place.topology, HWLOC_OBJ_PACKAGE, 0), "CPUModel",
			   "Model <T> 9000");
	assert_int_equal(place_export_xml(&place, path), EXIT_FINE);
	xml = read_whole(path);
	assert_anonymous(xml);
	assert_null(strstr(xml, "jane"));
	assert_non_null(strstr(xml, "<info name=\"OSRelease\" value=\"6.1.0\"/>\n"));
	assert_non_null(strstr(xml, "Model &lt;T&gt; 9000"));
	/* Exporting takes nothing from the topology in use. */
	assert_string_equal(hwloc_obj_get_info_by_name(root, "HostName"), "vault");
	place_close(&place);
}

static void xml_opens_again_and_binds(void **unused)
{
	const char *path = in_scratch("topology.xml");
	int cpus[CPU_SETSIZE], count = own_cpus(cpus), i;
	struct place place, again;

	assert_int_equal(place_open(&place), EXIT_FINE);
	assert_int_equal(place_export_xml(&place, path), EXIT_FINE);
	assert_anonymous(read_whole(path));
	assert_int_equal(place_open_xml(&again, path), EXIT_FINE);
	assert_string_equal(place_allowed_text(&again), place_allowed_text(&place));
	assert_int_equal(hwloc_get_nbobjs_by_type(again.topology, HWLOC_OBJ_PU),
			 hwloc_get_nbobjs_by_type(place.topology, HWLOC_OBJ_PU));
	for (i = count - 1; i >= 0; i--) {
		assert_int_equal(place_bind_self(&again, (unsigned)cpus[i]), EXIT_FINE);
		assert_bound_to(cpus[i]);
	}
	place_close(&again);
	/* Bound to the first CPU by now: the file cannot widen that. */
	assert_int_equal(place_open_xml(&again, path), EXIT_FINE);
	assert_int_equal(hwloc_bitmap_weight(again.allowed), 1);
	place_close(&again);
	place_close(&place);
}

static void wrong_xml_is_refused(void **unused)
{
	static const char *const garbage[] = { "", "not XML\n", "<topology version=\"2.0\">" };
	const char *path = in_scratch("wrong.xml");
	int status;
	struct place place;
	size_t i;

	listen_to_stderr();
	status = place_open_xml(&place, in_scratch("absent.xml"));
	assert_non_null(strstr(what_was_said(), "stampede: cannot "));
	assert_int_equal(status, EXIT_USAGE);
	for (i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		FILE *file = fopen(path, "we");

		assert_non_null(file);
		fputs(garbage[i], file);
		fclose(file);
		listen_to_stderr();
		status = place_open_xml(&place, path);
		assert_non_null(strstr(what_was_said(), "wrong.xml"));
		assert_int_equal(status, EXIT_USAGE);
		assert_null(place.topology);
	}
}

static void xml_of_another_machine_is_refused(void **unused)
{
	const char *path = in_scratch("other.xml");
	struct place place;
	int cpus[CPU_SETSIZE];

	if (own_cpus(cpus) < 2) {
		print_message("skipped: no machine has fewer CPUs than this one\n");
		skip();
	}
	assert_int_equal(open_made_up(&place, "package:1 core:1 pu:1"), EXIT_FINE);
	assert_int_equal(place_export_xml(&place, path), EXIT_FINE);
	place_close(&place);
	assert_fails(place_open_xml(&place, path), EXIT_USAGE, "is of another machine");
}

/* In a child whose files may have 100 bytes, as on a full disk. */
static int export_without_space(struct place *place, const char *path)
{
	struct rlimit small = { 100, 100 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &small))
		return 1;
	return place_export_xml(place, path) == EXIT_USAGE ? 0 : 2;
}

static void a_failed_export_keeps_the_old_file(void **unused)
{
	const char *path = in_scratch("kept.xml");
	int status;
	struct place place;
	char *old;
	glob_t leftovers;
	int child_status;
	pid_t child;

	assert_int_equal(open_made_up(&place, SMT_MACHINE), EXIT_FINE);
	status = place_export_xml(&place, in_scratch("no/such/directory.xml"));
	assert_int_equal(status, EXIT_USAGE);
	assert_int_equal(place_export_xml(&place, path), EXIT_FINE);
	old = strdup(read_whole(path));
	child = fork();
	if (!child)
		_exit(export_without_space(&place, path));
	assert_int_equal(waitpid(child, &child_status, 0), child);
	assert_int_equal(child_status, 0);
	assert_string_equal(read_whole(path), old);
	free(old);
	assert_int_equal(glob(in_scratch("*.tmp*"), 0, NULL, &leftovers), GLOB_NOMATCH);
	place_close(&place);
}

static int set_up(void **unused)
{
	return sched_getaffinity(0, sizeof(original_affinity), &original_affinity) ||
	       !mkdtemp(scratch);
}

static int tear_down(void **unused)
{
	glob_t files;
	size_t i;

	if (!glob(in_scratch("*"), 0, NULL, &files)) {
		for (i = 0; i < files.gl_pathc; i++)
			unlink(files.gl_pathv[i]);
		globfree(&files);
	}
	return rmdir(scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(binds_to_each_allowed_cpu, restore_affinity),
		cmocka_unit_test_teardown(a_moved_thread_is_noticed, restore_affinity),
		cmocka_unit_test_teardown(other_cpus_are_refused, restore_affinity),
		cmocka_unit_test_teardown(an_affinity_mask_is_respected, restore_affinity),
		cmocka_unit_test_teardown(opening_does_not_move_the_caller, restore_affinity),
		cmocka_unit_test_teardown(binder_refuses_other_machines, restore_affinity),
		cmocka_unit_test(identifying_infos_are_dropped),
		cmocka_unit_test_teardown(xml_opens_again_and_binds, restore_affinity),
		cmocka_unit_test(wrong_xml_is_refused),
		cmocka_unit_test(xml_of_another_machine_is_refused),
		cmocka_unit_test(a_failed_export_keeps_the_old_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
