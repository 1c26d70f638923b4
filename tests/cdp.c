// SPDX-License-Identifier: MIT
#include "tests/cdp.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_SECONDS 30

static const char *browser(void)
{
	static const char *const paths[] = { "/usr/bin/chromium", "/usr/bin/chromium-browser" };
	size_t i;

	for (i = 0; i < 2; i++)
		if (!access(paths[i], X_OK))
			return paths[i];
	return NULL;
}

/* The browser reads its commands from descriptor 3 and answers on 4. */
static void __attribute__((noreturn)) run_browser(int commands, int answers, const char *dir)
{
	char profile[4200];
	int in = fcntl(commands, F_DUPFD, 10), out = fcntl(answers, F_DUPFD, 10);
	int nowhere = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	dup2(nowhere, 0);
	dup2(nowhere, 1);
	dup2(nowhere, 2);
	dup2(in, 3);
	dup2(out, 4);
	snprintf(profile, sizeof(profile), "--user-data-dir=%s", dir);
	execl(browser(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
	      "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
	      "--disable-background-networking", "--disable-component-update",
	      "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
	      "--window-size=1200,900", profile, (char *)NULL);
	_exit(127);
}

static bool send_text(struct cdp *cdp, const char *text)
{
	size_t left = strlen(text) + 1; /* the '\0' ends a message */

	while (left) {
		ssize_t written = write(cdp->to, text, left);

		if (written <= 0)
			return false;
		text += written;
		left -= (size_t)written;
	}
	return true;
}

/* The next message; NULL after `seconds` or the browser's end. */
static json_t *receive(struct cdp *cdp, int seconds)
{
	struct pollfd ready = { .fd = fileno(cdp->from), .events = POLLIN };
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	json_t *message;

	/* Unbuffered by message: what stdio holds back would not wake poll(). */
	if (poll(&ready, 1, seconds * 1000) <= 0)
		return NULL;
	size = getdelim(&text, &room, '\0', cdp->from);
	message = size > 0 ? json_loads(text, 0, NULL) : NULL;
	free(text);
	return message;
}

json_t *cdp_call(struct cdp *cdp, const char *method, json_t *params)
{
	int id = ++cdp->next_id;
	json_t *message = json_pack("{s:i, s:s}", "id", id, "method", method), *result = NULL;
	char *text;
	bool sent;

	json_object_set_new(message, "params", params ? params : json_object());
	if (cdp->session[0])
		json_object_set_new(message, "sessionId", json_string(cdp->session));
	text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	sent = text && send_text(cdp, text);
	free(text);
	while (sent && (message = receive(cdp, ANSWER_SECONDS))) {
		if (json_integer_value(json_object_get(message, "id")) == id) {
			result = json_incref(json_object_get(message, "result"));
			json_decref(message);
			break;
		}
		json_array_append_new(cdp->events, message);
	}
	return result;
}

bool cdp_await(struct cdp *cdp, const char *event, int seconds)
{
	json_t *message;
	const char *its;
	size_t i;

	json_array_foreach(cdp->events, i, message)
		if ((its = json_string_value(json_object_get(message, "method"))) &&
		    !strcmp(its, event))
			return true;
	while ((message = receive(cdp, seconds))) {
		json_array_append_new(cdp->events, message);
		its = json_string_value(json_object_get(message, "method"));
		if (its && !strcmp(its, event))
			return true;
	}
	return false;
}

json_t *cdp_value(struct cdp *cdp, const char *expression)
{
	json_t *result = cdp_call(cdp, "Runtime.evaluate",
				  json_pack("{s:s, s:b}", "expression", expression,
					    "returnByValue", 1));
	json_t *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));

	if (json_object_get(result, "exceptionDetails")) {
		fprintf(stderr, "the page threw at: %s\n", expression);
		json_decref(value);
		value = NULL;
	}
	json_decref(result);
	return value;
}

static void decode_base64(FILE *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int group = 0, bits = 0;
	const char *digit;

	for (; *text && *text != '='; text++) {
		digit = strchr(digits, *text);
		if (!digit)
			continue;
		group = group << 6 | (unsigned int)(digit - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			fputc(group >> bits & 255, out);
		}
	}
}

bool cdp_screenshot(struct cdp *cdp, const char *path, bool whole_page)
{
	json_t *result = cdp_call(cdp, "Page.captureScreenshot",
				  json_pack("{s:s, s:b}", "format", "png",
					    "captureBeyondViewport", whole_page));
	const char *data = json_string_value(json_object_get(result, "data"));
	FILE *out = data ? fopen(path, "w") : NULL;
	bool good = out;

	if (out) {
		decode_base64(out, data);
		good = !fclose(out);
	}
	json_decref(result);
	return good;
}

static bool attach(struct cdp *cdp)
{
	json_t *target = cdp_call(cdp, "Target.createTarget", json_pack("{s:s}", "url",
									"about:blank"));
	json_t *attached = target ?
		cdp_call(cdp, "Target.attachToTarget",
			 json_pack("{s:O, s:b}", "targetId", json_object_get(target, "targetId"),
				   "flatten", 1)) : NULL;
	const char *session = json_string_value(json_object_get(attached, "sessionId"));

	snprintf(cdp->session, sizeof(cdp->session), "%s", session ? session : "");
	json_decref(target);
	json_decref(attached);
	return cdp->session[0];
}

bool cdp_open(struct cdp *cdp, const char *dir)
{
	int commands[2], answers[2];

	*cdp = (struct cdp){ .pid = -1, .to = -1, .events = json_array() };
	if (!browser() || pipe2(commands, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		return false;
	signal(SIGPIPE, SIG_IGN);
	cdp->pid = fork();
	if (!cdp->pid)
		run_browser(commands[0], answers[1], dir);
	close(commands[0]);
	close(answers[1]);
	cdp->to = commands[1];
	cdp->from = fdopen(answers[0], "r");
	if (cdp->from)
		setvbuf(cdp->from, NULL, _IONBF, 0);
	return cdp->pid > 0 && cdp->from && attach(cdp);
}

void cdp_close(struct cdp *cdp)
{
	int status;

	if (cdp->pid > 0) {
		/* Its renderers are in its own group. */
		kill(-cdp->pid, SIGKILL);
		waitpid(cdp->pid, &status, 0);
	}
	if (cdp->to >= 0)
		close(cdp->to);
	if (cdp->from)
		fclose(cdp->from);
	json_decref(cdp->events);
}
