// All-to-all: every rank sends items of --bytes bytes to every other, one to each a round. The first word of an item is
// its number: its round, who sends it, and to whom. The others follow from it, and the receiver checks them all.
//
//	--method alltoallv   MPI_Alltoall and MPI_Alltoallv for every --block items of a rank
//	--method p2p         a message for every --block items of a rank
#include "exchange.h"

#include <stdlib.h>

struct inbox {
	uint64_t *came, *sum; // items from each rank, and the sum of their marks
	uint64_t rounds, damaged;
	uint64_t bytes; // of an item
};

static int rank_bits; // of a rank's number

static inline uint64_t number(uint64_t from, uint64_t to, uint64_t round) {
	return round << 2 * rank_bits | from << rank_bits | to;
}

// next_word is a step of Knuth's linear congruential generator.
static inline uint64_t next_word(uint64_t word) {
	return word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

// mark tells rounds apart in a sum.
static inline uint64_t mark(uint64_t id) {
	id *= UINT64_C(0x9E3779B97F4A7C15);
	return id ^ id >> 32;
}

// note notes an item that came from a rank.
static inline void note(struct inbox *in, int from, uint64_t id, uint64_t wrong) {
	const uint64_t round = id >> 2 * rank_bits;
	wrong |= (id ^ number(from, peer_rank, round)) | (round >= in->rounds);
	in->damaged += wrong != 0;
	in->sum[from] += mark(id);
}

// check and fill are made for each size by the compiler, as a program that knows its items has them.
static inline __attribute__((always_inline)) void check(
	struct inbox *in, int from, const uint64_t *its, size_t n, const size_t words) {
	for (size_t i = 0; i < n; i++) {
		const uint64_t *it = its + i * words;
		uint64_t word = it[0], wrong = 0;
		for (size_t w = 1; w < words; w++) {
			word = next_word(word);
			wrong |= it[w] ^ word;
		}
		note(in, from, it[0], wrong);
	}
}

static inline __attribute__((always_inline)) void fill(
	uint64_t *its, int to, uint64_t round, uint64_t n, const size_t words) {
	for (uint64_t i = 0; i < n; i++) {
		uint64_t *it = its + i * words;
		it[0] = number(peer_rank, to, round + i);
		for (size_t w = 1; w < words; w++)
			it[w] = next_word(it[w - 1]);
	}
}

static void receive(void *state, int from, const void *items, size_t n) {
	struct inbox *in = state;
	in->came[from] += n;
	switch (in->bytes) {
	case 4:
		for (size_t i = 0; i < n; i++)
			note(in, from, ((const uint32_t *)items)[i], 0);
		return;
	case 8: check(in, from, items, n, 1); return;
	case 16: check(in, from, items, n, 2); return;
	case 32: check(in, from, items, n, 4); return;
	case 64: check(in, from, items, n, 8); return;
	case 128: check(in, from, items, n, 16); return;
	default: check(in, from, items, n, in->bytes / 8);
	}
}

static void put_to(char *bucket, int to, uint64_t round, uint64_t n, uint64_t bytes) {
	uint64_t *its = (uint64_t *)bucket;
	switch (bytes) {
	case 4:
		for (uint64_t i = 0; i < n; i++)
			((uint32_t *)bucket)[i] = (uint32_t)number(peer_rank, to, round + i);
		return;
	case 8: fill(its, to, round, n, 1); return;
	case 16: fill(its, to, round, n, 2); return;
	case 32: fill(its, to, round, n, 4); return;
	case 64: fill(its, to, round, n, 8); return;
	case 128: fill(its, to, round, n, 16); return;
	default: fill(its, to, round, n, bytes / 8);
	}
}

// put fills all buckets with the items of some rounds.
static void put(struct exchange *x, uint64_t round, uint64_t rounds) {
	for (int to = 0; to < peer_ranks; to++) {
		if (to == peer_rank)
			continue;
		put_to(x->bucket[to], to, round, rounds, x->bytes);
		x->count[to] = rounds;
	}
}

static void send_all(struct exchange *x, uint64_t rounds) {
	uint64_t round = 0;
	for (; rounds - round > x->capacity; round += x->capacity) {
		put(x, round, x->capacity);
		exchange_send(x);
	}
	put(x, round, rounds - round);
	exchange_end(x);
}

// faults counts items that are damaged, missing or too many.
static uint64_t faults(const struct inbox *in) {
	uint64_t wrong = in->damaged;
	for (int from = 0; from < peer_ranks; from++) {
		const uint64_t want = from == peer_rank ? 0 : in->rounds;
		uint64_t sum = 0;
		for (uint64_t round = 0; round < want; round++)
			sum += mark(number(from, peer_rank, round));
		wrong += in->came[from] > want ? in->came[from] - want : want - in->came[from];
		wrong += in->sum[from] != sum;
	}
	return wrong;
}

int main(int argc, char **argv) {
	uint64_t rounds = 1 << 20, block = 512, bytes = 32;
	const char *method_name = "p2p";
	peer_start(&argc, &argv, (struct option[]){
		{"rounds", .count = &rounds, .least = 1, .most = 1e12},
		{"bytes", .count = &bytes, .least = 4, .most = 1 << 16},
		{"block", .count = &block, .least = 1, .most = 1 << 20},
		{"method", .text = &method_name},
		{0},
	});
	if (peer_ranks < 2)
		peer_fail("1 rank: it has no other to send to");
	if (bytes != 4 && bytes % 8 != 0)
		peer_fail("--bytes %llu: give 4, or a multiple of 8", (unsigned long long)bytes);
	for (rank_bits = 1; peer_ranks > 1 << rank_bits; rank_bits++)
		;
	if (bytes == 4 && (rounds - 1) >> (32 - 2 * rank_bits) > 0)
		peer_fail("4 bytes do not tell %llu rounds apart: give fewer", (unsigned long long)rounds);
	struct inbox in = {
		.came = peer_new(peer_ranks, sizeof *in.came), .sum = peer_new(peer_ranks, sizeof *in.sum),
		.rounds = rounds, .bytes = bytes,
	};
	const size_t capacity = block < (uint64_t)peer_ranks ? 1 : block / (peer_ranks - 1);
	struct exchange *x = exchange_new(peer_method(method_name), bytes, capacity, receive, &in);
	const double begin = peer_begin();
	send_all(x, rounds);
	const double seconds = peer_seconds(begin);
	exchange_free(x);
	const uint64_t errors = peer_sum(faults(&in));
	free(in.came);
	free(in.sum);

	const uint64_t items = rounds * peer_ranks * (peer_ranks - 1);
	json_begin("alltoall");
	json_text("method", method_name);
	json_number("seconds", seconds);
	json_count("errors", errors);
	json_count("bytes", bytes);
	json_count("rounds", rounds);
	json_count("items", items);
	json_number("items_per_second", (double)items / seconds);
	json_end();
	return peer_finish(errors);
}
