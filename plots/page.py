# SPDX-License-Identifier: MIT
"""The page (one file that needs no other) and its Markdown, from the templates."""
import base64
import functools
import hashlib
import json
import math
import os
import re
import urllib.parse

import jinja2
from markupsafe import Markup, escape

import answer
import clocks
import facts
import guide
import in_kernel
import products
import screen
import table
import text
from compact import compact
from data import row_class
from draw import SOURCES, source
from record import bits_that_matter

DATA_URL = "data:image/svg+xml;charset=utf-8,"
NOT_IN_A_URL = "%#\"&\n"  # of ASCII, and control characters; % comes first


def is_marked(value):
    return hasattr(value, "__html__")


def html_text(value):
    return value if is_marked(value) else text.plain(value)


def html_code(name):
    return Markup("<code>{}</code>").format(text.plain(name))


def markdown_text(value):
    return value if is_marked(value) else Markup(text.markdown(value))


def markdown_code(name):
    return Markup(text.markdown_code(name))


def lines(value):
    """For <pre>: lines stay lines."""
    return Markup("\n").join(escape(text.plain(line)) for line in value.split("\n"))


def squeeze(value):
    """Sentences on one line, however the template breaks them."""
    return Markup(" ".join(str(value).split()))


def as_image(svg):
    """A picture as a URL of its own: nothing in it can run, and no id meets another's."""
    image = svg.decode("utf-8")
    image = image if "<style>" in image else compact(image)  # ours say their looks once
    for character in NOT_IN_A_URL:  # quote() of all of it looks at each byte in Python
        image = image.replace(character, "%%%02X" % ord(character))
    return Markup(DATA_URL + re.sub("[^ -~]", lambda found: urllib.parse.quote(found[0]), image))


def environment(finalize, code):
    """One set of templates: names and numbers are written as `finalize` and `code` have it."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.join(SOURCES, "templates")), autoescape=True,
        finalize=finalize, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)

    def names(rows, between=", "):
        return Markup(between).join(map(code, rows))

    env.filters.update(
        code=code, names=names, figure=text.figure, count=text.count, short=text.short,
        lines=lines, squeeze=squeeze, image=as_image, percent_up=text.percent_up)
    env.tests.update(known=lambda value: not math.isnan(value))
    env.globals.update(
        duration=text.duration, error=text.error, guide_warnings=guide.warnings,
        bits_that_matter=bits_that_matter,
        row_class=lambda verdict: ("kept", "none", "unmet", "broken")[row_class(verdict)],
        or_zero=lambda value: 0 if math.isnan(value) else value)
    return env


@functools.cache
def for_html():
    return environment(html_text, html_code)


@functools.cache
def for_markdown():
    return environment(markdown_text, markdown_code)


def values(value, path=""):
    """All scalars of the record's context: their paths, and what stands there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from values(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, str):
        yield path, value
    elif isinstance(value, float):
        yield path, f"{value:.10g}"
    else:
        yield path, "unknown" if value is None else json.dumps(value)


def captioned(env, run, figures):
    """Each plot with its caption: the macro of its name, or the text that came with it."""
    module = env.get_template("captions.j2").module
    for figure in figures:
        macro = getattr(module, figure.plot.name, None)
        its = facts.CAPTIONS.get(figure.plot.name, lambda run: None)
        yield figure, squeeze(macro(run, its(run)) if macro else
                              env.finalize(figure.plot.caption or ""))


def said(run):
    """What the page and the guide of the documents share."""
    for env, kind in ((for_html(), ".md."), (for_markdown(), ".html.")):
        for name in env.list_templates(filter_func=lambda name: kind not in name):
            env.get_template(name)  # to have it ready
    return {
        "run": run, "summary": facts.summary(run), "table": table, "rows": table.rows(run),
        "answers": guide.answers(run), "clock": answer.clock_sentence(run),
        "as_good": (100 * max(guide.AS_GOOD_TIME, run.apart), 100 * guide.AS_GOOD_COUNT),
        "storm": facts.storm(run),
        "architecture": guide.architecture(run), "promises": facts.promises(run),
        "clocks": clocks.said(run), "products": products.lines(run),
    }


def head():
    """Style and script, and the policy that nothing else of the page may run."""
    script = source("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {"css": Markup(re.sub(r"\n\t*", "\n", source("report.css"))), "script": Markup(script),
            "digest": digest}


def schemes():
    """Pictures of rows that `make pictures` drew: name, picture and what it says."""
    folder = os.path.join(SOURCES, "schemes")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".svg"):
            with open(os.path.join(folder, name), "rb") as file:
                svg = file.read()
            said = re.search(rb"<title>(.*?)</title><desc>(.*?)</desc>", svg, re.S)
            yield name[:-4], svg, Markup(b". ".join(said.groups()).decode() if said else "")


def answered(known, code):
    """The answer, whose names are written by `code`: nothing in it is marked up but them."""
    its = answer.answer(known, code)
    return its and its._replace(sentences=list(map(Markup, its.sentences)))


def html(run, figures, shared):
    env, best = for_html(), answered([answer.of_run(run)], html_code)
    few = [(row, screen.cells(run, row)) for row in screen.shown(run, best)]
    # A run that did not measure something has no column of it.
    there = [at for at in range(len(screen.TITLES) - 1) if at < 2 or any(its[at] not in ("-", "n/a") for _, its in few)]
    return env.get_template("page.html.j2").render(
        shared, **head(), figures=list(captioned(env, run, figures)), explored=facts.explored(run),
        in_kernel=in_kernel.said(run), disturbances=facts.disturbances(run), best=best, none=answer.NONE, schemes=list(schemes()),
        few=[(row, [its[at] for at in there]) for row, its in few], few_titles=["row"] + [screen.TITLES[at + 1] for at in there],
        context=values(run.json["context"]), bench=os.path.basename(run.file))


def guide_block(run):
    """The guide of this run alone, for the documents."""
    return for_markdown().get_template("guide.md.j2").render(said(run))


def answer_block(references):
    """What holds on all recorded machines, for README."""
    return for_markdown().get_template("answer.md.j2").render(
        best=answered(list(map(answer.of_reference, references)), markdown_code))
