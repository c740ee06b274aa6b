// PageRank of a Kronecker graph, whose vertices are distributed in blocks: in each iteration all ranks gather what
// every vertex gives to a neighbour, 8 bytes a vertex, and each adds up for its own vertices. Time is of the iterations
// alone.
#include "pagerank.h"

#include <stdlib.h>

#include "graph.h"

static void iterate(const struct graph *g, const struct pagerank *p, double *scores, double *gives) {
	for (uint64_t v = 0; v < g->own; v++) {
		const uint64_t degree = g->offsets[v + 1] - g->offsets[v];
		gives[g->first + v] = degree > 0 ? scores[v] / degree : 0;
	}
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gives, (int)g->own, MPI_DOUBLE, MPI_COMM_WORLD);
	for (uint64_t v = 0; v < g->own; v++) {
		double sum = 0;
		for (uint64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
			sum += gives[g->heads[i]];
		scores[v] = p->base + DAMPING * sum;
	}
}

int main(int argc, char **argv) {
	const struct pagerank p = pagerank_start(&argc, &argv);
	struct graph *g = graph_new(&p.generator, p.factor);
	graph_simplify(g);
	double *scores = peer_new(p.vertices, sizeof *scores), *gives = peer_new(p.vertices, sizeof *gives);
	for (uint64_t v = 0; v < g->own; v++)
		scores[v] = p.first;
	const double begin = peer_begin();
	for (uint64_t round = 0; round < p.iterations; round++)
		iterate(g, &p, scores, gives);
	const double seconds = peer_seconds(begin);
	double *all = peer_new(p.vertices, sizeof *all);
	MPI_Allgather(scores, (int)g->own, MPI_DOUBLE, all, (int)g->own, MPI_DOUBLE, MPI_COMM_WORLD);
	const int status = pagerank_end(&p, "allgather", seconds, all);
	free(all);
	free(scores);
	free(gives);
	graph_free(g);
	return status;
}
