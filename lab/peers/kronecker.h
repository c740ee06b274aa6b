// The Graph500 graph of `pebbles bfs --kronecker`, edge by edge the same: quadrant chances .57, .19, .19, .05, and
// labels scrambled by a bijection. See apps/graph/kronecker.go.
#ifndef KRONECKER_H
#define KRONECKER_H

#include <stdint.h>

enum { SCRAMBLE_ROUNDS = 4 };

struct kronecker {
	int scale;
	uint64_t words; // stream of random bits
	uint64_t factor[SCRAMBLE_ROUNDS], add[SCRAMBLE_ROUNDS];
};

struct edge {
	uint32_t from, to;
};

// kronecker_of makes the generator of a scale up to 32.
struct kronecker kronecker_of(int scale, uint64_t seed);

// kronecker_edge is edge i of the graph, whatever the order in which edges are asked for.
struct edge kronecker_edge(const struct kronecker *k, uint64_t i);

#endif
