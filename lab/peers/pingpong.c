// Ping-pong: one message between ranks 0 and 1, to and fro. What a message alone costs.
#include "peer.h"

#include <stdlib.h>
#include <string.h>

// play sends the ball there and back; each rank marks it with the hop, and counts balls that come unmarked.
static uint64_t play(unsigned char *ball, int bytes, uint64_t hops) {
	uint64_t errors = 0;
	for (uint64_t hop = 0; hop < hops; hop++) {
		if ((int)(hop & 1) == peer_rank) {
			ball[0] = ball[bytes - 1] = (unsigned char)hop;
			MPI_Send(ball, bytes, MPI_BYTE, 1 - peer_rank, 0, MPI_COMM_WORLD);
		} else {
			MPI_Recv(ball, bytes, MPI_BYTE, 1 - peer_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			errors += ball[0] != (unsigned char)hop || ball[bytes - 1] != (unsigned char)hop;
		}
	}
	return errors;
}

int main(int argc, char **argv) {
	uint64_t bytes = 8, rounds = 100000;
	peer_start(&argc, &argv, (struct option[]){
		{"bytes", .count = &bytes, .least = 1, .most = 1 << 30},
		{"rounds", .count = &rounds, .least = 1, .most = 1e12},
		{0},
	});
	if (peer_ranks != 2)
		peer_fail("%d ranks: a ping-pong is for 2", peer_ranks);
	const uint64_t hops = 2 * rounds;
	unsigned char *ball = peer_new(bytes, 1);
	memset(ball, 255, bytes);
	const double begin = peer_begin();
	uint64_t errors = play(ball, (int)bytes, hops);
	const double seconds = peer_seconds(begin);
	errors = peer_sum(errors);
	free(ball);

	json_begin("pingpong");
	json_number("seconds", seconds);
	json_count("errors", errors);
	json_count("bytes", bytes);
	json_count("hops", hops);
	json_number("seconds_per_hop", seconds / (double)hops);
	json_end();
	return peer_finish(errors);
}
