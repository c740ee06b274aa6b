// A rank's part of an undirected graph: a block of vertices, and the rows of their neighbours.
#ifndef GRAPH_H
#define GRAPH_H

#include "kronecker.h"
#include "peer.h"

struct graph {
	uint64_t vertices, edges; // of the whole graph
	uint32_t first;           // this rank's first vertex
	uint64_t own;             // its vertices, a power of two
	int shift;                // binary logarithm of own
	uint64_t *offsets;        // neighbours of own vertex v are heads[offsets[v]] up to heads[offsets[v + 1]]
	uint32_t *heads;          // an edge stands in the rows of both its ends, a self-loop twice in its own
};

static inline int graph_owner(const struct graph *g, uint32_t v) { return (int)(v >> g->shift); }

// graph_new makes the rows from the edges of a generator, of which each rank makes an equal share, edges of factor a
// vertex.
struct graph *graph_new(const struct kronecker *k, uint64_t factor);

// graph_simplify takes self-loops out of the rows, and the second of equal neighbours. Rows are in order after it.
void graph_simplify(struct graph *g);

void graph_free(struct graph *g);

#endif
