/* Writes 2^20 vertices with scores as CSV: what BenchmarkScores is compared with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCORES = 1 << 20 };

int main(int argc, char **argv)
{
	double *values = malloc(SCORES * sizeof *values);
	FILE *f = argc == 2 ? fopen(argv[1], "w") : NULL;
	if (values == NULL || f == NULL)
		return 1;
	srand48(1);
	for (long i = 0; i < SCORES; i++)
		values[i] = -log(1 - drand48()) / SCORES;
	fprintf(f, "vertex,score\n");
	for (long i = 0; i < SCORES; i++)
		fprintf(f, "%ld,%.17g\n", i, values[i]);
	if (fflush(f) != 0 || fsync(fileno(f)) != 0)
		return 1;
	return fclose(f) != 0;
}
