// BFS (section 4.4): level-synchronous breadth-first search of a Kronecker graph, whose vertices are distributed in
// blocks. As in Graph500, time is from the root to the last parent, clearing included, and a rate counts the edges of
// the component that was reached, duplicates and self-loops too. Every tree is validated by the five rules of Graph500.
//
//	--method alltoallv   a level is one round of MPI_Alltoall and MPI_Alltoallv
//	--method p2p         visits leave as messages of --block while the level is searched
#include "exchange.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

// A visit is for the owner of a child.
struct visit {
	uint32_t child, parent;
};

struct search {
	const struct graph *g;
	struct exchange *x;
	uint32_t *parent, *level; // of own vertices, or NONE
	// known has a bit for each vertex of the graph: own ones that are reached, others that were sent a visit. A later
	// visit changes nothing.
	uint64_t *known;
	uint32_t *queue; // own vertices as they are reached
	uint64_t reached;
	uint32_t depth; // of the vertices that are being reached
};

static inline bool learn(uint64_t *known, uint32_t v) {
	const uint64_t bit = UINT64_C(1) << v % 64;
	if (known[v / 64] & bit)
		return false;
	known[v / 64] |= bit;
	return true;
}

static inline void reach(struct search *s, uint32_t child, uint32_t parent) {
	const uint32_t v = child - s->g->first;
	s->parent[v] = parent;
	s->level[v] = s->depth;
	s->queue[s->reached++] = v;
}

static void visited(void *state, int from, const void *items, size_t n) {
	(void)from;
	struct search *s = state;
	const struct visit *visits = items;
	for (size_t i = 0; i < n; i++)
		if (learn(s->known, visits[i].child))
			reach(s, visits[i].child, visits[i].parent);
}

// send puts a visit into a bucket, which is as large as there are vertices of the receiver, or leaves when it is full.
static inline void send(struct search *s, int owner, struct visit v) {
	struct exchange *x = s->x;
	((struct visit *)x->bucket[owner])[x->count[owner]++] = v;
	if (x->method == POINT_TO_POINT && x->count[owner] == x->capacity)
		exchange_send_to(x, owner);
}

static void expand(struct search *s, uint32_t v) {
	const struct graph *g = s->g;
	for (uint64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
		const uint32_t w = g->heads[i];
		if (!learn(s->known, w))
			continue;
		const int owner = graph_owner(g, w);
		if (owner == peer_rank)
			reach(s, w, g->first + v);
		else
			send(s, owner, (struct visit){w, g->first + v});
	}
}

static void search_from(struct search *s, uint32_t root) {
	memset(s->parent, 255, s->g->own * sizeof *s->parent);
	memset(s->level, 255, s->g->own * sizeof *s->level);
	memset(s->known, 0, (s->g->vertices / 64 + 1) * sizeof *s->known);
	s->reached = 0;
	s->depth = 0;
	if (graph_owner(s->g, root) == peer_rank) {
		learn(s->known, root);
		reach(s, root, root);
	}
	uint64_t done = 0, next = 1;
	while (next > 0) {
		const uint64_t end = s->reached;
		s->depth++;
		for (; done < end; done++)
			expand(s, s->queue[done]);
		exchange_end(s->x);
		next = peer_sum(s->reached - end);
	}
}

// summary is what a search found, over all ranks.
struct summary {
	uint64_t reached, depth, distances, edges;
};

static struct summary sum_up(const struct search *s) {
	struct summary sum = {.reached = s->reached};
	for (uint64_t v = 0; v < s->g->own; v++) {
		if (s->level[v] == NONE)
			continue;
		sum.distances += s->level[v];
		sum.edges += s->g->offsets[v + 1] - s->g->offsets[v];
		if (s->level[v] > sum.depth)
			sum.depth = s->level[v];
	}
	return (struct summary){
		peer_sum(sum.reached), peer_most(sum.depth), peer_sum(sum.distances), peer_sum(sum.edges) / 2
	};
}

// wrong tells whether something is wrong at one vertex, given all levels: the rules of Graph500. There is no cycle when
// every parent is one level above, and the root alone at level 0.
static bool wrong(const struct search *s, const uint32_t *levels, uint32_t root, uint64_t own) {
	const struct graph *g = s->g;
	const uint32_t v = g->first + (uint32_t)own, parent = s->parent[own], level = s->level[own];
	bool joined = v == root;
	for (uint64_t i = g->offsets[own]; i < g->offsets[own + 1]; i++) {
		const uint32_t w = g->heads[i];
		if ((levels[w] == NONE) != (level == NONE))
			return true;
		if (level != NONE && (levels[w] > level + 1 || level > levels[w] + 1))
			return true;
		joined |= w == parent;
	}
	if (level == NONE)
		return parent != NONE || v == root;
	if (v == root)
		return parent != root || level != 0;
	return parent >= g->vertices || level == 0 || levels[parent] != level - 1 || !joined;
}

// validate counts the vertices that something is wrong at. It gathers all levels: 4 bytes a vertex on each rank.
static uint64_t validate(const struct search *s, uint32_t root) {
	uint32_t *levels = peer_new(s->g->vertices, sizeof *levels);
	MPI_Allgather(s->level, (int)s->g->own, MPI_UINT32_T, levels, (int)s->g->own, MPI_UINT32_T, MPI_COMM_WORLD);
	uint64_t errors = 0;
	for (uint64_t v = 0; v < s->g->own; v++)
		errors += wrong(s, levels, root, v);
	free(levels);
	return peer_sum(errors);
}

