// SPDX-License-Identifier: MIT
#include "explore/engine/tso.h"

#include <string.h>

#define WORDS (WORLD_BYTES / 8)

static struct tso_queue queues[WORLD_WRITERS_MAX];
static uint64_t memory[WORDS]; /* what is in memory */
static uint64_t seen[WORDS]; /* the running CPU's view before its step */

/* What the step that runs is known to do. */
static struct {
	uint64_t at; /* in the row's memory */
	unsigned int bytes; /* that it stores there */
	bool locked;
} step;

/* The row's memory, without what only a reader has. */
static uint64_t *view(void)
{
	return (uint64_t *)(void *)world_memory();
}

static uint64_t bits_of(unsigned int mask)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		bits |= (mask >> i & 1) * UINT64_C(0xff) << 8 * i;
	return bits;
}

static void put(uint64_t *words, const struct tso_piece *piece)
{
	uint64_t bits = bits_of(piece->mask);

	words[piece->word] = (words[piece->word] & ~bits) | (piece->value & bits);
}

static unsigned int stores_of(const struct tso_queue *queue)
{
	unsigned int i, stores = 0;

	for (i = 0; i < queue->pieces; i++)
		stores += queue->piece[i].last;
	return stores;
}

/* The `stores` oldest leave. */
static void leave(struct tso_queue *queue, unsigned int stores)
{
	unsigned int i, left = stores;

	for (i = 0; i < queue->pieces && left; i++) {
		put(memory, &queue->piece[i]);
		left -= queue->piece[i].last;
	}
	queue->pieces = (uint8_t)(queue->pieces - i);
	queue->held = (uint8_t)(queue->held > stores ? queue->held - stores : 0);
	memmove(queue->piece, queue->piece + i, queue->pieces * sizeof(queue->piece[0]));
}

static struct tso_queue *own(void)
{
	return &queues[world->book.writer];
}

static void leave_all(struct tso_queue *queue)
{
	leave(queue, TSO_PIECES_MAX);
}

/* Memory with its queue applied. */
static void show_view(unsigned int cpu)
{
	const struct tso_queue *queue = &queues[cpu];
	unsigned int i;

	memcpy(view(), memory, world_ring_bytes());
	for (i = 0; i < queue->pieces; i++)
		put(view(), &queue->piece[i]);
	memcpy(seen, view(), world_ring_bytes());
}

/* ---- a step ---- */

/* Where the instruction at the stop touches memory, in the row's memory or not. */
static uint64_t place_of(const struct explore_access *access)
{
	uint64_t at = access->displacement;
#ifdef __x86_64__
	const uint64_t *frame = (const uint64_t *)world->book.sp;
	const uint64_t past = world->book.sp + sizeof(struct switch_frame);
	const unsigned int rsp = sizeof(struct switch_frame) / 8;

	if (access->base)
		at += access->base == rsp ? past : frame[access->base - 1];
	if (access->index)
		at += access->scale * frame[access->index - 1];
#endif
	if (world_row.foreign && at - (uintptr_t)world_row.statics < world_row.statics_bytes)
		return at - (uintptr_t)world_row.statics + world_row.statics_at;
	return at - (uintptr_t)view();
}

static void before_step(void)
{
	const struct explore_site *site = world_site();

	memset(&step, 0, sizeof(step));
	if (!site)
		return;
	step.locked = site->access.kind & ACCESS_DRAINS;
	if (step.locked)
		leave_all(own());
	if (!(site->access.kind & ACCESS_STORE))
		return;
	step.at = place_of(&site->access);
	step.bytes = step.at < world_ring_bytes() ? site->access.bytes : 0;
}

/* Those of a word's bytes that are among the `bytes` at `at`. */
static unsigned int mask_of(unsigned int word, uint64_t at, unsigned int bytes)
{
	unsigned int i, mask = 0;

	for (i = 0; i < 8; i++)
		mask |= (unsigned int)(8 * word + i - at < bytes) << i;
	return mask;
}

static inline unsigned int mask_of_step(unsigned int word)
{
	return 8 * word + 7 - step.at < step.bytes + 7u ? mask_of(word, step.at, step.bytes) : 0;
}

static unsigned int changed(uint64_t one, uint64_t other)
{
	unsigned int i, mask = 0;

	for (i = 0; i < 8; i++)
		mask |= (unsigned int)((one ^ other) >> 8 * i & 0xff ? 1 : 0) << i;
	return mask;
}

/* May no store wait any longer than it takes? */
static bool none_waits(void)
{
	unsigned int i;

	if (world->book.left.delays)
		return false;
	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		if (queues[i].held)
			return false;
	return true;
}

static void wait_in_queue(struct tso_queue *queue, const struct tso_piece *piece)
{
	while (queue->pieces == TSO_PIECES_MAX)
		leave(queue, 1);
	queue->piece[queue->pieces++] = *piece;
}

/* What was stored since the view was last looked at joins the queue. */
static void collect(void)
{
	struct tso_queue *queue = own();
	unsigned int word, words = (unsigned int)(world_ring_bytes() / 8), before = 0, known;
	struct tso_piece piece = { .last = false };

	for (word = 0; word < words; word++) {
		/* The instruction is known to store them, whether they changed or not. */
		known = mask_of_step(word);
		if (view()[word] == seen[word] && !known)
			continue;
		piece.value = view()[word];
		piece.word = (uint16_t)word;
		piece.mask = (uint8_t)(changed(view()[word], seen[word]) | known);
		seen[word] = view()[word];
		if (step.locked) {
			struct tso_piece at_once = piece;

			at_once.mask = (uint8_t)known;
			put(memory, &at_once);
			piece.mask &= (uint8_t)~known;
		}
		if (!piece.mask)
			continue;
		wait_in_queue(queue, &piece);
		before = queue->pieces;
	}
	if (before)
		queue->piece[before - 1].last = true;
	if (none_waits())
		leave_all(queue);
	memset(&step, 0, sizeof(step));
}

