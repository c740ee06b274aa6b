// Empty epochs: what it takes to know that nobody sends any more, when nothing was sent. MPI finds no such end by
// itself, so a program adds up what all have sent and handled, or enters a barrier that does not block and waits for
// it.
//
//	--method allreduce   MPI_Allreduce of the two counts
//	--method ibarrier    MPI_Ibarrier, tested until all have entered
#include "peer.h"

#include <string.h>

static uint64_t by_counts(void) {
	uint64_t counts[2] = {0, 0};
	MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return counts[0] != counts[1];
}

static uint64_t by_barrier(void) {
	MPI_Request all;
	int entered = 0;
	MPI_Ibarrier(MPI_COMM_WORLD, &all);
	while (!entered)
		MPI_Test(&all, &entered, MPI_STATUS_IGNORE);
	return 0;
}

int main(int argc, char **argv) {
	uint64_t count = 10000;
	const char *method = "allreduce";
	peer_start(&argc, &argv, (struct option[]){
		{"count", .count = &count, .least = 1, .most = 1e12},
		{"method", .text = &method},
		{0},
	});
	if (strcmp(method, "allreduce") != 0 && strcmp(method, "ibarrier") != 0)
		peer_fail("--method %s: give allreduce or ibarrier", method);
	uint64_t (*end)(void) = strcmp(method, "allreduce") == 0 ? by_counts : by_barrier;
	uint64_t errors = 0;
	const double begin = peer_begin();
	for (uint64_t epoch = 0; epoch < count; epoch++)
		errors += end();
	const double seconds = peer_seconds(begin);
	errors = peer_sum(errors);

	json_begin("epochs");
	json_text("method", method);
	json_number("seconds", seconds);
	json_count("errors", errors);
	json_count("epochs", count);
	json_number("seconds_per_epoch", seconds / (double)count);
	json_end();
	return peer_finish(errors);
}
