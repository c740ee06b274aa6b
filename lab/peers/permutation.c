// Permutation (section 4.3): result[perm[data[i]]] = i for all i, where data, perm and result are distributed. For
// every --block elements of a rank there are two rounds: to the owner of perm[data[i]], then to the owner of the
// result.
//
//	--method alltoallv   rounds of MPI_Alltoall and MPI_Alltoallv, as in the paper
//	--method p2p         rounds of single messages
#include "exchange.h"

#include <stdlib.h>

// An element is index value of data on its way to index to of perm or of the result.
struct element {
	uint64_t to, value;
};

struct arrays {
	uint64_t *data, *perm, *result;
	uint64_t own, first; // elements of this rank, which of all is the first
	int shift;           // binary logarithm of own
	struct exchange *second;
};

// An order is a bijection of the numbers below a power of two: multiplying by an odd number, adding, and folding the
// upper half of the bits onto the lower can each be undone.
enum { STEPS = 3 };

struct order {
	uint64_t mask, factor[STEPS], add[STEPS];
	int fold;
};

static struct order order_of(int bits, uint64_t seed) {
	struct order o = {.mask = (UINT64_C(1) << bits) - 1, .fold = (bits + 1) / 2};
	for (int i = 0; i < STEPS; i++) {
		o.factor[i] = mix(seed += GOLDEN) | 1;
		o.add[i] = mix(seed += GOLDEN);
	}
	return o;
}

static uint64_t place_of(const struct order *o, uint64_t i) {
	for (int step = 0; step < STEPS; step++) {
		i = (i + o->add[step]) * o->factor[step] & o->mask;
		i ^= i >> o->fold;
	}
	return i;
}

static inline void put(struct exchange *x, int shift, struct element e) {
	uint64_t owner = e.to >> shift;
	((struct element *)x->bucket[owner])[x->count[owner]++] = e;
}

// permute is the first handler: perm says where the elements go on to.
static void permute(void *state, int from, const void *items, size_t n) {
	(void)from;
	const struct arrays *a = state;
	const struct element *es = items;
	for (size_t i = 0; i < n; i++)
		put(a->second, a->shift, (struct element){a->perm[es[i].to & (a->own - 1)], es[i].value});
}

static void put_down(void *state, int from, const void *items, size_t n) {
	(void)from;
	const struct arrays *a = state;
	const struct element *es = items;
	for (size_t i = 0; i < n; i++)
		a->result[es[i].to & (a->own - 1)] = es[i].value;
}

static void permute_all(struct exchange *first, const struct arrays *a, uint64_t block) {
	for (uint64_t done = 0; done < a->own; done += block) {
		for (uint64_t i = done; i < done + block; i++)
			put(first, a->shift, (struct element){a->data[i], a->first + i});
		exchange_end(first);
		exchange_end(a->second);
	}
}

// wrong counts the elements of the result that do not hold the i whose place they are. When none does, no i is
// elsewhere: both orders are bijections.
static uint64_t wrong(const struct arrays *a, const struct order *data, const struct order *perm) {
	uint64_t errors = 0;
	for (uint64_t i = 0; i < a->own; i++) {
		uint64_t value = a->result[i];
		errors += value > data->mask || place_of(perm, place_of(data, value)) != a->first + i;
	}
	return errors;
}

static void load(struct arrays *a, const struct order *data, const struct order *perm) {
	a->data = peer_new(a->own, sizeof *a->data);
	a->perm = peer_new(a->own, sizeof *a->perm);
	a->result = peer_new(a->own, sizeof *a->result);
	for (uint64_t i = 0; i < a->own; i++) {
		a->data[i] = place_of(data, a->first + i);
		a->perm[i] = place_of(perm, a->first + i);
		a->result[i] = UINT64_MAX;
	}
}

int main(int argc, char **argv) {
	uint64_t log2_elements = 20, block = 4096, seed = 0;
	const char *method_name = "alltoallv";
	peer_start(&argc, &argv, (struct option[]){
		{"log2-elements", .count = &log2_elements, .least = 1, .most = 34},
		{"block", .count = &block, .least = 1, .most = 1 << 20},
		{"seed", .count = &seed, .least = 0, .most = 1e15},
		{"method", .text = &method_name},
		{0},
	});
	peer_power_of_two();
	const enum method method = peer_method(method_name);
	struct arrays a = {.shift = (int)log2_elements};
	a.own = UINT64_C(1) << a.shift;
	a.first = a.own * peer_rank;
	uint64_t at_once = 1; // a power of two, so that blocks fill the arrays
	while (2 * at_once <= block && 2 * at_once <= a.own)
		at_once *= 2;
	int bits = a.shift;
	while (1 << (bits - a.shift) < peer_ranks)
		bits++;
	const struct order data = order_of(bits, 2 * seed), perm = order_of(bits, 2 * seed + 1);

	double begin = peer_begin();
	load(&a, &data, &perm);
	struct exchange *first = exchange_new(method, sizeof(struct element), at_once, permute, &a);
	// All elements of a block may come to one rank, and go on to one.
	a.second = exchange_new(method, sizeof(struct element), at_once * peer_ranks, put_down, &a);
	const double set_up = peer_seconds(begin);

	begin = peer_begin();
	permute_all(first, &a, at_once);
	const double seconds = peer_seconds(begin);
	exchange_free(first);
	exchange_free(a.second);

	begin = peer_begin();
	const uint64_t errors = peer_sum(wrong(&a, &data, &perm));
	const double verifying = peer_seconds(begin);
	free(a.data);
	free(a.perm);
	free(a.result);

	const uint64_t elements = a.own * peer_ranks;
	json_begin("permutation");
	json_text("method", method_name);
	json_count("log2_elements", log2_elements);
	json_number("seconds", seconds);
	json_number("set_up_seconds", set_up);
	json_number("verify_seconds", verifying);
	json_count("errors", errors);
	json_count("elements", elements);
	json_number("elements_per_second", (double)elements / seconds);
	json_end();
	return peer_finish(errors);
}
