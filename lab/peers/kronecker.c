#include "kronecker.h"

#include "peer.h"

enum { EDGES = 1, LABELS = 2 }; // purposes of random streams

static uint64_t stream_of(uint64_t seed, uint64_t purpose) { return spread(spread(seed + GOLDEN) ^ purpose * GOLDEN); }

static uint64_t word_at(uint64_t stream, uint64_t i) { return spread(stream + (i + 1) * GOLDEN); }

struct kronecker kronecker_of(int scale, uint64_t seed) {
	struct kronecker k = {.scale = scale, .words = stream_of(seed, EDGES)};
	const uint64_t labels = stream_of(seed, LABELS);
	for (int i = 0; i < SCRAMBLE_ROUNDS; i++) {
		k.factor[i] = word_at(labels, 2 * i) | 1;
		k.add[i] = word_at(labels, 2 * i + 1);
	}
	return k;
}

// quadrant turns 32 random bits into one of 0 to 3 without a branch: a borrow marks each limit reached.
static uint64_t quadrant(uint64_t r) {
	const uint64_t a = (UINT64_C(57) << 32) / 100, b = (UINT64_C(76) << 32) / 100, c = (UINT64_C(95) << 32) / 100;
	return ((a - 1 - r) >> 63) + ((b - 1 - r) >> 63) + ((c - 1 - r) >> 63);
}

static uint32_t scramble(const struct kronecker *k, uint64_t label) {
	const uint64_t mask = (UINT64_C(1) << k->scale) - 1;
	const int fold = (k->scale + 1) / 2;
	for (int i = 0; i < SCRAMBLE_ROUNDS; i++) {
		label = (label * k->factor[i] + k->add[i]) & mask;
		label ^= label >> fold;
	}
	return (uint32_t)label;
}

struct edge kronecker_edge(const struct kronecker *k, uint64_t i) {
	uint64_t from = 0, to = 0, position = i * ((uint64_t)(k->scale + 1) / 2);
	int levels = k->scale;
	for (; levels >= 2; levels -= 2) { // two levels a random word
		const uint64_t word = word_at(k->words, position++);
		const uint64_t high = quadrant(word >> 32), low = quadrant(word & UINT32_MAX);
		from = from << 2 | (high & 2) | low >> 1;
		to = to << 2 | (high & 1) << 1 | (low & 1);
	}
	if (levels == 1) {
		const uint64_t last = quadrant(word_at(k->words, position) >> 32);
		from = from << 1 | last >> 1;
		to = to << 1 | (last & 1);
	}
	return (struct edge){scramble(k, from), scramble(k, to)};
}
