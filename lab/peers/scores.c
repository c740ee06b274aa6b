#include "pagerank.h"

#include <math.h>
#include <stdlib.h>

#include "peer.h"

struct pagerank pagerank_start(int *argc, char ***argv) {
	uint64_t scale = 16, factor = 16, iterations = 20, seed = 1;
	peer_start(argc, argv, (struct option[]){
		{"kronecker", .count = &scale, .least = 1, .most = 30},
		{"edge-factor", .count = &factor, .least = 1, .most = 1 << 20},
		{"iterations", .count = &iterations, .least = 1, .most = 1e6},
		{"seed", .count = &seed, .most = 1e18},
		{0},
	});
	peer_power_of_two();
	const uint64_t vertices = UINT64_C(1) << scale;
	return (struct pagerank){
		.generator = kronecker_of((int)scale, seed), .factor = factor, .vertices = vertices,
		.edges = factor << scale, .iterations = iterations, .first = 1.0 / vertices, .base = (1 - DAMPING) / vertices,
	};
}

static int by_ends(const void *a, const void *b) {
	const uint64_t e = *(const uint64_t *)a, f = *(const uint64_t *)b;
	return (e > f) - (e < f);
}

// share lists this rank's edges, each once, as lower end << 32 | higher end: those whose ends add up to its number
// modulo ranks.
static uint64_t *share(const struct pagerank *p, uint64_t *count) {
	uint64_t *edges = NULL, n = 0, room = 0;
	for (uint64_t i = 0; i < p->edges; i++) {
		const struct edge e = kronecker_edge(&p->generator, i);
		if (e.from == e.to || ((uint64_t)e.from + e.to) % peer_ranks != (uint64_t)peer_rank)
			continue;
		if (n == room) {
			room = 2 * room + 1024;
			edges = peer_more(edges, room, sizeof *edges);
		}
		edges[n++] = e.from < e.to ? (uint64_t)e.from << 32 | e.to : (uint64_t)e.to << 32 | e.from;
	}
	qsort(edges, n, sizeof *edges, by_ends);
	*count = 0;
	for (uint64_t i = 0; i < n; i++)
		if (i == 0 || edges[i] != edges[i - 1])
			edges[(*count)++] = edges[i];
	return edges;
}

// add_up makes sums of all ranks.
static void add_up(double *sums, uint64_t n) {
	MPI_Allreduce(MPI_IN_PLACE, sums, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

uint64_t pagerank_wrong(const struct pagerank *p, const double *scores) {
	const uint64_t n = p->vertices;
	uint64_t count;
	uint64_t *edges = share(p, &count);
	double *now = peer_new(n, sizeof *now), *given = peer_new(n, sizeof *given);
	double *degree = peer_new(n, sizeof *degree);
	for (uint64_t i = 0; i < count; i++) {
		degree[edges[i] >> 32]++;
		degree[(uint32_t)edges[i]]++;
	}
	add_up(degree, n);
	for (uint64_t v = 0; v < n; v++)
		now[v] = p->first;
	for (uint64_t round = 0; round < p->iterations; round++) {
		for (uint64_t v = 0; v < n; v++)
			given[v] = 0;
		for (uint64_t i = 0; i < count; i++) {
			const uint32_t v = (uint32_t)(edges[i] >> 32), w = (uint32_t)edges[i];
			given[w] += now[v] / degree[v];
			given[v] += now[w] / degree[w];
		}
		add_up(given, n);
		for (uint64_t v = 0; v < n; v++)
			now[v] = p->base + DAMPING * given[v];
	}
	uint64_t wrong = 0;
	for (uint64_t v = 0; v < n; v++)
		wrong += !(fabs(scores[v] - now[v]) <= 1e-9 * now[v]);
	free(edges);
	free(now);
	free(degree);
	free(given);
	return wrong;
}

int pagerank_end(const struct pagerank *p, const char *method, double seconds, const double *scores) {
	const uint64_t errors = peer_most(pagerank_wrong(p, scores));
	double sum = 0;
	for (uint64_t v = 0; v < p->vertices; v++)
		sum += scores[v];
	json_begin("pagerank");
	json_text("method", method);
	json_count("vertices", p->vertices);
	json_count("edges", p->edges);
	json_count("iterations", p->iterations);
	json_number("score_sum", sum);
	json_number("seconds_per_iteration", seconds / p->iterations);
	json_count("errors", errors);
	json_end();
	return peer_finish(errors);
}
