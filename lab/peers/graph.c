#include "graph.h"

#include "exchange.h"

#include <stdlib.h>

// arcs are those that came to this rank, in any order.
struct arcs {
	struct edge *list;
	uint64_t count, room;
};

static void keep(void *state, int from, const void *items, size_t n) {
	(void)from;
	struct arcs *a = state;
	const struct edge *edges = items;
	if (a->count + n > a->room) {
		a->room = 2 * (a->count + n);
		a->list = peer_more(a->list, a->room, sizeof *a->list);
	}
	for (size_t i = 0; i < n; i++)
		a->list[a->count++] = edges[i];
}

static inline void put(struct exchange *x, int owner, struct edge arc) {
	((struct edge *)x->bucket[owner])[x->count[owner]++] = arc;
}

// deal sends every edge of this rank's share to the owners of both ends.
static void deal(const struct graph *g, const struct kronecker *k, struct arcs *arcs) {
	const uint64_t block = 1 << 14, share = g->edges / peer_ranks;
	struct exchange *x = exchange_new(ALLTOALLV, sizeof(struct edge), 2 * block, keep, arcs);
	for (uint64_t done = 0; done < share; done += block) {
		const uint64_t end = done + block < share ? done + block : share;
		for (uint64_t i = done; i < end; i++) {
			const struct edge e = kronecker_edge(k, peer_rank * share + i);
			put(x, graph_owner(g, e.from), e);
			put(x, graph_owner(g, e.to), (struct edge){e.to, e.from});
		}
		exchange_send(x);
	}
	exchange_free(x);
}

// fill sorts arcs into rows.
static void fill(struct graph *g, const struct arcs *arcs) {
	g->offsets = peer_new(g->own + 2, sizeof *g->offsets);
	g->heads = peer_new(arcs->count, sizeof *g->heads);
	uint64_t *next = g->offsets + 1; // ends as where the rows after end
	for (uint64_t i = 0; i < arcs->count; i++)
		next[arcs->list[i].from - g->first + 1]++;
	for (uint64_t v = 0; v < g->own; v++)
		next[v + 1] += next[v];
	for (uint64_t i = 0; i < arcs->count; i++)
		g->heads[next[arcs->list[i].from - g->first]++] = arcs->list[i].to;
}

struct graph *graph_new(const struct kronecker *k, uint64_t factor) {
	struct graph *g = peer_new(1, sizeof *g);
	g->vertices = UINT64_C(1) << k->scale;
	g->edges = factor << k->scale;
	if (g->vertices < (uint64_t)peer_ranks)
		peer_fail("%llu vertices for %d ranks: give a larger scale", (unsigned long long)g->vertices, peer_ranks);
	g->own = g->vertices / peer_ranks;
	while (UINT64_C(1) << g->shift < g->own)
		g->shift++;
	g->first = (uint32_t)(g->own * peer_rank);
	struct arcs arcs = {0};
	deal(g, k, &arcs);
	fill(g, &arcs);
	free(arcs.list);
	return g;
}

static int by_number(const void *a, const void *b) {
	const uint32_t v = *(const uint32_t *)a, w = *(const uint32_t *)b;
	return (v > w) - (v < w);
}

void graph_simplify(struct graph *g) {
	uint64_t kept = 0;
	for (uint64_t v = 0; v < g->own; v++) {
		const uint64_t begin = g->offsets[v], end = g->offsets[v + 1], row = kept;
		qsort(g->heads + begin, end - begin, sizeof *g->heads, by_number);
		g->offsets[v] = row;
		for (uint64_t i = begin; i < end; i++)
			if (g->heads[i] != g->first + v && (kept == row || g->heads[kept - 1] != g->heads[i]))
				g->heads[kept++] = g->heads[i];
	}
	g->offsets[g->own] = kept;
}

void graph_free(struct graph *g) {
	free(g->offsets);
	free(g->heads);
	free(g);
}