/* ---- what the search chooses ---- */

static bool others_unfinished(void)
{
	const struct book *book = &world->book;
	unsigned int i;

	for (i = 0; i < world_cpus(&book->left); i++)
		if (i != book->writer && world_unfinished(i))
			return true;
	return false;
}

bool tso_open(void)
{
	const struct book *book = &world->book;
	unsigned int i;

	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		if (i != book->writer && queues[i].pieces)
			return true;
	return (book->left.delays || own()->held) && others_unfinished();
}

unsigned int tso_held_most(void)
{
	unsigned int stores = stores_of(own());

	return stores - own()->held <= world->book.left.delays ? stores : world->book.left.delays;
}

static void switches(unsigned int to, unsigned int held)
{
	struct tso_queue *queue = own();
	unsigned int stores, more;

	collect();
	stores = stores_of(queue);
	more = stores - queue->held < held ? stores - queue->held : held;
	leave(queue, stores - held);
	queue->held = (uint8_t)held;
	world->book.left.delays = (uint8_t)(world->book.left.delays - more);
	show_view(to);
}

void tso_begin(void)
{
	static const struct world_watch watch = { .before = before_step,
						  .after = collect,
						  .switches = switches };
	unsigned int i;

	world_watch = &watch;
	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		queues[i].pieces = queues[i].held = 0;
	memset(&step, 0, sizeof(step));
	memcpy(memory, view(), world_ring_bytes());
	show_view(world->book.writer);
}

/* Are some bytes of both the same? */
static bool meet(const struct tso_piece *one, const struct tso_piece *other)
{
	return one->word == other->word && one->mask & other->mask;
}

/* May the running CPU's next access touch what waits in this queue? */
static bool is_touched(const struct tso_queue *queue)
{
	const struct explore_site *site = world_site();
	unsigned int i, bytes;
	uint64_t at;

	if (!site || site->access.kind & ACCESS_ANYTHING)
		return true;
	if (!(site->access.kind & ACCESS_PLACE))
		return false;
	at = place_of(&site->access);
	bytes = site->access.bytes ? site->access.bytes : 16;
	for (i = 0; i < queue->pieces; i++)
		if (queue->piece[i].mask & mask_of(queue->piece[i].word, at, bytes))
			return true;
	return false;
}

/* All have ended: does the order in which queues leave make a difference? */
static bool is_last(unsigned int cpu)
{
	const struct tso_queue *queue = &queues[cpu];
	unsigned int other, i, j;

	if (world->book.left.events || others_unfinished())
		return false;
	for (other = 0; other < WORLD_WRITERS_MAX; other++)
		for (i = 0; other != cpu && other != world->book.writer && i < queues[other].pieces;
		     i++)
			for (j = 0; j < queue->pieces; j++)
				if (meet(&queues[other].piece[i], &queue->piece[j]))
					return true;
	return false;
}

/* Does the running CPU's store of that number meet the oldest of the queue? */
static bool store_meets(unsigned int number, const struct tso_queue *queue)
{
	const struct tso_queue *mine = own();
	unsigned int i, j, store = 0;

	for (i = 0; i < mine->pieces; store += mine->piece[i++].last)
		for (j = 0; store == number && (!j || !queue->piece[j - 1].last); j++)
			if (meet(&mine->piece[i], &queue->piece[j]))
				return true;
	return false;
}

bool tso_alternative(bool idle, unsigned int *n, uint64_t *which)
{
	unsigned int cpu, behind, most;

	for (cpu = 0; cpu < WORLD_WRITERS_MAX; cpu++) {
		if (cpu == world->book.writer || !queues[cpu].pieces ||
		    !(idle ? is_last(cpu) : is_touched(&queues[cpu])))
			continue;
		most = stores_of(own());
		for (behind = idle ? most : 0; behind <= most; behind++) {
			if (behind && !idle && !store_meets(behind - 1, &queues[cpu]))
				continue;
			*which = cpu | (uint64_t)behind << 8;
			if (!(*n)--)
				return true;
		}
	}
	return false;
}

void tso_drain(uint64_t which)
{
	collect();
	leave(own(), TSO_STORES(which));
	leave(&queues[TSO_CPU(which)], 1);
	show_view(world->book.writer);
}

void tso_end(void)
{
	unsigned int i;

	collect();
	leave_all(own());
	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		leave_all(&queues[i]);
	show_view(world->book.writer);
}

/* ---- snapshots ---- */

static void copy_queues(struct tso_queue *to, const struct tso_queue *from)
{
	unsigned int i;

	for (i = 0; i < WORLD_WRITERS_MAX; i++)
		memcpy(&to[i], &from[i],
		       offsetof(struct tso_queue, piece) +
			       from[i].pieces * sizeof(from[i].piece[0]));
}

void tso_save(struct tso_queue *to, uint8_t *copy, size_t bytes)
{
	collect();
	copy_queues(to, queues);
	memcpy(copy, memory, bytes < world_ring_bytes() ? bytes : world_ring_bytes());
}

void tso_restore(const struct tso_queue *from)
{
	copy_queues(queues, from);
	memcpy(memory, view(), world_ring_bytes());
	show_view(world->book.writer);
}
