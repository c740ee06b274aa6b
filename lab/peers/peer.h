// What all programs here share: options, the clock, random bits, and the one JSON object that a run prints.
#ifndef PEER_H
#define PEER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int peer_rank, peer_ranks;

// A method says how a program moves its items between ranks.
enum method { ALLTOALLV, POINT_TO_POINT };

// An option is set by two arguments, --NAME VALUE: a whole number, a number or a text, of which a text has no bounds.
struct option {
	const char *name;
	uint64_t *count; // one of the three
	double *number;
	const char **text;
	double least, most;
};

// peer_start begins MPI and reads the options, a list that a NULL name ends. Wrong ones end the job with a sentence and
// status 2.
void peer_start(int *argc, char ***argv, const struct option *options);

// peer_method reads the value of --method.
enum method peer_method(const char *name);

// peer_power_of_two ends the job unless its ranks are 1, 2, 4, ...
void peer_power_of_two(void);

// peer_fail prints a sentence and ends the job on all ranks.
_Noreturn void peer_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// peer_new is memory set to zero; peer_more grows memory. Too little of it ends the job.
void *peer_new(size_t count, size_t bytes);
void *peer_more(void *old, size_t count, size_t bytes);

// peer_begin waits for all ranks and returns the time; peer_seconds returns what has gone by since, on the slowest
// rank.
double peer_begin(void);
double peer_seconds(double begin);

// peer_sum adds a number up over all ranks; peer_xor joins it bit by bit; peer_most is the largest.
uint64_t peer_sum(uint64_t own);
uint64_t peer_xor(uint64_t own);
uint64_t peer_most(uint64_t own);

// The JSON object of the run, which rank 0 prints: json_begin, members, json_end.
void json_begin(const char *app);
void json_text(const char *name, const char *value);
void json_count(const char *name, uint64_t value);
void json_number(const char *name, double value);
void json_counts(const char *name, const uint64_t *values, size_t n);
void json_numbers(const char *name, const double *values, size_t n);
void json_end(void);

// peer_finish ends MPI; its value is the exit status of a run with so many errors.
int peer_finish(uint64_t errors);

// spread is a bijection in which every bit depends on all: the finalizer of SplitMix64 (Steele and others, OOPSLA
// 2014).
static inline uint64_t spread(uint64_t x) {
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) // 2^64 over the golden ratio: what SplitMix64 counts by

static inline uint64_t mix(uint64_t x) { return spread(x + GOLDEN); }

#endif
