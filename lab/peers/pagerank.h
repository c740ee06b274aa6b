// PageRank as `pebbles pagerank` and the GAP suite define it: each vertex gives a share of its score to its neighbours,
// in equal parts. Duplicate edges and self-loops don't count, and what isolated vertices have is lost.
#ifndef PAGERANK_H
#define PAGERANK_H

#include "kronecker.h"

#define DAMPING 0.85

struct pagerank {
	struct kronecker generator;
	uint64_t factor; // edges a vertex
	uint64_t vertices, edges, iterations;
	double first, base; // scores before the first iteration, and what a vertex has that nobody gives to
};

// pagerank_start begins MPI and reads the options.
struct pagerank pagerank_start(int *argc, char ***argv);

// pagerank_wrong counts the vertices of which scores, those of all, are not what the edges say. It takes them as the
// generator makes them, and needs neither rows nor owners.
uint64_t pagerank_wrong(const struct pagerank *p, const double *scores);

// pagerank_end prints the JSON object of a run, and ends MPI; its value is the exit status.
int pagerank_end(const struct pagerank *p, const char *method, double seconds, const double *scores);

#endif
