// PointerChase (section 4.2): a message goes around a random ring of the ranks. Chains of dependent messages, latency
// alone.
#include "peer.h"

#include <stdlib.h>

// A ring is a random order of the ranks, closed to a circle.
static int *new_ring(uint64_t seed) {
	int *ring = peer_new(peer_ranks, sizeof *ring);
	for (int i = 0; i < peer_ranks; i++) { // Fisher and Yates, inside out
		int at = (int)(mix(seed + i * GOLDEN) % (uint64_t)(i + 1));
		ring[i] = ring[at];
		ring[at] = i;
	}
	return ring;
}

// chase relays the message at one place of the ring, whose first place begins. The message is the number of hops it has
// gone.
static uint64_t chase(int place, int before, int after, uint64_t rounds) {
	uint64_t errors = 0, hop = 0;
	for (uint64_t round = 0; round < rounds; round++) {
		if (place > 0 || round > 0) {
			MPI_Recv(&hop, 1, MPI_UINT64_T, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			errors += hop != round * peer_ranks + place;
		}
		hop++;
		MPI_Send(&hop, 1, MPI_UINT64_T, after, 0, MPI_COMM_WORLD);
	}
	if (place == 0) {
		MPI_Recv(&hop, 1, MPI_UINT64_T, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		errors += hop != rounds * peer_ranks;
	}
	return errors;
}

int main(int argc, char **argv) {
	uint64_t rounds = 1000, seed = 0;
	peer_start(&argc, &argv, (struct option[]){
		{"rounds", .count = &rounds, .least = 1, .most = 1e12},
		{"seed", .count = &seed, .least = 0, .most = 1e15},
		{0},
	});
	if (peer_ranks < 2)
		peer_fail("1 rank: a ring of messages is for 2 or more");
	int *ring = new_ring(seed);
	int place = 0;
	while (ring[place] != peer_rank)
		place++;
	const int before = ring[(place + peer_ranks - 1) % peer_ranks], after = ring[(place + 1) % peer_ranks];
	const double begin = peer_begin();
	uint64_t errors = chase(place, before, after, rounds);
	const double seconds = peer_seconds(begin);
	errors = peer_sum(errors);
	free(ring);

	const uint64_t hops = rounds * peer_ranks;
	json_begin("pointerchase");
	json_number("seconds", seconds);
	json_count("errors", errors);
	json_count("hops", hops);
	json_number("seconds_per_hop", seconds / (double)hops);
	json_end();
	return peer_finish(errors);
}
