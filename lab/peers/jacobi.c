// Jacobi (Noronha and Panda 2003, 3.3): each point of a grid becomes the mean of its four neighbours, from one grid
// into another, and back. The border stays. A rank has a block of rows, and exchanges one row with each neighbour in
// each round.
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A grid of (size + 2)^2 points: each rank has some rows of it, and one more above and below.
static uint64_t wide, first, last;

// fold is a fingerprint of two numbers: one multiplication.
static uint64_t fold(uint64_t a, uint64_t b) {
	const unsigned __int128 product = (unsigned __int128)(a ^ GOLDEN) * (b ^ UINT64_C(0xD1342543DE82EF95));
	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static void fill(double *to, uint64_t from, uint64_t n, uint64_t seed) {
	for (uint64_t i = 0; i < n; i++)
		to[i] = (double)(fold(fold(seed, from + i), 0) >> 11) / 9007199254740992.0;
}

static void relax(double *restrict out, const double *restrict above, const double *restrict row,
                  const double *restrict below) {
	for (uint64_t i = 1; i < wide - 1; i++)
		out[i] = 0.25 * ((above[i] + below[i]) + (row[i - 1] + row[i + 1]));
}

// sweep sets the rows from lo to hi of a grid whose first row is row `base`.
static void sweep(double *out, const double *in, uint64_t base, uint64_t lo, uint64_t hi) {
	for (uint64_t i = lo; i < hi; i++) {
		const double *row = in + (i - base) * wide;
		relax(out + (i - base) * wide, row - wide, row, row + wide);
	}
}

// halo exchanges the rows at the edges of this rank's block.
static void halo(double *grid) {
	MPI_Request all[4];
	int n = 0;
	const int row = (int)wide;
	const uint64_t own = last - first;
	if (peer_rank > 0) {
		MPI_Irecv(grid, row, MPI_DOUBLE, peer_rank - 1, 0, MPI_COMM_WORLD, &all[n++]);
		MPI_Isend(grid + wide, row, MPI_DOUBLE, peer_rank - 1, 0, MPI_COMM_WORLD, &all[n++]);
	}
	if (peer_rank < peer_ranks - 1) {
		MPI_Irecv(grid + (own + 1) * wide, row, MPI_DOUBLE, peer_rank + 1, 0, MPI_COMM_WORLD, &all[n++]);
		MPI_Isend(grid + own * wide, row, MPI_DOUBLE, peer_rank + 1, 0, MPI_COMM_WORLD, &all[n++]);
	}
	MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
	uint64_t size = 1022, rounds = 100, seed = 0;
	peer_start(&argc, &argv, (struct option[]){
		{"size", .count = &size, .least = 2, .most = 1 << 14},
		{"rounds", .count = &rounds, .least = 1, .most = 1 << 20},
		{"seed", .count = &seed, .least = 0, .most = 1e15},
		{0},
	});
	wide = size + 2;
	const uint64_t each = (wide + peer_ranks - 1) / peer_ranks;
	if (each * (peer_ranks - 1) >= wide)
		peer_fail("%d ranks, and %llu rows: some ranks have none", peer_ranks, (unsigned long long)wide);
	first = each * peer_rank;
	last = first + each < wide ? first + each : wide;
	const uint64_t lo = first > 1 ? first : 1, hi = last < wide - 1 ? last : wide - 1;

	double begin = peer_begin();
	double *grids[2]; // row first - 1 is the first
	for (int i = 0; i < 2; i++) {
		grids[i] = peer_new((last - first + 2) * wide, sizeof **grids);
		fill(grids[i] + wide, first * wide, (last - first) * wide, seed);
	}
	const double set_up = peer_seconds(begin);

	begin = peer_begin();
	for (uint64_t round = 0; round < rounds; round++) {
		halo(grids[round % 2]);
		sweep(grids[1 - round % 2], grids[round % 2], first - 1, lo, hi);
	}
	const double seconds = peer_seconds(begin);

	// The serial twin.
	begin = peer_begin();
	double *twin[2];
	for (int i = 0; i < 2; i++) {
		twin[i] = peer_new(wide * wide, sizeof **twin);
		fill(twin[i], 0, wide * wide, seed);
	}
	for (uint64_t round = 0; round < rounds; round++)
		sweep(twin[1 - round % 2], twin[round % 2], 0, 1, wide - 1);
	const double *own = grids[rounds % 2] + wide, *want = twin[rounds % 2] + first * wide;
	uint64_t wrong = 0, sum = 0;
	for (uint64_t i = 0; i < (last - first) * wide; i++) {
		uint64_t bits;
		memcpy(&bits, &own[i], sizeof bits);
		wrong += memcmp(&own[i], &want[i], sizeof own[i]) != 0;
		sum += fold(bits, first * wide + i);
	}
	const uint64_t errors = peer_sum(wrong);
	char digits[17];
	snprintf(digits, sizeof digits, "%016llx", (unsigned long long)peer_sum(sum));
	const double verifying = peer_seconds(begin);
	for (int i = 0; i < 2; i++) {
		free(grids[i]);
		free(twin[i]);
	}

	json_begin("jacobi");
	json_count("size", size);
	json_count("rounds", rounds);
	json_number("seconds", seconds);
	json_number("set_up_seconds", set_up);
	json_number("verify_seconds", verifying);
	json_count("errors", errors);
	json_text("checksum", digits);
	json_number("microseconds", seconds * 1e6 / (double)rounds);
	json_end();
	return peer_finish(errors);
}
