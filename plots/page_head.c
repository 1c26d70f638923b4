// SPDX-License-Identifier: MIT
#include "plots/page_head.h"

#include "plots/scripts.h"
#include "plots/text.h"

void page_head(FILE *out, const char *title, const char *script)
{
	size_t size;
	const char *css = script_text("report_css", &size);

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      /* Nothing on this page may run or be fetched, whatever a name in it says. */
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'", out);
	if (script)
		fprintf(out, "; script-src 'sha256-%s'", script);
	fputs("\">\n<title>Stampede: ", out);
	text_html(out, title);
	fputs("</title>\n<style>\n", out);
	fwrite(css, 1, size, out);
	fputs("</style>\n</head>\n<body>\n", out);
}
