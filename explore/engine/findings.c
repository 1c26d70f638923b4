// SPDX-License-Identifier: MIT
#include "explore/engine/findings.h"

#include <signal.h>
#include <string.h>

bool findings_better(const struct failure *one, const struct failure *than)
{
	if (!one->verdict && !than->verdict)
		return one->score > than->score;
	if (!one->verdict || !than->verdict)
		return one->verdict;
	if (one->verdict != than->verdict)
		return one->verdict == VERDICT_BROKEN;
	return one->actions < than->actions;
}

const char *findings_name(unsigned int objection)
{
	static const char *const others[] = { "crash", "hang", "stuck" };

	return objection < ORACLES ? check_oracle_name((enum oracle)objection) :
				     others[objection - ORACLES];
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static void damage_add(struct findings_damage *sum, const struct findings_damage *one)
{
	sum->schedules += one->schedules;
	sum->wrong = larger(sum->wrong, one->wrong);
	sum->worst = larger(sum->worst, one->worst);
	if (one->until > sum->until)
		sum->until = one->until;
}

void findings_add(struct findings *sum, const struct findings *one)
{
	unsigned int i;

	sum->schedules += one->schedules;
	sum->stops += one->stops;
	sum->states += one->states;
	sum->inexact += one->inexact;
	sum->extended += one->extended;
	sum->decoded += one->decoded;
	damage_add(&sum->damage, &one->damage);
	sum->stuck += one->stuck;
	sum->outcomes += one->outcomes;
	sum->outcomes_hash += one->outcomes_hash;
	if (one->outcomes)
		memcpy(sum->outcome, one->outcome, sizeof(sum->outcome));
	if (one->worst.steps > sum->worst.steps)
		sum->worst = one->worst;
	sum->seconds += one->seconds;
	for (i = 0; i < sizeof(sum->verdicts) / sizeof(sum->verdicts[0]); i++)
		sum->verdicts[i] += one->verdicts[i];
	for (i = 0; i < FINDINGS; i++)
		sum->objections[i] += one->objections[i];
	if (findings_better(&one->first, &sum->first))
		sum->first = one->first;
}

/* `times` schedules, of which `action` is one, ended with this verdict. */
static void count(struct findings *findings, const struct action *action, unsigned int actions,
		  enum verdict verdict, uint64_t score, uint64_t times)
{
	struct failure one;

	findings->schedules += times;
	findings->verdicts[verdict] += times;
	if (verdict == VERDICT_KEPT && (findings->first.verdict || score <= findings->first.score))
		return;
	one = (struct failure){ .actions = (uint8_t)actions,
				.verdict = (uint8_t)verdict,
				.score = score };
	if (!findings_better(&one, &findings->first))
		return;
	if (actions)
		memcpy(one.action, action, actions * sizeof(*action));
	findings->first = one;
}

void findings_fault(struct findings *findings, const struct action *action, unsigned int actions,
		    int signal, uint64_t times)
{
	unsigned int kind = signal == SIGALRM ? FINDING_HANG : FINDING_CRASH;

	findings->objections[kind] += times;
	count(findings, action, actions, VERDICT_BROKEN, 0, times);
}

void findings_judge(struct findings *findings, const struct action *action, unsigned int actions,
		    unsigned int without, uint64_t times)
{
	struct check *check = &world->check;
	unsigned int oracle;
	bool objected = false;
	const struct scheme_desc *asked;
	struct scheme_desc promised;
	struct judgement judgement;
	enum verdict verdict;
	uint64_t score = world_row.clock->now;

	world_judge(&judgement);
	/* Left out to find out what they are good for. */
	if (without) {
		for (oracle = 0; oracle < ORACLES; oracle++)
			if (without >> oracle & 1)
				check->violations[oracle] = 0;
		if (without & 1u << ORACLE_EXACT)
			check->wraps_lost = 0;
		promised = *check->desc;
		if (without & 1u << FINDING_STEPS)
			promised.promises &= ~(uint32_t)PROMISE_STEP_PROOF;
		asked = check->desc;
		check->desc = &promised;
		judge_again(check, world_ring()->stuck, &judgement);
		check->desc = asked;
	}
	verdict = judgement.verdict;
	for (oracle = ORACLES; oracle-- > 0;)
		if (check->violations[oracle]) {
			objected = true;
			findings->objections[oracle] += verdict == VERDICT_BROKEN ? times : 0;
		}
	findings->objections[FINDING_STUCK] += verdict == VERDICT_BROKEN && !objected ? times : 0;
	findings->inexact += times * check->inexact;
	findings->extended += times * check->extended;
	findings->decoded += times * check->events;
	damage_add(&findings->damage,
		   &(struct findings_damage){ .schedules = check->damage.wrong ? times : 0,
					      .wrong = check->damage.wrong,
					      .worst = check->damage.worst,
					      .until = check_damage_until(&check->damage) });
	findings->stuck += world_ring()->stuck ? times : 0;
	score += check->inexact << 48 | check->extended << 40;
	count(findings, action, actions, verdict, score, times);
}
