// All-to-all: every rank sends items of 32 bytes to every other, one to each a round. Each item's bytes follow from who sends
// it to whom and when, and the receiver checks them all.
//
//	--method alltoallv   MPI_Alltoall and MPI_Alltoallv for every --block items of a rank
//	--method p2p         a message for every --block items of a rank
#include "exchange.h"

#include <stdlib.h>

enum { WORDS = 4 };

struct item {
	uint64_t words[WORDS];
};

struct inbox {
	uint64_t *came; // items from each rank: items of a rank keep their order
	uint64_t damaged;
};

static uint64_t first_word(int from, int to, uint64_t round) { return mix(mix((uint64_t)from << 32 | (uint64_t)to) + round); }

// next_word is a step of Knuth's linear congruential generator.
static uint64_t next_word(uint64_t word) { return word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); }

static struct item item_of(int from, int to, uint64_t round) {
	struct item it;
	uint64_t word = first_word(from, to, round);
	for (int i = 0; i < WORDS; i++) {
		it.words[i] = word;
		word = next_word(word);
	}
	return it;
}

static void receive(void *state, int from, const void *items, size_t n) {
	struct inbox *in = state;
	const struct item *its = items;
	uint64_t round = in->came[from];
	for (size_t i = 0; i < n; i++, round++) {
		const struct item want = item_of(from, peer_rank, round);
		uint64_t wrong = 0;
		for (int w = 0; w < WORDS; w++)
			wrong |= its[i].words[w] ^ want.words[w];
		in->damaged += wrong != 0;
	}
	in->came[from] = round;
}

// put fills all buckets with the items of some rounds.
static void put(struct exchange *x, uint64_t round, uint64_t rounds) {
	for (int to = 0; to < peer_ranks; to++) {
		if (to == peer_rank)
			continue;
		struct item *bucket = (struct item *)x->bucket[to];
		for (uint64_t i = 0; i < rounds; i++)
			bucket[i] = item_of(peer_rank, to, round + i);
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
static uint64_t faults(const struct inbox *in, uint64_t rounds) {
	uint64_t wrong = in->damaged;
	for (int from = 0; from < peer_ranks; from++) {
		const uint64_t want = from == peer_rank ? 0 : rounds;
		wrong += in->came[from] > want ? in->came[from] - want : want - in->came[from];
	}
	return wrong;
}

int main(int argc, char **argv) {
	uint64_t rounds = 1 << 20, block = 512;
	const char *method_name = "p2p";
	peer_start(&argc, &argv, (struct option[]){
		{"rounds", .count = &rounds, .least = 1, .most = 1e12},
		{"block", .count = &block, .least = 1, .most = 1 << 20},
		{"method", .text = &method_name},
		{0},
	});
	if (peer_ranks < 2)
		peer_fail("1 rank: it has no other to send to");
	struct inbox in = {.came = peer_new(peer_ranks, sizeof *in.came)};
	const size_t capacity = block < (uint64_t)peer_ranks ? 1 : block / (peer_ranks - 1);
	struct exchange *x = exchange_new(peer_method(method_name), sizeof(struct item), capacity, receive, &in);
	const double begin = peer_begin();
	send_all(x, rounds);
	const double seconds = peer_seconds(begin);
	exchange_free(x);
	const uint64_t errors = peer_sum(faults(&in, rounds));
	free(in.came);

	const uint64_t items = rounds * peer_ranks * (peer_ranks - 1);
	json_begin("alltoall");
	json_text("method", method_name);
	json_number("seconds", seconds);
	json_count("errors", errors);
	json_count("bytes", sizeof(struct item));
	json_count("rounds", rounds);
	json_count("items", items);
	json_number("items_per_second", (double)items / seconds);
	json_end();
	return peer_finish(errors);
}
