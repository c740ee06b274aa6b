// MPIRandomAccess of HPCC, from its own source, alone: without the rest of the suite, whose sizes follow from those of
// HPL. The source is Debian's and no part of this repository. Defined when that is compiled, RA_SANDIA_OPT2 and
// RA_SANDIA_NOPT choose an algorithm. It reports to stdout as HPCC does, which says there how many updates were lost:
// its rules allow 1% of the words to be wrong.
//
// usage: PROGRAM LOG2-WORDS-OF-A-RANK
#include <hpcc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	char *end = "";
	const long log2_words = argc == 2 ? strtol(argv[1], &end, 10) : 0;
	if (log2_words < 1 || log2_words > 34 || *end != '\0') {
		fprintf(stderr, "usage: %s LOG2-WORDS-OF-A-RANK, from 1 to 34\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	static HPCC_Params params;
	strcpy(params.outFname, "/dev/stdout");
	params.HPLMaxProcMem = sizeof(u64Int) << log2_words;
	HPCC_MPIRandomAccess(&params);
	MPI_Finalize();
	return 0; // what was found wrong is told, and for the reader to judge
}
