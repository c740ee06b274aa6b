// RandomAccess (section 4.1): XOR words of a distributed table with the numbers of HPCC's stream. A rank looks ahead by
// at most 1,024 numbers, as HPCC's rule has it.
//
//	--method alltoallv   the paper's MPI column: gather the numbers, then MPI_Alltoall and MPI_Alltoallv
//	--method p2p         buckets with nonblocking sends: one half of the numbers leaves while the other is gathered
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>

// table is this rank's part; its words are a power of two.
struct table {
	uint64_t *words;
	uint64_t own;   // words
	uint64_t first; // which of all words the first is
	int shift;      // binary logarithm of own
};

// next is the number of the stream after ran: ran times x over GF(2), modulo x^64 + x^2 + x + 1.
static inline uint64_t next(uint64_t ran) { return ran << 1 ^ ((uint64_t)((int64_t)ran >> 63) & 7); }

static uint64_t times(uint64_t a, uint64_t b) {
	uint64_t product = 0;
	for (int bit = 63; bit >= 0; bit--)
		product = next(product) ^ (a & -(b >> bit & 1));
	return product;
}

// number is number n of the stream, x^n, by squaring.
static uint64_t number(uint64_t n) {
	uint64_t ran = 1;
	for (int bit = 63; bit >= 0; bit--) {
		ran = times(ran, ran);
		if (n >> bit & 1)
			ran = next(ran);
	}
	return ran;
}

static void update(void *state, int from, const void *items, size_t n) {
	(void)from;
	const struct table *t = state;
	const uint64_t *rans = items, mask = t->own - 1;
	uint64_t *words = t->words;
	for (size_t i = 0; i < n; i++)
		words[rans[i] & mask] ^= rans[i];
}

// gather puts the n numbers after ran into the buckets of their owners, and returns the last. It goes without a branch
// on the owner, which no processor could foresee.
static uint64_t gather(struct exchange *x, const struct table *t, uint64_t ran, size_t n) {
	const uint64_t mask = peer_ranks - 1;
	const int shift = t->shift;
	for (size_t i = 0; i < n; i++) {
		ran = next(ran);
		uint64_t owner = ran >> shift & mask;
		((uint64_t *)x->bucket[owner])[x->count[owner]++] = ran;
	}
	return ran;
}

// updates makes all updates of all ranks. Each rank makes n.
static void updates(struct exchange *x, const struct table *t, uint64_t n, size_t ahead) {
	uint64_t ran = number(peer_rank * n);
	for (; n > ahead; n -= ahead) {
		ran = gather(x, t, ran, ahead);
		exchange_send(x);
	}
	gather(x, t, ran, n);
	exchange_end(x);
}

static uint64_t checksum(const struct table *t) {
	uint64_t sum = 0;
	for (uint64_t i = 0; i < t->own; i++)
		sum += mix(t->words[i] ^ mix(t->first + i));
	return sum;
}

// verify undoes all updates by rounds of another size, and counts the words that are not what they were at the start.
static uint64_t verify(const struct table *t, uint64_t n) {
	const size_t ahead = 1 << 14;
	uint64_t errors = 0, lost = 0;
	for (uint64_t i = 0; i < t->own; i++)
		lost ^= t->words[i] ^ (t->first + i);
	// What was done to the table should be the stream: an update that both ways lose shows here alone.
	uint64_t ran = number(peer_rank * n);
	for (uint64_t i = 0; i < n; i++) {
		ran = next(ran);
		lost ^= ran;
	}
	struct exchange *x = exchange_new(ALLTOALLV, sizeof(uint64_t), ahead, update, (void *)t);
	updates(x, t, n, ahead);
	exchange_free(x);
	for (uint64_t i = 0; i < t->own; i++)
		errors += t->words[i] != t->first + i;
	return peer_sum(errors) + (peer_xor(lost) != 0);
}

int main(int argc, char **argv) {
	uint64_t log2_words = 20, look_ahead = 1024;
	double per_word = 4;
	const char *method_name = "p2p";
	peer_start(&argc, &argv, (struct option[]){
		{"log2-words", .count = &log2_words, .least = 1, .most = 34},
		{"updates-per-word", .number = &per_word, .least = 1e-6, .most = 1e6},
		{"look-ahead", .count = &look_ahead, .least = 2, .most = 1 << 20},
		{"method", .text = &method_name},
		{0},
	});
	peer_power_of_two();
	const enum method method = peer_method(method_name);
	struct table t = {.shift = (int)log2_words};
	t.own = UINT64_C(1) << t.shift;
	t.first = t.own * peer_rank;
	const uint64_t n = (uint64_t)(per_word * (double)t.own);
	if (n == 0)
		peer_fail("--updates-per-word %g: that is no update: give more", per_word);
	// Single messages: as many numbers may be under way as are being gathered.
	const size_t ahead = method == ALLTOALLV ? look_ahead : look_ahead / 2;

	double begin = peer_begin();
	t.words = peer_new(t.own, sizeof *t.words);
	for (uint64_t i = 0; i < t.own; i++)
		t.words[i] = t.first + i;
	struct exchange *x = exchange_new(method, sizeof(uint64_t), ahead, update, &t);
	const double set_up = peer_seconds(begin);

	begin = peer_begin();
	updates(x, &t, n, ahead);
	const double seconds = peer_seconds(begin);
	exchange_free(x);

	begin = peer_begin();
	char sum[17];
	snprintf(sum, sizeof sum, "%016llx", (unsigned long long)peer_sum(checksum(&t)));
	const uint64_t errors = verify(&t, n);
	const double verifying = peer_seconds(begin);
	free(t.words);

	json_begin("randomaccess");
	json_text("method", method_name);
	json_count("look_ahead", look_ahead);
	json_count("log2_words", log2_words);
	json_number("seconds", seconds);
	json_number("set_up_seconds", set_up);
	json_number("verify_seconds", verifying);
	json_count("errors", errors);
	json_count("updates", n * peer_ranks);
	json_number("updates_per_second", (double)(n * peer_ranks) / seconds);
	json_text("checksum", sum);
	json_end();
	return peer_finish(errors);
}
