// SPDX-License-Identifier: MIT
#include "plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plots/output.h"

extern char **environ;

/* Returns 0, or an errno. */
static int spawn(const char *dir, const char *script, const char *format, int out, int err,
		 pid_t *pid)
{
	char format_option[32], name[64];
	/* -d: whatever a user has in ~/.gnuplot, the picture is the same. */
	char *argv[] = { "gnuplot", "-d", "-e", "to_stdout = 1", "-e", format_option, name, NULL };
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	snprintf(format_option, sizeof(format_option), "format = '%s'", format);
	snprintf(name, sizeof(name), "%s", script);
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addchdir_np(&actions, dir);
	if (!error)
		error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* All that was written to a memory file, '\0' behind it; NULL if out of memory. */
static char *take(int fd, size_t *size)
{
	struct stat st;
	char *data;
	ssize_t got = 1;

	*size = 0;
	if (fstat(fd, &st) || !(data = malloc((size_t)st.st_size + 1)))
		return NULL;
	while (got > 0 && *size < (size_t)st.st_size) {
		got = pread(fd, data + *size, (size_t)st.st_size - *size, (off_t)*size);
		*size += got > 0 ? (size_t)got : 0;
	}
	data[*size] = '\0';
	return data;
}

/* gnuplot exits 0 on many of its troubles: what counts is that the picture has its end. */
static int is_whole(const struct picture *picture, const char *format)
{
	static const char svg_end[] = "</svg>";
	/* Length 0, the name, and the CRC that follows from it. */
	static const char png_end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
	size_t size = picture->size;

	if (!strcmp(format, "png"))
		return size > 12 && !memcmp(picture->data, "\x89PNG", 4) &&
		       !memcmp(picture->data + size - 12, png_end, 12);
	while (size && strchr(" \n", picture->data[size - 1]))
		size--;
	return size > 6 && strstr(picture->data, "<svg") &&
	       !memcmp(picture->data + size - 6, svg_end, 6);
}

/* The line of gnuplot's complaint that says what is wrong: the last one, after the place. */
static const char *complaint(char *text)
{
	char *line, *save = NULL, *last = NULL;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (strspn(line, " \t^") < strlen(line))
			last = line + strspn(line, " \t");
	return last ? last : "no complaint, but no whole picture either";
}

static int wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

static int run(const char *dir, const char *script, const char *format, int out, int err,
	       struct picture *picture)
{
	int error, status;
	size_t size;
	char *said;
	pid_t pid;

	error = spawn(dir, script, format, out, err, &pid);
	if (error == ENOENT)
		return PLOTS_UNSUPPORTED;
	if (!error)
		error = wait_for(pid, &status);
	if (error)
		return output_fail(PLOTS_RESOURCE, "cannot run gnuplot: %s; data and scripts are "
				   "in %s", strerror(error), dir);
	/* The other way that POSIX has to say that there is no such program. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return PLOTS_UNSUPPORTED;
	picture->data = take(out, &picture->size);
	said = take(err, &size);
	error = picture->data && said ? PLOTS_FINE : output_fail_memory();
	if (!error && WIFSIGNALED(status))
		error = output_fail(PLOTS_HARNESS, "gnuplot was ended by signal %d drawing %s/%s",
				    WTERMSIG(status), dir, script);
	else if (!error && (WEXITSTATUS(status) || !is_whole(picture, format)))
		error = output_fail(PLOTS_HARNESS, "gnuplot cannot draw %s/%s as %s: %s", dir,
				    script, format, complaint(said));
	free(said);
	if (error) {
		free(picture->data);
		picture->data = NULL;
	}
	return error;
}

int gnuplot_draw(const char *dir, const char *script, const char *format, struct picture *picture)
{
	/* Files in memory rather than pipes: nobody has to read both at once. */
	int out = memfd_create("gnuplot-out", MFD_CLOEXEC);
	int err = memfd_create("gnuplot-err", MFD_CLOEXEC);
	int status;

	*picture = (struct picture){ NULL, 0 };
	if (out < 0 || err < 0)
		status = output_fail(PLOTS_RESOURCE, "cannot run gnuplot: %s; close some files",
				     strerror(errno));
	else
		status = run(dir, script, format, out, err, picture);
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	return status;
}
