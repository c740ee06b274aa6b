#include "peer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int peer_rank, peer_ranks;

_Noreturn void peer_fail(const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "rank %d: ", peer_rank);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	MPI_Abort(MPI_COMM_WORLD, 2);
	abort(); // MPI_Abort does not come back
}

static void set(const struct option *o, const char *value) {
	if (o->text != NULL) {
		*o->text = value;
		return;
	}
	char *end;
	const double number = strtod(value, &end);
	if (*value == '\0' || *end != '\0' || !(number >= o->least && number <= o->most) ||
	    (o->count != NULL && number != floor(number)))
		peer_fail("--%s %s: give a %snumber from %.15g to %.15g", o->name, value, o->count != NULL ? "whole " : "",
			o->least, o->most);
	if (o->count != NULL)
		*o->count = (uint64_t)number;
	else
		*o->number = number;
}

static void read_options(int argc, char **argv, const struct option *options) {
	for (int i = 1; i < argc; i += 2) {
		const struct option *o = options;
		while (o->name != NULL && (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, o->name) != 0))
			o++;
		if (o->name == NULL)
			peer_fail("%s: no such option", argv[i]);
		if (i + 1 == argc)
			peer_fail("%s: give a value", argv[i]);
		set(o, argv[i + 1]);
	}
}

void peer_start(int *argc, char ***argv, const struct option *options) {
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &peer_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &peer_ranks);
	read_options(*argc, *argv, options);
}

enum method peer_method(const char *name) {
	if (strcmp(name, "alltoallv") == 0)
		return ALLTOALLV;
	if (strcmp(name, "p2p") == 0)
		return POINT_TO_POINT;
	peer_fail("--method %s: give alltoallv or p2p", name);
}

void peer_power_of_two(void) {
	if ((peer_ranks & (peer_ranks - 1)) != 0)
		peer_fail("%d ranks: this program divides by masks: give it 1, 2, 4, 8, ...", peer_ranks);
}

void *peer_new(size_t count, size_t bytes) {
	void *memory = calloc(count > 0 ? count : 1, bytes);
	if (memory == NULL)
		peer_fail("no memory for %zu times %zu bytes: give less data", count, bytes);
	return memory;
}

void *peer_more(void *old, size_t count, size_t bytes) {
	void *memory = NULL;
	if (count <= SIZE_MAX / bytes)
		memory = realloc(old, count * bytes);
	if (memory == NULL)
		peer_fail("no memory for %zu times %zu bytes: give less data", count, bytes);
	return memory;
}

double peer_begin(void) {
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime();
}

double peer_seconds(double begin) {
	double seconds = MPI_Wtime() - begin;
	MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return seconds;
}

static uint64_t over_all(uint64_t own, MPI_Op operation) {
	MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_UINT64_T, operation, MPI_COMM_WORLD);
	return own;
}

uint64_t peer_sum(uint64_t own) { return over_all(own, MPI_SUM); }
uint64_t peer_xor(uint64_t own) { return over_all(own, MPI_BXOR); }
uint64_t peer_most(uint64_t own) { return over_all(own, MPI_MAX); }

static void member(const char *name) { printf(",\"%s\":", name); }

void json_begin(const char *app) {
	if (peer_rank == 0)
		printf("{\"app\":\"%s\",\"ranks\":%d,\"procs\":%d", app, peer_ranks, peer_ranks);
}

void json_text(const char *name, const char *value) {
	if (peer_rank == 0) {
		member(name);
		printf("\"%s\"", value);
	}
}

void json_count(const char *name, uint64_t value) {
	if (peer_rank == 0) {
		member(name);
		printf("%llu", (unsigned long long)value);
	}
}

void json_number(const char *name, double value) {
	if (peer_rank == 0) {
		member(name);
		printf("%.9g", value);
	}
}

void json_counts(const char *name, const uint64_t *values, size_t n) {
	if (peer_rank != 0)
		return;
	member(name);
	putchar('[');
	for (size_t i = 0; i < n; i++)
		printf("%s%llu", i > 0 ? "," : "", (unsigned long long)values[i]);
	putchar(']');
}

void json_numbers(const char *name, const double *values, size_t n) {
	if (peer_rank != 0)
		return;
	member(name);
	putchar('[');
	for (size_t i = 0; i < n; i++)
		printf("%s%.9g", i > 0 ? "," : "", values[i]);
	putchar(']');
}

void json_end(void) {
	if (peer_rank == 0) {
		puts("}");
		fflush(stdout);
	}
}

int peer_finish(uint64_t errors) {
	MPI_Finalize();
	return errors > 0 ? 1 : 0;
}