enum { ROOTS = 64 };

// results are lists with an entry a root.
struct results {
	uint64_t roots[ROOTS], reached[ROOTS], depths[ROOTS], distance_sums[ROOTS];
	double teps[ROOTS];
	size_t n;
	double seconds, verifying;
	uint64_t errors;
};

static bool has_neighbour(const struct graph *g, uint32_t v) {
	bool has = false;
	if (graph_owner(g, v) == peer_rank)
		for (uint64_t i = g->offsets[v - g->first]; i < g->offsets[v - g->first + 1]; i++)
			has |= g->heads[i] != v;
	return peer_sum(has) > 0;
}

// choose fills in the roots: those of a list, or some that a seed draws among vertices with a neighbour.
static void choose(struct results *r, const struct graph *g, const char *list, uint64_t count, uint64_t seed) {
	for (char *end; *list != '\0'; list = *end == ',' ? end + 1 : end) {
		const uint64_t root = strtoull(list, &end, 10);
		if (end == list || (*end != '\0' && *end != ',') || root >= g->vertices || r->n == ROOTS)
			peer_fail("--root: give up to %d of the %llu vertices, from 0 on, with commas between", ROOTS,
				(unsigned long long)g->vertices);
		r->roots[r->n++] = root;
	}
	if (r->n > 0)
		return;
	for (uint64_t i = 0; r->n < count && i < 1 << 20; i++) {
		const uint64_t root = mix(seed + i * GOLDEN) & (g->vertices - 1);
		if (has_neighbour(g, (uint32_t)root))
			r->roots[r->n++] = root;
	}
	if (r->n == 0)
		peer_fail("no vertex has a neighbour");
}

static void search_all(struct results *r, struct search *s) {
	for (size_t i = 0; i < r->n; i++) {
		const uint32_t root = (uint32_t)r->roots[i];
		double begin = peer_begin();
		search_from(s, root);
		const double seconds = peer_seconds(begin);
		begin = peer_begin();
		const struct summary sum = sum_up(s);
		r->errors += validate(s, root);
		r->verifying += peer_seconds(begin);
		r->seconds += seconds;
		r->reached[i] = sum.reached;
		r->depths[i] = sum.depth;
		r->distance_sums[i] = sum.distances;
		r->teps[i] = (double)sum.edges / seconds;
	}
}

static double harmonic_mean(const double *rates, size_t n) {
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += 1 / rates[i];
	return (double)n / sum;
}

static struct search *new_search(const struct graph *g, enum method method, uint64_t block) {
	struct search *s = peer_new(1, sizeof *s);
	s->g = g;
	s->parent = peer_new(g->own, sizeof *s->parent);
	s->level = peer_new(g->own, sizeof *s->level);
	s->queue = peer_new(g->own, sizeof *s->queue);
	s->known = peer_new(g->vertices / 64 + 1, sizeof *s->known);
	// A rank sends at most one visit to each vertex of another.
	const uint64_t capacity = method == ALLTOALLV || g->own < block ? g->own : block;
	s->x = exchange_new(method, sizeof(struct visit), capacity, visited, s);
	return s;
}

static void free_search(struct search *s) {
	exchange_free(s->x);
	free(s->parent);
	free(s->level);
	free(s->queue);
	free(s->known);
	free(s);
}

int main(int argc, char **argv) {
	uint64_t scale = 16, factor = 16, seed = 1, count = 16, block = 1024;
	const char *method_name = "p2p", *roots = "";
	peer_start(&argc, &argv, (struct option[]){
		{"kronecker", .count = &scale, .least = 1, .most = 31},
		{"edge-factor", .count = &factor, .least = 1, .most = 1 << 14},
		{"seed", .count = &seed, .least = 0, .most = 1e15},
		{"roots", .count = &count, .least = 1, .most = ROOTS},
		{"root", .text = &roots},
		{"block", .count = &block, .least = 1, .most = 1 << 20},
		{"method", .text = &method_name},
		{0},
	});
	peer_power_of_two();
	const enum method method = peer_method(method_name);
	static struct results r;
	const double begin = peer_begin();
	const struct kronecker k = kronecker_of((int)scale, seed);
	struct graph *g = graph_new(&k, factor);
	struct search *s = new_search(g, method, block);
	choose(&r, g, roots, count, seed);
	const double set_up = peer_seconds(begin);
	search_all(&r, s);
	free_search(s);

	json_begin("bfs");
	json_text("method", method_name);
	json_number("seconds", r.seconds);
	json_number("set_up_seconds", set_up);
	json_number("verify_seconds", r.verifying);
	json_count("errors", r.errors);
	json_count("vertices", g->vertices);
	json_count("edges", g->edges);
	json_counts("roots", r.roots, r.n);
	json_counts("reached", r.reached, r.n);
	json_counts("depths", r.depths, r.n);
	json_counts("distance_sums", r.distance_sums, r.n);
	json_numbers("teps", r.teps, r.n);
	json_number("harmonic_mean_teps", harmonic_mean(r.teps, r.n));
	json_end();
	graph_free(g);
	return peer_finish(r.errors);
}
